import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ExchangeRequest } from "../../src/base/index.ts";
import { HeadTable, HeadWatch } from "../../src/head/index.ts";
import { KubeClient } from "../../src/kube/index.ts";
import { Heartbeat, jobHeartbeat, lagBounds } from "../../src/lag/index.ts";
import { resources } from "../../src/resources/index.ts";
import { EmbeddedCluster } from "../../src/testing/index.ts";
import { recordingEnv } from "../kube/recording-env.ts";

const LABELS = { group: "batch", version: "v1", resource: "jobs" };
const KEY = "ops/stalewatch-heartbeat";

/** Own writes and others' changes of one kind, each committed somewhere between its sending and its answer. */
const histories = fc.array(
  fc.record({
    gapMs: fc.integer({ min: 0, max: 5_000 }),
    ours: fc.boolean(),
    sendMs: fc.integer({ min: 0, max: 2_000 }),
    answerMs: fc.integer({ min: 0, max: 2_000 }),
    arrivesMs: fc.integer({ min: 0, max: 60_000 }),
  }),
  { minLength: 1, maxLength: 25 },
);

describe("the answer to a write of our own", () => {
  it("bounds the lag of any cache as a read does: the truth is always between", () => {
    fc.assert(
      fc.property(histories, fc.nat(), fc.integer({ min: 0, max: 90_000 }), (history, at, afterMs) => {
        const table = new HeadTable({ keepsReads: false });
        let committedAt = 10_000;
        const commits = history.map(({ gapMs, ...rest }, index) => {
          committedAt += gapMs;
          return { ...rest, version: index + 101, committedAt };
        });
        const now = committedAt + afterMs;
        table.read({ version: "100", sentAt: 0, answeredAt: 1, source: "list", newestBefore: 0n });
        let arrived = 0;
        const tellings = commits.flatMap(({ version, committedAt: when, ours, sendMs, answerMs, arrivesMs }) => {
          arrived = Math.max(arrived, when + arrivesMs); // a stream keeps its order
          const arrival = { at: arrived, tell: () => void table.event(String(version), arrival.at) };
          const [sentAt, answeredAt] = [when - sendMs, when + answerMs];
          const read = { version: String(version), sentAt, answeredAt, source: "heartbeat", newestBefore: 0n } as const;
          return ours ? [arrival, { at: answeredAt, tell: () => void table.read(read) }] : [arrival];
        });
        for (const { at: when, tell } of tellings.toSorted((a, b) => a.at - b.at)) if (when <= now) tell();
        const view = table.view();
        if (!view) throw new Error("the table has begun");
        const seen = 100 + (at % (commits.length + 1));
        const missed = commits.find(({ version }) => version > seen);
        const truth = missed ? now - missed.committedAt : 0;
        const sighting = { version: BigInt(seen), sentAt: now, receivedAt: now, scope: "same" } as const;
        const { minMs, maxMs = Number.POSITIVE_INFINITY } = lagBounds(view, sighting);
        expect(minMs).toBeLessThanOrEqual(truth);
        expect(maxMs).toBeGreaterThanOrEqual(truth);
      }),
      { numRuns: 2_000 },
    );
  });

  it("that goes below what was known shows that the history went back", async () => {
    const { env, clock, count } = recordingEnv();
    await using cluster = await EmbeddedCluster.start({ clock });
    const client = new KubeClient({ transport: cluster.transport(), env });
    const head = new HeadWatch({ client, env, resource: resources.jobs, probeIntervalMs: 0, prompt: true });
    const stop = new AbortController();
    const running = head.run({ signal: stop.signal });
    await cluster.settle({ advance: 1_000 });
    const now = clock.monotonic();
    head.written({ version: "1", sentAt: now, answeredAt: now, newestBefore: head.table.newest });
    expect(head.table.rewinds).toBe(1);
    expect(count("stalewatch_head_watch_restarts_total", { ...LABELS, reason: "rewind" })).toBe(1);
    stop.abort();
    await running;
  });
});

