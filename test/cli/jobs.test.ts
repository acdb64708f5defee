import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { main } from "../../src/cli/index.ts";
import type { JobsAnswer } from "../../src/http/index.ts";
import { doneJob, folderOf, jsonList, type WireObject, wireJob, wirePod, yamlList } from "../dump/files.ts";
import { CREATED } from "../jobs/objects.ts";
import { memoryTerminal } from "./memory-terminal.ts";

const job = wireJob("export-1");
const pod = wirePod("export-1-x", job, "ImagePullBackOff");
const DUMP = jsonList([job, pod, doneJob("done")]);
const AT = "2026-01-02T03:20:05Z"; // 16 minutes after CREATED

async function jobs(dump: string, ...argv: string[]) {
  return run(["jobs", "-f", "-", ...argv], dump);
}

async function run(argv: readonly string[], stdin = "", interactive = false) {
  const terminal = { ...memoryTerminal({}, stdin), interactive };
  const code = await main(argv, { terminal });
  return { code, out: terminal.stdout(), err: terminal.stderr() };
}

describe("stalewatch jobs -f", () => {
  it("prints what is stuck as kubectl prints lists, with the next command to type", async () => {
    expect(await jobs(DUMP, "--at", AT)).toEqual({
      code: 0,
      err: "",
      out: `NAMESPACE  OBJECT        OWNER   STATE    KIND  REASON            AGE
shop       Job/export-1  <none>  warning  S13   ImagePullBackOff  16m
  Image "registry.example/export:v9" of container main in Pod shop/export-1-x cannot be pulled; a
  pod that has not started never counts against backoffLimit and there is no
  activeDeadlineSeconds, so the Job will not fail by itself
  $ kubectl -n shop describe pod export-1-x

1 warning; 2 Jobs and 1 pod looked at, 1 Job healthy.
`,
    });
  });

  it("prints the same in JSON and in YAML, from JSON and from YAML", async () => {
    const json = JSON.parse((await jobs(DUMP, "--at", AT, "-o", "json")).out) as object;
    expect(json).toMatchObject({
      at: "2026-01-02T03:20:05.000Z",
      objects: { jobs: 2, pods: 1 },
      healthy: 1,
      findings: [{ kind: "S13", severity: "warning", state: "stuck", since: CREATED, ageSeconds: 960 }],
      groups: [],
      notes: [],
    });
    expect(parse((await jobs(yamlList([job, pod, doneJob("done")]), "--at", AT, "-o", "yaml")).out)).toEqual(json);
  });

  it("fits 100 columns whatever the names are, and loses none of them", async () => {
    const name = `a-${"very-".repeat(9)}long-name`;
    const named = wireJob(name, { metadata: { ...job.metadata, name, namespace: "n".repeat(63) } });
    const { out } = await jobs(jsonList([named, wirePod("p", named, "ImagePullBackOff")]), "--at", AT);
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    expect(out.replaceAll(/\s/g, "")).toContain("n".repeat(20));
  });

  it("prints names as they are safe to print", async () => {
    const evil = wireJob("evil", { metadata: { ...job.metadata, name: "\u001b[31mx", namespace: "sh\nop" } });
    const { out } = await jobs(jsonList([evil, wirePod("p", evil, "ImagePullBackOff")]), "--at", AT);
    expect(out).toContain("\\x1b[31mx");
    // oxlint-disable-next-line no-control-regex -- what must not be there
    expect(out).not.toMatch(/\u001b/);
  });

  it("lists what is younger than its warning age with --all alone", async () => {
    const at = "2026-01-02T03:09:05Z";
    expect((await jobs(DUMP, "--at", at)).out).toBe("Nothing is stuck: 2 Jobs and 1 pod looked at, 2 Jobs healthy.\n");
    expect((await jobs(DUMP, "--at", at, "--all")).out).toContain("watching  S13");
  });

  it("judges one namespace alone", async () => {
    expect((await jobs(DUMP, "--at", AT, "-n", "other")).out).toBe("No Jobs and no pods in namespace other.\n");
    expect((await jobs(DUMP, "--at", AT, "-n", "a,b\u001b")).out).toBe(
      "No Jobs and no pods in namespaces a, b\\x1b.\n",
    );
    expect((await jobs(DUMP, "--at", AT, "-n", "shop")).out).toContain("export-1");
    expect((await jobs(DUMP, "--at", AT, "-n", "other", "-A")).out).toContain("export-1");
  });

  it("exits with 10 when something is stuck, if it is asked to", async () => {
    expect((await jobs(DUMP, "--at", AT, "--exit-code")).code).toBe(10);
    expect((await jobs(jsonList([doneJob("done")]), "--at", AT, "--exit-code")).code).toBe(0);
  });

  it("makes one line of what one cause holds up", async () => {
    const both = ["a", "b"].map((name) => {
      const metadata = { ...job.metadata, name, uid: name };
      const object = wireJob(name, { metadata });
      const refused = {
        reason: "FailedCreate",
        type: "Warning",
        firstTimestamp: CREATED,
        lastTimestamp: "2026-01-02T03:19:05Z",
        count: 9,
      };
      const message =
        'Error creating: pods "x" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=5, limited: pods=5';
      const event = {
        apiVersion: "v1",
        kind: "Event",
        metadata: { ...metadata, name: `${name}.1`, uid: `event-${name}` },
        involvedObject: { kind: "Job", namespace: "shop", name, uid: name },
        message,
        ...refused,
      };
      return [{ ...object, status: { startTime: CREATED } }, event];
    });
    const { out } = await jobs(jsonList(both.flat()), "--at", AT);
    expect(out).toMatch(/^ +2 objects .* S03 .*\n  shop\/a, shop\/b\. Job a: /m);
  });

  it("says what was wrong with the files, and when they seem old", async () => {
    const { code, err, out } = await jobs(DUMP.slice(0, DUMP.lastIndexOf('"uid-of-done"')));
    expect(code).toBe(0);
    expect(out).toContain("export-1");
    expect(err).toMatch(/^stalewatch: standard input line \d+: ends in the middle of an object or list$/m);
    expect(err).toMatch(
      /^stalewatch: standard input: the newest time is .* ago, .*; --at 2026-01-02T03:04:05Z judges as of then$/m,
    );
  });

  it("says that there are no pods", async () => {
    expect((await jobs(jsonList([doneJob("a")]), "--at", AT)).err).toContain("there are no pods");
  });

  it.each([
    [
      [],
      "NO_OBJECTS",
      "standard input holds no Jobs and nothing that they have to do with: make a dump with kubectl get ",
    ],
    [["-f", "/no/such"], "FILE_UNREADABLE", "/no/such cannot be read: ENOENT: no such file or directory\n"],
  ])("fails for files without anything: %j", async (argv, _, err) => {
    const failed = await jobs("hello\n", ...argv);
    expect(failed).toMatchObject({ code: 1, out: "" });
    expect(failed.err).toContain(`stalewatch: ${err}`);
  });

  it.each([
    ["recordings", "incident.ndjson.gz", "holds no YAML and no JSON file; its recordings are for stalewatch replay"],
    ["something else", "pods.log", "holds no YAML and no JSON file"],
  ])("says what a folder of %s is", async (_, name, note) => {
    const folder = folderOf({ [name]: "" });
    const failed = await run(["jobs", "-f", folder]);
    expect(failed).toMatchObject({ code: 1, out: "" });
    expect(failed.err.split("\n")).toEqual([
      `stalewatch: ${folder}: ${note}`,
      expect.stringContaining(`${folder} holds no Jobs and nothing`),
      "",
    ]);
  });

  it("shows how far it is in a large file, to a person", async () => {
    const many = jsonList(Array.from({ length: 20_000 }, (_, index) => doneJob(`job-${index}`)));
    expect(many.length).toBeGreaterThan(8 << 20);
    const { err } = await run(["jobs", "-f", "-", "--at", AT], many, true);
    expect(err).toMatch(/\r.*reading standard input: \d+ MB, \d+ objects/);
    expect((await run(["jobs", "-f", "-", "--at", AT], many)).err).not.toContain("reading");
  });

  it.each([
    [
      ["--at", "2026-11-30T05:05:00"],
      '--at must name its time zone, as 2026-01-02T03:04:05Z for UTC, not "2026-11-30T05:05:00"',
    ],
    [["--at", "yesterday"], '--at must be a time as 2026-01-02T03:04:05Z, not "yesterday"'],
    [["--server", "http://127.0.0.1:1"], "--filename and --server cannot both be given"],
    [["--limits", "/no/such"], "--limits /no/such cannot be read: ENOENT: no such file or directory\n"],
  ])("%j is wrong usage", async (argv, err) => {
    const failed = await jobs(DUMP, ...argv);
    expect(failed).toMatchObject({ code: 2, out: "" });
    expect(failed.err).toContain(`stalewatch: ${err}`);
  });
});

