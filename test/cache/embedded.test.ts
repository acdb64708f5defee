import { afterEach, beforeEach, expect, test } from "vitest";
import type { ExchangeRequest, Transport } from "../../src/base/index.ts";
import { Informer } from "../../src/cache/index.ts";
import { KubeClient } from "../../src/kube/index.ts";
import {
  type DeepReadonly,
  defineResource,
  type KubeObject,
  type Resource,
  resources,
} from "../../src/resources/index.ts";
import type { Log } from "../../src/telemetry/index.ts";
import { EmbeddedCluster, VirtualClock } from "../../src/testing/index.ts";
import { RecordingMeter } from "../controller/recording.ts";
import { UnreliableTransport } from "./unreliable-transport.ts";

/** The cache on its real client: what the server says, byte for byte. */
let clock: VirtualClock;
let cluster: EmbeddedCluster;
let transport: UnreliableTransport;
let meter: RecordingMeter;
let warnings: string[];
let stop: AbortController;
let running: Promise<void>[];

beforeEach(async () => {
  clock = new VirtualClock();
  cluster = await EmbeddedCluster.start({ clock });
  transport = new UnreliableTransport(cluster.transport());
  meter = new RecordingMeter();
  warnings = [];
  stop = new AbortController();
  running = [];
});

afterEach(async () => {
  stop.abort();
  await Promise.all(running);
  await cluster[Symbol.asyncDispose]();
});

function noteWarning(message: string): void {
  warnings.push(message);
}

function start<T extends KubeObject>(resource: Resource<T>, through: Transport = transport): Informer<T> {
  const log: Log = { debug() {}, info() {}, warn: noteWarning, error: noteWarning };
  const env = { clock, meter, log };
  const informer = new Informer({ client: new KubeClient({ transport: through, env }), resource, env });
  running.push(informer.run({ signal: stop.signal }));
  return informer;
}

function names(informer: { lister: { list(): readonly DeepReadonly<KubeObject>[] } }): string[] {
  return informer.lister.list().map(({ metadata }) => metadata.name);
}

test("a list that RBAC forbids: one line with the rule, counted, and the cache fills when it is allowed", async () => {
  cluster.objects.create(resources.jobs, { metadata: { name: "a" } });
  const allow = cluster.forbid({ group: "batch", resource: "jobs" });
  const informer = start(resources.jobs);
  await cluster.settle();
  expect(informer.status().lastError).toContain('apiGroups: ["batch"], resources: ["jobs"], verbs: ["list", "watch"]');
  expect(informer.status().lastError).not.toContain("\n");
  expect(meter.total("stalewatch_list_failures_total", { reason: "forbidden" })).toBeGreaterThan(0);
  allow();
  await cluster.settle({ advance: 2_000 });
  expect([names(informer), informer.status().lastError]).toEqual([["a"], undefined]);
});

test("a watch that RBAC forbids: the list is there, the state says why it is not kept up", async () => {
  cluster.objects.create(resources.jobs, { metadata: { name: "a" } });
  const allow = cluster.forbid({ verb: "watch", group: "batch", resource: "jobs" });
  const informer = start(resources.jobs);
  await cluster.settle();
  expect(informer.status()).toMatchObject({ synced: true, state: "backing-off", objects: 1 });
  expect(informer.status().lastError).toContain('verbs: ["list", "watch"]');
  expect(meter.total("stalewatch_watch_restarts_total", { reason: "forbidden" })).toBe(1);
  allow();
  await cluster.settle({ advance: 2_000 });
  cluster.objects.create(resources.jobs, { metadata: { name: "b" } });
  await cluster.settle();
  expect(names(informer)).toEqual(["a", "b"]);
});

test("a kind that the server lacks: one line that names it, and the cache fills when it is installed", async () => {
  const widgets = defineResource({ group: "example.com", version: "v1", kind: "Widget", resource: "widgets" });
  const informer = start(widgets);
  await cluster.settle();
  expect(informer.status()).toMatchObject({ state: "backing-off", synced: false });
  expect(informer.status().lastError).toContain("check that the server serves widgets.v1.example.com");
  expect(meter.total("stalewatch_list_failures_total", { reason: "not_found" })).toBeGreaterThan(0);
  cluster.register(widgets);
  cluster.objects.create(widgets, { metadata: { name: "w" } });
  await cluster.settle({ advance: 60_000 });
  expect(names(informer)).toEqual(["w"]);
});