async function rig(change: (request: ExchangeRequest) => ExchangeRequest = (request) => request) {
  const { env, clock, count, sum, warnings } = recordingEnv();
  const cluster = await EmbeddedCluster.start({ clock });
  cluster.objects.create({ group: "", resource: "namespaces" }, { metadata: { name: "ops" } });
  const inner = cluster.transport();
  const transport = {
    exchange: (asked: ExchangeRequest) => inner.exchange(change(asked)),
    close: () => inner.close(),
  };
  const client = new KubeClient({ transport, env });
  const head = new HeadWatch({ client, env, resource: resources.jobs, probeIntervalMs: 0, prompt: true });
  const heartbeat = new Heartbeat({
    client,
    kind: jobHeartbeat,
    namespace: "ops",
    holder: "us",
    intervalMs: 5_000,
    head,
    heads: () => [head],
    caches: () => [],
    reconciles: false,
    beforeSend() {},
    env,
  });
  const stop = new AbortController();
  const running = [head.run({ signal: stop.signal }), heartbeat.run({ signal: stop.signal })];
  const end = async (): Promise<void> => {
    stop.abort();
    await cluster.settle({ advance: 10_000 });
    await Promise.all(running);
    await cluster[Symbol.asyncDispose]();
  };
  const stage = (name: string): number => count("stalewatch_heartbeat_stage_seconds", { ...LABELS, stage: name });
  const stageSum = (name: string): number => sum("stalewatch_heartbeat_stage_seconds", { ...LABELS, stage: name });
  return { cluster, heartbeat, head, warnings, end, stage, stageSum };
}

describe("a heartbeat", () => {
  it("is never faster than its answer, and counts the time until that as the server's", async () => {
    const { cluster, end, stage, stageSum } = await rig();
    cluster.faults.slowRequests({ match: { verb: "patch", resource: "jobs" }, ms: 2_000 });
    await cluster.settle({ advance: 21_000 });
    expect(stage("ack")).toBe(4);
    expect(stageSum("ack")).toBe(6);
    expect(stageSum("arrival")).toBe(6);
    expect(stageSum("send")).toBe(0);
    await end();
  });

  it("whose write is not answered in time is given up, and the next one follows", async () => {
    const { cluster, heartbeat, warnings, end } = await rig();
    await cluster.settle({ advance: 1_000 });
    cluster.faults.slowRequests({ match: { verb: "patch", resource: "jobs" }, ms: 600_000, times: 1 });
    await cluster.settle({ advance: 4_000 + 15_000 });
    expect(warnings.map(({ fields }) => fields)).toContainEqual(
      expect.objectContaining({ state: "failing", why: "no answer in time" }),
    );
    expect(heartbeat.status()).toMatchObject({ state: "beating", lost: 0 });
    await end();
  });

  it("says that nobody sees it arrive where its kind may not be watched, and loses nothing", async () => {
    const { cluster, heartbeat, end } = await rig();
    cluster.forbid({ verb: "list", resource: "jobs" });
    await cluster.settle({ advance: 60_000 });
    const { state, reason, lost } = heartbeat.status();
    expect([state, lost]).toEqual(["beating", 0]);
    expect(reason).toMatch(/nobody sees it arrive: .*verbs: \["list", "watch"\]/);
    await end();
  });

  it("forgets what is on its way when the history goes back", async () => {
    const { cluster, heartbeat, end } = await rig();
    await cluster.settle({ advance: 6_000 });
    const old = cluster.currentVersion();
    await cluster.settle({ advance: 60_000 });
    cluster.faults.rollback(old);
    await cluster.settle({ advance: 60_000 });
    expect(heartbeat.status()).toMatchObject({ state: "beating", lost: 0 });
    await end();
  });

  it("leaves its object behind where it may not remove it, and the next one takes it over", async () => {
    const { cluster, end } = await rig();
    await cluster.settle({ advance: 6_000 });
    cluster.forbid({ verb: "delete", resource: "jobs" });
    const objects = cluster.objects;
    await end();
    expect(objects.get(resources.jobs, KEY)).toBeDefined();
  });

  it("is no evidence where something takes the beat out of it", async () => {
    const { cluster, heartbeat, head, end } = await rig((request) =>
      request.method === "PATCH" ? { ...request, body: JSON.stringify({ metadata: {} }) } : request,
    );
    await cluster.settle({ advance: 30_000 });
    cluster.objects.create(resources.jobs, { metadata: { name: "a", namespace: "ops" } });
    await cluster.settle({ advance: 30_000 });
    expect(heartbeat.status()).toMatchObject({ state: "disturbed" });
    expect(head.table.rewinds).toBe(0);
    await end();
  });
});