async function withLimits(text: string) {
  return jobs(DUMP, "--at", AT, "--limits", join(folderOf({ "limits.yaml": text }), "limits.yaml"), "-o", "json");
}

async function severityBy(text: string): Promise<string | undefined> {
  const { findings } = JSON.parse((await withLimits(text)).out) as { findings: { severity: string }[] };
  return findings[0]?.severity;
}

describe("--limits", () => {
  it("changes the ages of a kind, of a namespace, or of what has a label", async () => {
    expect(await severityBy("- {kind: S13, critical: 15m}")).toBe("critical");
    expect(await severityBy("- {kind: image-cannot-be-pulled, critical: 15m}")).toBe("critical");
    expect(await severityBy("- {kind: S13, namespace: shop, warning: 1h, critical: never}")).toBeUndefined();
    expect(await severityBy("- {kind: S13, namespace: other, critical: 15m}")).toBe("warning");
    expect(await severityBy("- {kind: S13, labels: team=x, critical: 15m}")).toBe("warning");
    expect(await severityBy("# nothing\n")).toBe("warning");
  });

  it.each([
    ["- {kind: S13, warning: soon}", 'line 1: warning: "soon" is not a duration'],
    ["- {kind: S13, warning: -5m}", 'line 1: warning: "-5m" is negative'],
    ["# first\n\n- {kind: S99, warning: 5m}", "line 3: S99 is no stuck kind"],
    ["- {kind: S13, warnings: 5m}", "line 1: there is no key warnings: did you mean warning?"],
    ["- {kind: S13}", "line 1 changes no age"],
    ["- {warning: 5m}", "line 1 names no kind"],
    ["- {kind: S13, labels: 'a b', warning: 5m}", 'line 1: labels: "a b" is not a label selector'],
    ["- {kind: [S13], warning: 5m}", "line 1: kind needs one value"],
    ["- S13", "line 1 is not a limit"],
    ["kind: S13", "limits.yaml is not a list of limits"],
    ["- {kind: 'S13}", "line 1 is not YAML"],
  ])("%j is wrong usage, told with its line", async (text, err) => {
    const failed = await withLimits(text);
    expect(failed).toMatchObject({ code: 2, out: "" });
    expect(failed.err).toContain(err);
  });
});

