import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ApiError, isExpired, KubeClient, type WatchEvent, type WatchOptions } from "../../src/kube/index.ts";
import { defineResource, type Job, type Resource, resources, type Shape } from "../../src/resources/index.ts";
import { bytesField, encode, frame, intField, watchFrame } from "./protobuf-writer.ts";
import { recordingEnv } from "./recording-env.ts";
import { type Answer, json, ScriptedTransport } from "./scripted-transport.ts";

const jobShape = resources.jobs.shape as Shape<unknown>;
const options: WatchOptions = { resourceVersion: "7", timeoutSeconds: 300 };
const PROTOBUF = { "content-type": "application/vnd.kubernetes.protobuf;stream=watch" };

type Batches = (readonly WatchEvent<Job>[])[];

/** What a watch yielded, and what it threw in the end. */
async function watched(
  answer: Answer | Error,
  { resource = resources.jobs, ...more }: Partial<WatchOptions> & { resource?: Resource<Job> } = {},
): Promise<{
  batches: Batches;
  events: WatchEvent<Job>[];
  thrown: unknown;
  opaque: number;
  transport: ScriptedTransport;
}> {
  const transport = new ScriptedTransport(answer);
  const recorded = recordingEnv();
  const client = new KubeClient({ transport, env: recorded.env });
  const batches: Batches = [];
  let thrown: unknown;
  try {
    for await (const batch of client.watch(resource, { ...options, ...more })) batches.push(batch);
  } catch (error) {
    thrown = error;
  }
  const labels = { group: "batch", version: "v1", resource: "jobs" };
  const opaque = recorded.count("stalewatch_opaque_objects_total", labels);
  return { batches, events: batches.flat(), thrown, opaque, transport };
}

const job = (name: string, version: string): object => ({
  metadata: { name, namespace: "shop", uid: `uid-${name}`, resourceVersion: version },
});

interface Wire {
  readonly name: string;
  readonly headers: Record<string, string>;
  event(type: string, object: object): Buffer;
  /** An event whose spec is not one. */
  badSpec(type: string, object: object): Buffer;
}

const wires: Wire[] = [
  {
    name: "protobuf",
    headers: PROTOBUF,
    event: (type, object) => watchFrame(type, encode(jobShape, object)),
    badSpec: (type, object) => watchFrame(type, Buffer.concat([encode(jobShape, object), intField(2, 7)])),
  },
  {
    name: "JSON",
    headers: {},
    event: (type, object) => Buffer.from(`${JSON.stringify({ type, object })}\n`),
    badSpec: (type, object) => Buffer.from(`${JSON.stringify({ type, object: { ...object, spec: 7 } })}\n`),
  },
];

const bookmark = { metadata: { resourceVersion: "11", annotations: { "k8s.io/initial-events-end": "true" } } };

