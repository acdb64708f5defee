import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { isExpired, KubeClient, type ListOptions, type ListPage } from "../../src/kube/index.ts";
import { defineResource, type Job, type Resource, resources, type Shape } from "../../src/resources/index.ts";
import { bytesField, encode, intField, unknown, varint } from "./protobuf-writer.ts";
import { recordingEnv } from "./recording-env.ts";
import { type Answer, json, ScriptedTransport } from "./scripted-transport.ts";

const jobShape = resources.jobs.shape as Shape<unknown>;
const PROTOBUF = { "content-type": "application/vnd.kubernetes.protobuf" };

const job = (name: string): { metadata: object; spec: object; status: object } => ({
  metadata: { name, namespace: "shop", uid: `uid-${name}`, resourceVersion: "7" },
  spec: { suspend: false },
  status: {},
});

function protobufPage(items: readonly Buffer[], meta: { version?: string; next?: string } = {}): Buffer {
  const metadata = Buffer.concat([bytesField(2, meta.version ?? "9"), bytesField(3, meta.next ?? "")]);
  return unknown(Buffer.concat([bytesField(1, metadata), ...items.map((item) => bytesField(2, item))]));
}

function jsonPage(items: readonly unknown[], meta: { version?: string; next?: string } = {}): Answer {
  return json({ kind: "JobList", metadata: { resourceVersion: meta.version ?? "9", continue: meta.next }, items });
}

interface Listed {
  readonly pages: ListPage<Job>[];
  readonly items: readonly unknown[];
  readonly thrown: unknown;
  readonly opaque: number;
  readonly transport: ScriptedTransport;
  readonly warnings: { message: string; fields: unknown }[];
}

async function listed(
  script: readonly (Answer | Error)[],
  { resource = resources.jobs, ...options }: ListOptions & { resource?: Resource<Job> } = {},
): Promise<Listed> {
  const transport = new ScriptedTransport(...script);
  const { env, count, warnings } = recordingEnv();
  const pages: ListPage<Job>[] = [];
  let thrown: unknown;
  try {
    for await (const page of new KubeClient({ transport, env }).list(resource, options)) pages.push(page);
  } catch (error) {
    thrown = error;
  }
  const opaque = count("stalewatch_opaque_objects_total", { group: "batch", version: "v1", resource: "jobs" });
  return { pages, items: pages.flatMap(({ items }) => items), thrown, opaque, transport, warnings };
}

interface Wire {
  readonly name: string;
  page(items: readonly object[], meta?: { version?: string; next?: string }): Answer;
  /** A page with an item whose spec is not one. */
  pageWithBadSpec(before: object, bad: object, after: object): Answer;
}

const wires: Wire[] = [
  {
    name: "protobuf",
    page: (items, meta) => ({
      headers: PROTOBUF,
      body: [
        protobufPage(
          items.map((item) => encode(jobShape, item)),
          meta,
        ),
      ],
    }),
    pageWithBadSpec: (before, bad, after) => {
      const items = [before, bad, after].map((item) => encode(jobShape, item));
      items[1] = Buffer.concat([encode(jobShape, bad), intField(2, 7)]);
      return { headers: PROTOBUF, body: [protobufPage(items)] };
    },
  },
  {
    name: "JSON",
    page: (items, meta) => jsonPage(items, meta),
    pageWithBadSpec: (before, bad, after) => jsonPage([before, { ...bad, spec: 7 }, after]),
  },
];

describe.each(wires)("list over $name", (wire) => {
  it("follows continue; the version and its match go with the first page only", async () => {
    const script = [wire.page([job("a"), job("b")], { next: "token=" }), wire.page([job("c")])];
    const { pages, transport } = await listed(script, {
      limit: 2,
      resourceVersion: "7",
      resourceVersionMatch: "NotOlderThan",
      labelSelector: "a=b",
    });
    expect(pages).toEqual([
      { items: [job("a"), job("b")], opaque: [], resourceVersion: "9", last: false },
      { items: [job("c")], opaque: [], resourceVersion: "9", last: true },
    ]);
    expect(transport.requests.map(({ path }) => path)).toEqual([
      "/apis/batch/v1/jobs?limit=2&labelSelector=a%3Db&resourceVersion=7&resourceVersionMatch=NotOlderThan",
      "/apis/batch/v1/jobs?limit=2&labelSelector=a%3Db&continue=token%3D",
    ]);
    expect(transport.requests[0]?.headers["accept"]).toBe("application/vnd.kubernetes.protobuf, application/json");
  });

  it("yields one empty page where there is nothing", async () => {
    const { pages } = await listed([wire.page([])]);
    expect(pages).toEqual([{ items: [], opaque: [], resourceVersion: "9", last: true }]);
  });

  it("keeps apart, counts and tells of an object that does not read", async () => {
    const { items, opaque, pages, thrown, warnings } = await listed([
      wire.pageWithBadSpec(job("a"), job("b"), job("c")),
    ]);
    expect(thrown).toBeUndefined();
    expect(pages[0]?.opaque).toEqual([{ object: { metadata: job("b").metadata }, why: expect.any(String) }]);
    expect(items).toEqual([job("a"), job("c")]);
    expect(opaque).toBe(1);
    expect(warnings).toEqual([
      { message: expect.any(String), fields: { resource: "jobs.v1.batch", object: "shop/b", why: expect.any(String) } },
    ]);
  });

  it.each([
    ["metadata", {}],
    ["a name", { metadata: { uid: "u" } }],
  ])("keeps apart an object without %s", async (_what, object) => {
    const { items, opaque } = await listed([wire.page([job("a"), object, job("c")])]);
    expect(items).toEqual([job("a"), job("c")]);
    expect(opaque).toBe(1);
  });

  it("ends with the error of a page that is refused", async () => {
    const expired = json(
      { kind: "Status", message: "The provided continue parameter is too old", reason: "Expired", code: 410 },
      410,
    );
    const { pages, thrown } = await listed([wire.page([job("a")], { next: "t" }), expired]);
    expect(pages).toHaveLength(1);
    expect(isExpired(thrown)).toBe(true);
  });

  it("lets the event loop run while it decodes a large page that is all there", async () => {
    const many = Array.from({ length: 6_000 }, (_, at) => ({
      ...job(`job-${at}`),
      status: { completedIndexes: "0-9,".repeat(50) },
    }));
    const script = [wire.page(many)];
    const turns = countTurns();
    const { items } = await listed(script);
    expect(items).toHaveLength(6_000);
    expect(await turns.stop()).toBeGreaterThan(4);
  });
});