describe("--parents", () => {
  const cluster = {
    apiVersion: "example.com/v1",
    kind: "Run",
    metadata: { ...job.metadata, name: "run", uid: "uid-of-run", generation: 2 },
    status: { observedGeneration: 2, conditions: [{ type: "Ready", status: "True", lastTransitionTime: CREATED }] },
  };
  const ownerReferences = [{ ...cluster, name: "run", uid: "uid-of-run", controller: true }].map(
    ({ apiVersion, kind, name, uid, controller }) => ({ apiVersion, kind, name, uid, controller }),
  );
  const conditions = [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded", lastTransitionTime: CREATED }];
  const failed = wireJob("apply", {
    metadata: { ...job.metadata, name: "apply", uid: "uid-of-apply", ownerReferences },
    status: { startTime: CREATED, failed: 1, conditions },
  });

  async function withParents(text: string) {
    const parents = join(folderOf({ "parents.yaml": text }), "parents.yaml");
    return jobs(jsonList([cluster, failed]), "--at", "2026-01-03T03:04:05Z", "--parents", parents, "-o", "json");
  }

  it("judges objects that own Jobs by the kinds of a file", async () => {
    const { out } = await withParents("- {group: example.com, version: v1, kind: Run, resource: runs}");
    expect(JSON.parse(out)).toMatchObject({ objects: { runs: 1 } });
    const { findings } = JSON.parse(out) as { findings: { kind: string; object: { kind: string } }[] };
    expect(findings.map(({ kind, object }) => `${kind} ${object.kind}`)).toEqual(["S36 Run"]);
  });

  describe("generic", () => {
    const options = ["--at", "2026-01-03T03:04:05Z", "--parents", "generic", "-o", "json"];
    async function found(
      objects: readonly WireObject[],
    ): Promise<{ objects: object; findings: readonly string[]; notes: readonly string[] }> {
      const answer = JSON.parse((await jobs(jsonList(objects), ...options)).out) as JobsAnswer;
      const findings = answer.findings.map(({ kind, object }) => `${kind} ${object.kind} ${object.name}`);
      return { objects: answer.objects, findings, notes: answer.notes };
    }
    const bystander = { ...cluster, kind: "Policy", metadata: { ...cluster.metadata, uid: "uid-of-policy" } };
    const broken = { ...bystander, metadata: { name: "x" } };

    it.each([
      ["before", [bystander, cluster, failed, broken]],
      ["after", [failed, cluster, bystander, broken]],
    ])(
      "judges the kinds that own Jobs, and passes over the others, when they stand %s their Jobs",
      async (_, objects) => {
        expect(await found(objects)).toEqual({
          objects: { jobs: 1, pods: 0, runs: 1 },
          findings: ["S36 Run run"],
          notes: [expect.stringMatching(/: there are no pods/)],
        });
      },
    );

    it("judges none whose Job is another's, and not what is known by its own rules", async () => {
      const ownerReferences = [
        { apiVersion: "apps/v1", kind: "Run", name: "run", uid: "uid-of-run", controller: true },
      ];
      const other = { ...failed, metadata: { ...failed.metadata, ownerReferences } };
      expect(await found([cluster, other])).toMatchObject({ objects: { jobs: 1, pods: 0 }, findings: [] });
      const text = "- {group: example.com, version: v1, kind: Run, resource: runs, ready: [Done]}";
      const parents = join(folderOf({ "parents.yaml": text }), "parents.yaml");
      const answer = await jobs(jsonList([cluster, failed]), "--parents", parents, ...options);
      expect(JSON.parse(answer.out)).toMatchObject({ objects: { runs: 1 }, findings: [] });
    });

    it("notes the kinds that are too many", async () => {
      const objects = Array.from({ length: 22 }, (_, index) => {
        const kind = `Kind${index + 1}`;
        const [reference] = ownerReferences;
        const metadata = {
          ...failed.metadata,
          name: `job-${index}`,
          uid: `uid-${index}`,
          ownerReferences: [{ ...reference, kind }],
        };
        return [
          { ...cluster, kind },
          { ...failed, metadata },
        ];
      });
      const { findings, notes } = await found(objects.flat());
      expect(findings).toHaveLength(20);
      expect(notes[0]).toMatch(
        /too many kinds own Jobs, and these are not judged: Kind21\.example\.com, Kind22\.example\.com$/,
      );
    });

    it("does not take objects that own nothing for something to judge", async () => {
      const { code, err } = await jobs(jsonList([bystander]), ...options);
      expect(code).toBe(1);
      expect(err).toContain("holds no Jobs and nothing that they have to do with");
    });
  });

  it.each([
    ["- {group: example.com, version: v1}", "parents.yaml line 1 has no kind"],
    ["- {group: example.com, reddy: [A]}", "parents.yaml line 1: there is no key reddy: did you mean ready?"],
    ["- {group: 'example.com}", "parents.yaml line 1 is not YAML"],
  ])("%j is wrong usage", async (text, err) => {
    const wrong = await withParents(text);
    expect(wrong).toMatchObject({ code: 2, out: "" });
    expect(wrong.err).toContain(err);
  });

  it("knows the kinds of a preset", async () => {
    expect((await jobs(DUMP, "--parents", "captf", "--at", AT)).code).toBe(0);
  });
});