describe.each(wires)("watch over $name", (wire) => {
  const stream = [
    wire.event("ADDED", job("a", "8")),
    wire.event("MODIFIED", job("größe", "9")),
    wire.event("DELETED", job("a", "10")),
    wire.event("BOOKMARK", bookmark),
  ];
  const expected = [
    { type: "ADDED", object: { ...job("a", "8"), spec: {}, status: {} } },
    { type: "MODIFIED", object: { ...job("größe", "9"), spec: {}, status: {} } },
    { type: "DELETED", object: { ...job("a", "10"), spec: {}, status: {} } },
    { type: "BOOKMARK", resourceVersion: "11", initialEventsEnd: true },
  ];

  it("yields the same events wherever the stream is cut in two", async () => {
    const all = Buffer.concat(stream);
    for (let at = 0; at <= all.length; at += 1) {
      const { events, thrown } = await watched({
        headers: wire.headers,
        body: [all.subarray(0, at), all.subarray(at)],
      });
      expect(thrown).toBeUndefined();
      expect(events).toEqual(expected);
    }
  });

  it("yields the same events however the stream is cut in pieces", async () => {
    const all = Buffer.concat([...stream, ...stream]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(all.length), { maxLength: 30 }), async (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), all.length];
        const body = at.slice(1).map((end, index) => all.subarray(at[index], end));
        expect((await watched({ headers: wire.headers, body })).events).toEqual([...expected, ...expected]);
      }),
      { numRuns: 100 },
    );
  });

  it("keeps nothing of the chunks it was given", async () => {
    const bytes = Buffer.concat(stream);
    const transport = new ScriptedTransport({ headers: wire.headers, body: [bytes] });
    for await (const events of new KubeClient({ transport }).watch(resources.jobs, options)) {
      bytes.fill(0x78);
      expect(events).toEqual(expected);
    }
    expect(bytes.every((byte) => byte === 0x78)).toBe(true);
  });

  it("yields together what one chunk completes", async () => {
    const all = Buffer.concat(stream);
    const { batches } = await watched({ headers: wire.headers, body: [all.subarray(0, -3), all.subarray(-3)] });
    expect(batches.map((batch) => batch.length)).toEqual([3, 1]);
  });

  it("goes on after an object that does not read, says what is known of it, and counts it", async () => {
    const body = [wire.badSpec("MODIFIED", job("b", "8")), wire.event("ADDED", job("c", "9"))];
    const { events, opaque, thrown } = await watched({ headers: wire.headers, body });
    expect(thrown).toBeUndefined();
    expect(events).toEqual([
      { type: "OPAQUE", change: "MODIFIED", object: job("b", "8"), why: expect.any(String) },
      { type: "ADDED", object: { ...job("c", "9"), spec: {}, status: {} } },
    ]);
    expect(opaque).toBe(1);
  });

  it.each([
    ["without metadata", {}],
    ["without a name", { metadata: { uid: "u", resourceVersion: "8" } }],
  ])("takes an object %s as opaque", async (_what, object) => {
    const body = [wire.event("ADDED", object), wire.event("ADDED", job("c", "9"))];
    const { events, opaque } = await watched({ headers: wire.headers, body });
    expect(events.map(({ type }) => type)).toEqual(["OPAQUE", "ADDED"]);
    expect(events[0]).toEqual({
      type: "OPAQUE",
      change: "ADDED",
      object: undefined,
      why: expect.stringMatching(/metadata/),
    });
    expect(opaque).toBe(1);
  });

  it("takes an event of an unknown type as opaque", async () => {
    const { events } = await watched({ headers: wire.headers, body: [wire.event("RENAMED", job("a", "8"))] });
    expect(events).toEqual([{ type: "OPAQUE", change: undefined, object: job("a", "8"), why: expect.any(String) }]);
  });

  it("takes a bookmark without a version as opaque", async () => {
    const { events } = await watched({ headers: wire.headers, body: [wire.event("BOOKMARK", { metadata: {} })] });
    expect(events).toEqual([{ type: "OPAQUE", change: undefined, object: undefined, why: expect.any(String) }]);
  });

  it("fails when the stream ends inside an event, after what came before it", async () => {
    const all = Buffer.concat(stream);
    const { events, thrown } = await watched({ headers: wire.headers, body: [all.subarray(0, -3)] });
    expect(events).toEqual(expected.slice(0, -1));
    expect(thrown).toMatchObject({ reason: "BrokenFrame", status: 0, resource: "jobs.v1.batch" });
  });

  it("fails when the connection breaks, after what came before", async () => {
    const body = [...stream, new Error("socket hang up")];
    const { events, thrown } = await watched({ headers: wire.headers, body });
    expect(events).toEqual(expected);
    expect(thrown).toMatchObject({ reason: "Unreachable", message: expect.stringContaining("socket hang up") });
  });

  it("passes an object of 40 MB through, or what is known of it", async () => {
    const large = { ...job("big", "8"), status: { completedIndexes: "x".repeat(40 << 20) } };
    const { events, thrown } = await watched({
      headers: wire.headers,
      body: chunksOf(Buffer.concat([wire.event("MODIFIED", large), wire.event("ADDED", job("c", "9"))])),
    });
    expect(thrown).toBeUndefined();
    expect(events.map(({ type }) => type)).toEqual([wire.name === "JSON" ? "OPAQUE" : "MODIFIED", "ADDED"]);
    expect(events[0]).toMatchObject({ object: job("big", "8") });
  });
});

function chunksOf(bytes: Buffer): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, at) =>
    bytes.subarray(at * 65_536, (at + 1) * 65_536),
  );
}

describe("an ERROR event", () => {
  const status = {
    kind: "Status",
    status: "Failure",
    message: "too old resource version: 7 (99)",
    reason: "Expired",
    code: 410,
  };

  it("is thrown as what it says, over JSON", async () => {
    const { thrown } = await watched({ body: [`${JSON.stringify({ type: "ERROR", object: status })}\n`] });
    expect(isExpired(thrown)).toBe(true);
    expect(thrown).toMatchObject({ message: expect.stringContaining("too old resource version: 7 (99)") });
  });

  it("is thrown as what it says, over protobuf", async () => {
    const fields = [bytesField(3, status.message), bytesField(4, status.reason), intField(6, status.code)];
    const { thrown } = await watched({ headers: PROTOBUF, body: [watchFrame("ERROR", Buffer.concat(fields))] });
    expect(isExpired(thrown)).toBe(true);
    expect(thrown).toMatchObject({ message: expect.stringContaining("too old resource version: 7 (99)") });
  });

  it("that does not read is still an error", async () => {
    const { thrown } = await watched({ body: [`${JSON.stringify({ type: "ERROR", object: 3 })}\n`] });
    expect(thrown).toBeInstanceOf(ApiError);
  });
});

