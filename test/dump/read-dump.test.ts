import { gzipSync } from "node:zlib";
import { Readable } from "node:stream";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { type Dump, judgeOnce, kindsInFiles, readDump } from "../../src/dump/index.ts";
import { resources } from "../../src/resources/index.ts";
import { CREATED } from "../jobs/objects.ts";
import { dumpOf, folderOf, jsonList, NOW, wireJob, type WireObject, yamlList } from "./files.ts";

const two = [wireJob("a"), wireJob("b")];

function withoutKind({ kind: _kind, ...rest }: WireObject): object {
  return rest;
}

function jobNames(dump: Dump): readonly string[] {
  return [...dump.snapshot.list(resources.jobs)].map(({ metadata }) => metadata.name);
}

function messages(dump: Dump): readonly string[] {
  return dump.notes().map(({ line, object, message, times }) => {
    return `${line ?? "-"}${object === undefined ? "" : `, ${object}`}: ${message}${times > 1 ? ` x${times}` : ""}`;
  });
}

describe("a dump", () => {
  it.each([
    ["a List of kubectl in JSON", jsonList(two)],
    ["the same on one line", JSON.stringify(JSON.parse(jsonList(two)))],
    ["a List of kubectl in YAML", yamlList(two)],
    ["a List whose items are indented", stringify({ kind: "List", items: two })],
    ["with Windows line ends", yamlList(two).replaceAll("\n", "\r\n")],
    ["JSON with Windows line ends", jsonList(two).replaceAll("\n", "\r\n")],
    ["as PowerShell writes it", Buffer.from(`\uFEFF${yamlList(two)}`, "utf16le")],
    ["with a byte order mark", `\uFEFF${jsonList(two)}`],
    ["compressed", gzipSync(yamlList(two))],
    ["several documents", two.map((object) => `---\n${stringify(object)}`).join("")],
    ["one JSON object after the other", two.map((object) => JSON.stringify(object)).join("\n")],
    ["a JSON list", JSON.stringify(two)],
    ["a Lists of Lists", jsonList([JSON.parse(jsonList(two))])],
    ["events of a watch", two.map((object) => JSON.stringify({ type: "ADDED", object })).join("\n")],
    ["several Lists", `${yamlList([two[0]])}---\n${yamlList([two[1]])}`],
    [
      "a typed list, whose items do not say what they are",
      JSON.stringify({ kind: "JobList", apiVersion: "batch/v1", items: two.map(withoutKind) }),
    ],
    ["the same in YAML", `kind: JobList\napiVersion: batch/v1\n${stringify({ items: two.map(withoutKind) })}`],
    ["comments between the items", yamlList(two).replaceAll("\n- ", "\n# next\n\n- ")],
  ])("is read: %s", async (_, text) => {
    const dump = await dumpOf(text);
    expect(messages(dump)).toEqual([]);
    expect(jobNames(dump)).toEqual(["a", "b"]);
    expect(dump.newestMs).toBe(Date.parse(CREATED));
  });

  it("keeps of an object what a cache keeps", async () => {
    const dump = await dumpOf(jsonList([wireJob("a", { status: { startTime: CREATED, active: 0, conditions: [] } })]));
    expect([...dump.snapshot.list(resources.jobs)]).toEqual([
      {
        metadata: { name: "a", namespace: "shop", uid: "uid-of-a", resourceVersion: "10", creationTimestamp: CREATED },
        spec: { parallelism: 1, completions: 1, suspend: false },
        status: { startTime: CREATED },
      },
    ]);
  });

  it("takes no longer for a list because of what it says of itself", async () => {
    // A reader that copied what it knows at each key would be at this for minutes.
    const said = Object.fromEntries(Array.from({ length: 40_000 }, (_, at) => [`x${at}`, ""]));
    const dump = await dumpOf(JSON.stringify({ ...said, apiVersion: "v1", kind: "List", items: two }));
    expect(jobNames(dump)).toEqual(["a", "b"]);
  });

  it("reads the same whatever the chunks are", async () => {
    for (const text of [jsonList(two), yamlList(two), JSON.stringify(two)]) {
      for (const chunk of [1, 2, 7]) expect(jobNames(await dumpOf(text, chunk))).toEqual(["a", "b"]);
    }
  });

  it("of a folder has the YAML and JSON files of all folders in it", async () => {
    const folder = folderOf({
      "core/jobs.yaml": yamlList([two[0]]),
      "batch/x/b.json": JSON.stringify(two[1]),
      "pods/x.log": "kind: Job",
    });
    const dump = await readDump({ paths: [folder], stdin: Readable.from([]), kinds: kindsInFiles().kept, now: NOW });
    expect(jobNames(dump)).toEqual(["b", "a"]);
    expect(dump.notes()).toEqual([]);
  });

  it("of a folder is all that reads well, whatever lies beside it", async () => {
    const folder = folderOf({
      "a.yaml": yamlList([two[0]]),
      "broken.json": '{"apiVersion": "v1", "items": [{',
      "broken.yaml": "a: [\n",
      "cut.yaml.gz": gzipSync(yamlList(two)).subarray(0, 100),
      "damaged.yaml.gz": Buffer.from("\u001f\u008b no gzip after all", "latin1"),
      "z.json": jsonList([two[1]]),
    });
    const dump = await readDump({ paths: [folder], stdin: Readable.from([]), kinds: kindsInFiles().kept, now: NOW });
    expect(jobNames(dump)).toEqual(["a", "b"]);
    expect(dump.notes().map(({ file, message }) => `${basename(file)}: ${message}`)).toEqual([
      "broken.json: ends in the middle of an object or list",
      expect.stringMatching(/^broken\.yaml: is no YAML: /),
      "cut.yaml.gz: ends in the middle of a List; its last object is left out",
      expect.stringMatching(/^damaged\.yaml\.gz: cannot be read to its end: /),
    ]);
  });

  it("refuses a path that is not there", async () => {
    const reading = readDump({
      paths: ["/no/such/file"],
      stdin: Readable.from([]),
      kinds: kindsInFiles().kept,
      now: NOW,
    });
    await expect(reading).rejects.toMatchObject({
      code: "FILE_UNREADABLE",
      message: /^\/no\/such\/file cannot be read/,
    });
  });
});