/** How often others had their turn in the event loop. */
function countTurns(): { stop(): Promise<number> } {
  const running = { on: true };
  const counted = (async () => {
    let turns = 0;
    for (; running.on; turns += 1) await setImmediate();
    return turns;
  })();
  return {
    stop: () => {
      running.on = false;
      return counted;
    },
  };
}

describe("a protobuf page", () => {
  const items = [job("a"), job("größe"), job("c")];
  const page = protobufPage(items.map((item) => encode(jobShape, item)));

  it("reads the same wherever it is cut in two", async () => {
    for (let at = 0; at <= page.length; at += 1) {
      const { pages } = await listed([{ headers: PROTOBUF, body: [page.subarray(0, at), page.subarray(at)] }]);
      expect(pages).toEqual([{ items, opaque: [], resourceVersion: "9", last: true }]);
    }
  });

  it("that breaks off anywhere in its list is an error, not a short list", async () => {
    const end = page.length - bytesField(3, "").length - bytesField(4, "").length;
    for (let at = 0; at < end; at += 1) {
      const { thrown, pages } = await listed([{ headers: PROTOBUF, body: [page.subarray(0, at)] }]);
      expect(pages).toEqual([]);
      expect(thrown).toMatchObject({ reason: "UnreadableAnswer", resource: "jobs.v1.batch" });
    }
  });

  it.each([
    ["is not Kubernetes protobuf", Buffer.from("<html>")],
    ["holds a field of a strange wire type", Buffer.concat([Buffer.from("k8s\0"), varint(2 * 8 + 3)])],
    ["claims an object over the limit", unknown(Buffer.concat([varint(2 * 8 + 2), varint(2 ** 31)]))],
  ])("that %s is an error", async (_what, body) => {
    const { thrown } = await listed([{ headers: PROTOBUF, body: [body] }]);
    expect(thrown).toMatchObject({ reason: "UnreadableAnswer" });
  });
});

describe("a JSON page", () => {
  it.each([
    ["a proxy's page", { headers: { "content-type": "text/html" }, body: ["<h1>Bad gateway</h1>"] }, /text\/html/],
    ["nothing of a type", { headers: { "content-type": "" }, body: ["{}"] }, /where JSON was asked for/],
    ["JSON that breaks off", { body: ['{"metadata":{"resourceVersion":"9"},"items":[{"metadata":'] }, /not whole JSON/],
    ["no list", { body: ["{}"] }, /no list/],
    ["no object", { body: ["[]"] }, /no list/],
  ])("that is %s is an error", async (_what, answer, message) => {
    const { thrown } = await listed([answer]);
    expect(thrown).toMatchObject({ reason: "UnreadableAnswer", message: expect.stringMatching(message) });
  });

  it("has no items where they are null", async () => {
    const { pages } = await listed([json({ metadata: { resourceVersion: "9" }, items: null })]);
    expect(pages).toEqual([{ items: [], opaque: [], resourceVersion: "9", last: true }]);
  });

  it("that is large is read object by object, and loses only the one that is too large", async () => {
    const notes = String.raw`quotes " brackets ]}[{ and backslashes \ `.repeat(40_000);
    const { group, version, kind, resource } = resources.jobs;
    const whole = defineResource<Job>({ group, version, kind, resource });
    const items = [
      { ...job("a"), more: { notes } },
      { ...job("b"), more: {} },
      { ...job("big"), more: { notes: "x".repeat(9 << 20) } },
      { ...job("c"), more: { notes } },
    ];
    const answer = json({ items, kind: "List", metadata: { continue: "", resourceVersion: "9" } });
    const { pages, opaque, warnings } = await listed([answer], { resource: whole });
    expect(pages).toEqual([
      {
        items: [items[0], items[1], items[3]],
        opaque: [{ object: { metadata: job("big").metadata }, why: expect.stringMatching(/too large/) }],
        resourceVersion: "9",
        last: true,
      },
    ]);
    expect(opaque).toBe(1);
    expect(warnings[0]?.fields).toMatchObject({ object: "shop/big" });
  });

  it("that is large and breaks off is an error", async () => {
    const text = JSON.stringify({
      metadata: { resourceVersion: "9" },
      items: [{ ...job("a"), notes: "x".repeat(5 << 20) }],
    });
    const { thrown, pages } = await listed([{ body: [text.slice(0, -4)] }]);
    expect(pages).toEqual([]);
    expect(thrown).toMatchObject({ reason: "UnreadableAnswer" });
  });
});