test.each([true, false])("a damaged frame (protobuf: %s) is counted, and nothing is lost", async (protobuf) => {
  const informer = start({ ...resources.configMaps, protobuf });
  await cluster.settle();
  transport.damageNextFrame();
  for (const name of ["a", "b", "c"]) cluster.objects.create(resources.configMaps, { metadata: { name } });
  await cluster.settle();
  expect(names(informer)).toEqual(["a", "b", "c"]);
  expect(meter.total("stalewatch_watch_restarts_total", { reason: "unreadable" })).toBe(1);
  expect(meter.total("stalewatch_opaque_objects_total")).toBe(1);
  expect(warnings).toHaveLength(1);
});

test("an event whose object has no metadata is counted twice, asked for once more, and passed over", async () => {
  const informer = start(
    { ...resources.configMaps, protobuf: false },
    new Rewriting(transport, /"name":"b"/, '{"type":"ADDED","object":{}}'),
  );
  await cluster.settle();
  for (const name of ["a", "b", "c"]) cluster.objects.create(resources.configMaps, { metadata: { name } });
  await cluster.settle();
  expect(names(informer)).toEqual(["a", "c"]);
  expect(meter.total("stalewatch_opaque_objects_total")).toBe(2);
  expect(warnings).toHaveLength(1);
});

test("an object that does not read as its kind is kept by its metadata", async () => {
  const informer = start(
    { ...resources.jobs, protobuf: false },
    new Rewriting(transport, /"status":\{[^}]*\}/, (line) => line.replace(/"status":\{[^}]*\}/, '"status":"odd"')),
  );
  await cluster.settle();
  cluster.objects.create(resources.jobs, { metadata: { name: "a" } });
  await cluster.settle();
  expect(names(informer)).toEqual(["a"]);
  expect(informer.lister.unreadable("default/a")).toEqual(expect.any(String));
  expect(meter.total("stalewatch_opaque_objects_total")).toBe(1);
  expect(warnings).toHaveLength(1);
});

test("an object of 40 MB costs no other", async () => {
  const informer = start(resources.configMaps);
  await cluster.settle();
  cluster.objects.create(resources.configMaps, { metadata: { name: "a" } });
  cluster.objects.create(resources.configMaps, {
    metadata: { name: "huge" },
    data: { text: "x".repeat(40 * 2 ** 20) },
  });
  cluster.objects.create(resources.configMaps, { metadata: { name: "z" } });
  await cluster.settle();
  expect(names(informer)).toEqual(["a", "huge", "z"]);
  expect(informer.lister.get("default/huge")?.data?.["text"]).toHaveLength(40 * 2 ** 20);
  expect(informer.lastStoreSyncResourceVersion()).toBe(cluster.currentVersion());
});

test("versions that are not numbers: followed all the same", async () => {
  const odd = new Rewriting(transport, /"resourceVersion"/, (line) =>
    line.replaceAll(/"resourceVersion":"(\d+)"/g, '"resourceVersion":"v$1"'),
  );
  const informer = start({ ...resources.configMaps, protobuf: false }, odd);
  await cluster.settle();
  cluster.objects.create(resources.configMaps, { metadata: { name: "a" } });
  await cluster.settle();
  expect(names(informer)).toEqual(["a"]);
  expect(informer.lastStoreSyncResourceVersion()).toMatch(/^v\d+$/);
  expect(meter.total("stalewatch_defective_objects_total", { defect: "version_not_comparable" })).toBeGreaterThan(0);
  expect(warnings).toHaveLength(1);
});

/** Rewrites lines of JSON answers. */
class Rewriting implements Transport {
  readonly #inner: Transport;
  readonly #match: RegExp;
  readonly #to: string | ((line: string) => string);

  constructor(inner: Transport, match: RegExp, to: string | ((line: string) => string)) {
    this.#inner = inner;
    this.#match = match;
    this.#to = to;
  }

  async exchange(request: ExchangeRequest): ReturnType<Transport["exchange"]> {
    const response = await this.#inner.exchange(request);
    return { ...response, body: this.#rewritten(response.body) };
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  async *#rewritten(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const chunk of body) {
      const lines = Buffer.from(chunk).toString().split("\n");
      yield Buffer.from(lines.map((line) => this.#line(line)).join("\n"));
    }
  }

  #line(line: string): string {
    if (!this.#match.test(line)) return line;
    return typeof this.#to === "string" ? this.#to : this.#to(line);
  }
}