describe("what is wrong in a dump costs nothing beside it", () => {
  it("JSON that is cut in half", async () => {
    const text = jsonList(two);
    const dump = await dumpOf(text.slice(0, text.indexOf('"uid-of-b"')));
    expect(jobNames(dump)).toEqual(["a"]);
    expect(messages(dump)).toEqual([expect.stringMatching(/^\d+: ends in the middle of an object or list$/)]);
  });

  it("YAML that is cut in half, even where the rest of the last object reads well", async () => {
    const text = yamlList(two);
    const dump = await dumpOf(text.slice(0, text.lastIndexOf("  status:")));
    expect(jobNames(dump)).toEqual(["a"]);
    expect(messages(dump)).toEqual([
      expect.stringMatching(/^\d+: ends in the middle of a List; its last object is left out$/),
    ]);
  });

  it("a YAML item that does not parse", async () => {
    const broken = yamlList(two).replace("name: a", 'name: "a');
    const dump = await dumpOf(broken);
    expect(jobNames(dump)).toEqual(["b"]);
    expect(messages(dump)).toEqual([expect.stringMatching(/^\d+: is no YAML: /)]);
  });

  it("JSON that breaks in the middle, but for what follows", async () => {
    const dump = await dumpOf(jsonList(two).replace('"name": "b"', '"name": b'));
    expect(jobNames(dump)).toEqual(["a"]);
    expect(messages(dump)).toEqual([expect.stringMatching(/^\d+: cannot be read as JSON from here on: /)]);
  });

  it.each([
    ["other kinds", [{ apiVersion: "v1", kind: "Service", metadata: { name: "x" } }, two[0]], ["a"], []],
    ["no object", [7, null, "text", two[0]], ["a"], []],
    ["no kind", [{ metadata: { name: "x" } }, two[0]], ["a"], ["has no apiVersion or no kind"]],
    [
      "no name",
      [wireJob("a", { metadata: {} }), two[0]],
      ["a"],
      ["Job undefined cannot be read: its metadata has no name"],
    ],
    [
      "a manifest",
      [wireJob("x", { metadata: { name: "x" } }), two[0]],
      ["a"],
      ["has no uid: a manifest, and no object of a cluster; left out"],
    ],
    ["no status", [{ ...two[0], status: undefined }], ["a"], []],
    ["a status that is none", [{ ...two[0], status: 7 }], [], ["Job a cannot be read: it is no JSON object"]],
    [
      "a field of another type",
      [wireJob("a", { spec: { parallelism: "1" } })],
      [],
      [expect.stringMatching(/parallelism/)],
    ],
    ["an old version", [wireJob("a", { apiVersion: "batch/v1beta1" })], ["a"], ["Job of batch/v1beta1 is read as v1"]],
    [
      "ANSI escapes",
      [wireJob("a", { metadata: { name: "\u001b[31mx\nquote\"'", uid: 7 } })],
      [],
      [expect.stringMatching(/^Job \\x1b\[31mx quote"' cannot be read/)],
    ],
    [
      "a time without zone",
      [wireJob("a", { status: { startTime: "2026-01-02T03:04:05" } })],
      ["a"],
      ["startTime names no time zone, and is taken for UTC"],
    ],
    ["no time", [wireJob("a", { status: { startTime: "now" } })], ["a"], ["startTime is no time, and is left out"]],
    [
      "a time of the future",
      [wireJob("a", { status: { startTime: "2036-01-02T03:04:05Z" } })],
      ["a"],
      ["startTime lies in the future; its age counts as 0"],
    ],
  ])("%s", async (_, items, names, notes) => {
    for (const text of [jsonList(items), yamlList(items)]) {
      const dump = await dumpOf(text);
      expect(jobNames(dump)).toEqual(names);
      expect(dump.notes().map(({ message }) => message)).toEqual(
        typeof items[0] === "number" && text.startsWith("apiVersion") ? ["is no object"] : notes,
      );
    }
  });

  it("an object that stands there again, of which the newest counts", async () => {
    const newer = wireJob("a", { metadata: { ...two[0]?.metadata, resourceVersion: "11" }, spec: { parallelism: 7 } });
    for (const items of [
      [two[0], newer, two[1]],
      [newer, two[0], two[1]],
    ]) {
      const dump = await dumpOf(JSON.stringify(items));
      expect([...dump.snapshot.list(resources.jobs)].map(({ spec }) => spec?.parallelism)).toEqual([7, 1]);
      expect(messages(dump)).toEqual(["1, Job shop/a: stands there again; the newest counts"]);
    }
  });

  it("a whole file that is there twice, told in one line", async () => {
    const text = jsonList(Array.from({ length: 500 }, (_, index) => wireJob(`job-${index}`)));
    const dump = await dumpOf(text + text);
    expect(jobNames(dump)).toHaveLength(500);
    expect(messages(dump)).toEqual([
      expect.stringMatching(/^\d+, Job shop\/job-0: stands there again; the newest counts x500$/),
    ]);
  });

  it("manifests beside objects, of which the first is named", async () => {
    const manifests = ["x", "y"].map((name) => wireJob(name, { metadata: { name, namespace: "sh\u001bop" } }));
    const dump = await dumpOf(JSON.stringify([...manifests, two[0]]));
    expect(messages(dump)).toEqual([
      "1, Job sh\\x1bop/x: has no uid: a manifest, and no object of a cluster; left out x2",
    ]);
  });

  it("times without zone in several fields, each told once", async () => {
    const time = "2026-01-02T03:04:05";
    const items = ["a", "b"].map((name) => {
      const metadata = { ...wireJob(name).metadata, creationTimestamp: time };
      return wireJob(name, { metadata, status: { startTime: time, completionTime: time.replace("T", " ") } });
    });
    const dump = await dumpOf(JSON.stringify(items));
    expect(messages(dump)).toEqual(
      ["creationTimestamp", "startTime", "completionTime"].map(
        (field) => `1: ${field} names no time zone, and is taken for UTC x2`,
      ),
    );
    const [job] = dump.snapshot.list(resources.jobs);
    const { metadata, status } = job ?? {};
    expect([metadata?.creationTimestamp, status?.startTime, status?.completionTime]).toEqual([
      CREATED,
      CREATED,
      CREATED,
    ]);
  });

  it("an object with ten thousand owners", async () => {
    const owners = Array.from({ length: 10_000 }, (_, index) => {
      return { apiVersion: "example.com/v1", kind: `Kind${index}`, name: `o-${index}`, uid: `uid-${index}` };
    });
    const metadata = { ...wireJob("a").metadata, ownerReferences: owners };
    const dump = await dumpOf(jsonList([wireJob("a", { metadata }), two[1]]));
    expect(messages(dump)).toEqual([]);
    const { findings, objects } = judgeOnce(dump.snapshot, {
      kinds: kindsInFiles(),
      now: NOW,
      rules: [],
      namespaces: [],
      all: true,
    });
    expect(objects).toMatchObject({ jobs: 2 });
    // None of them is its controller.
    expect(new Set(findings.map(({ owner }) => owner.kind))).toEqual(new Set(["Job"]));
  });

  it("lists in lists without end", async () => {
    const deep = `${"[".repeat(40_000)}${"]".repeat(40_000)}`;
    const { metadata } = wireJob("x");
    const nested = JSON.stringify({ apiVersion: "batch/v1", kind: "Job", metadata, spec: { parallelism: 0 } });
    const items = [nested.replace('"parallelism":0', `"parallelism":${deep}`), JSON.stringify(two[0])];
    const dump = await dumpOf(`{"kind":"List","items":[\n${items.join(",\n")}\n]}`);
    expect(jobNames(dump)).toEqual(["a"]);
    expect(messages(dump)).toEqual([expect.stringMatching(/^2: cannot be read: Maximum call stack/)]);
  });

  it("a duration that leads out of all years that there are", async () => {
    const lease: WireObject = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { ...wireJob("kube-controller-manager").metadata, namespace: "kube-system" },
      spec: {
        holderIdentity: "gone",
        acquireTime: CREATED,
        renewTime: "2026-01-02T03:04:06Z",
        leaseDurationSeconds: -9e15,
      },
    };
    const dump = await dumpOf(jsonList([lease, two[0]]));
    const answer = judgeOnce(dump.snapshot, { kinds: kindsInFiles(), now: NOW, rules: [], namespaces: [], all: true });
    const found = answer.findings.map(({ kind, object: { name }, since }) => `${kind} ${name} ${since}`);
    expect(found).toContain("S38 kube-controller-manager 0000-01-01T00:00:00Z");
  });
});