describe("frames that are none", () => {
  it.each([
    ["a line that is not JSON", {}, Buffer.from("<html>\n")],
    ["a line that is no object", {}, Buffer.from("[1]\n")],
    ["a frame that is no event", PROTOBUF, frame(Buffer.from([0xff, 0xff, 0xff]))],
    ["an event whose object is not in its envelope", PROTOBUF, frame(bytesField(2, bytesField(1, "nothing")))],
    ["an event without an object", PROTOBUF, frame(bytesField(1, "ADDED"))],
    ["an empty frame", PROTOBUF, frame(Buffer.alloc(0))],
  ])("%s is opaque, and the stream goes on", async (_what, headers, bytes) => {
    const wire = wires.find(({ headers: own }) => own === headers) ?? wires[1];
    const { events, thrown, opaque } = await watched({
      headers,
      body: [bytes, wire?.event("ADDED", job("c", "9")) ?? ""],
    });
    expect(thrown).toBeUndefined();
    expect(events.map(({ type }) => type)).toEqual(["OPAQUE", "ADDED"]);
    expect(opaque).toBe(1);
  });

  it("a broken line still tells its type and metadata", async () => {
    const whole = JSON.stringify({ type: "DELETED", object: { ...job("a", "8"), spec: { suspend: true } } });
    const { events } = await watched({ body: [`${whole.slice(0, -6)}\n`] });
    expect(events).toEqual([
      { type: "OPAQUE", change: "DELETED", object: job("a", "8"), why: expect.stringMatching(/JSON/) },
    ]);
  });

  it("a length over the limit ends the stream", async () => {
    const { thrown } = await watched({ headers: PROTOBUF, body: [Buffer.from("HTTP/1.1 400 Bad Request")] });
    expect(thrown).toMatchObject({ reason: "FrameTooLarge", message: expect.stringContaining("jobs.v1.batch") });
  });

  it("a line over the limit ends the stream", async () => {
    const body = Array.from({ length: 70 }, () => Buffer.alloc(1 << 20, "x"));
    expect((await watched({ body })).thrown).toMatchObject({ reason: "FrameTooLarge" });
  });

  it("a proxy's page is no stream", async () => {
    const { thrown } = await watched({ headers: { "content-type": "text/html" }, body: ["<h1>Log in</h1>"] });
    expect(thrown).toMatchObject({
      reason: "UnreadableAnswer",
      message: expect.stringMatching(/text\/html.*Log in.*proxy/),
    });
  });
});

describe("the request", () => {
  it("asks for protobuf, bookmarks and the time, on connections of its own", async () => {
    const { transport } = await watched({ headers: PROTOBUF });
    expect(transport.requests).toMatchObject([
      {
        method: "GET",
        path: "/apis/batch/v1/jobs?watch=true&allowWatchBookmarks=true&resourceVersion=7&timeoutSeconds=300",
        headers: { accept: "application/vnd.kubernetes.protobuf;stream=watch, application/json" },
        pool: "watches",
        idleTimeoutMs: 330_000,
      },
    ]);
  });

  it("asks for JSON where no shape could read protobuf", async () => {
    const { transport } = await watched({}, { resource: defineResource({ ...resources.jobs }) });
    expect(transport.requests[0]?.headers["accept"]).toBe("application/json");
  });

  it("asks for initial events, selectors and a namespace", async () => {
    const { transport } = await watched(
      {},
      {
        resourceVersion: "",
        sendInitialEvents: true,
        namespace: "shop",
        labelSelector: "a in (b,c)",
        fieldSelector: "metadata.name=x",
        idleTimeoutMs: 5,
      },
    );
    expect(transport.requests[0]).toMatchObject({ idleTimeoutMs: 5 });
    expect(transport.requests[0]?.path).toBe(
      "/apis/batch/v1/namespaces/shop/jobs?watch=true&allowWatchBookmarks=true&timeoutSeconds=300" +
        "&labelSelector=a%20in%20(b%2Cc)&fieldSelector=metadata.name%3Dx&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
    );
  });

  it("is not repeated when the server refuses it: that is the reflector's decision", async () => {
    const { thrown, transport } = await watched(
      json({ kind: "Status", reason: "TooManyRequests" }, 429, { "retry-after": "3" }),
    );
    expect(thrown).toMatchObject({ status: 429, retryAfterMs: 3_000 });
    expect(transport.requests).toHaveLength(1);
  });
});
