import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HeadWatch, type HeadWatchOptions } from "../../src/head/index.ts";
import { KubeClient } from "../../src/kube/index.ts";
import { lagBounds, type LagBounds } from "../../src/lag/index.ts";
import { type Resource, resources } from "../../src/resources/index.ts";
import { EmbeddedCluster, type VirtualClock } from "../../src/testing/index.ts";
import { type Recorded, recordingEnv } from "../kube/recording-env.ts";

let cluster: EmbeddedCluster;
let recorded: Recorded;
let clock: VirtualClock;
let stop: AbortController;
let running: Promise<void>[];

beforeEach(async () => {
  recorded = recordingEnv();
  clock = recorded.clock;
  cluster = await EmbeddedCluster.start({ clock });
  stop = new AbortController();
  running = [];
});
afterEach(async () => {
  stop.abort();
  await Promise.all(running);
  await cluster[Symbol.asyncDispose]();
});

async function start(more: Partial<HeadWatchOptions> = {}): Promise<HeadWatch> {
  const { env } = recorded;
  const client = new KubeClient({ transport: cluster.transport(), env });
  const options = { client, env, resource: resources.jobs as Resource, probeIntervalMs: 10_000, prompt: true, ...more };
  const watch = new HeadWatch(options);
  running.push(watch.run({ signal: stop.signal }));
  await cluster.settle();
  return watch;
}

/** Of a cache that stands where the head watch does. */
function lagAtHead({ table }: HeadWatch): LagBounds {
  const now = clock.monotonic();
  const view = table.view();
  if (!view) throw new Error("no read yet");
  return lagBounds(view, { version: table.position, sentAt: now, receivedAt: now, scope: "same" });
}

function restarts(reason: string, plural = "jobs", group = "batch"): number {
  return recorded.count("stalewatch_head_watch_restarts_total", { group, version: "v1", resource: plural, reason });
}

function allRestarts(plural = "jobs", group = "batch"): number {
  const reasons = ["broken", "dead", "expired", "rewind", "suspected", "unreadable"];
  return reasons.reduce((sum, reason) => sum + restarts(reason, plural, group), 0);
}

let made = 0;
function addJob(): string {
  made += 1;
  const { metadata } = cluster.objects.create(resources.jobs, { metadata: { name: `job-${made}`, namespace: "shop" } });
  return (metadata as { resourceVersion: string }).resourceVersion;
}

/** Other kinds keep the cluster's version moving, as the leases of any cluster do. */
function moveOthers(): () => void {
  const name = "shop/other";
  cluster.objects.create(resources.configMaps, { metadata: { name: "other", namespace: "shop" } });
  let timer = clock.setTimer(tick, 2_000);
  let count = 0;
  function tick(): void {
    count += 1;
    cluster.objects.patch(resources.configMaps, name, { data: { count: String(count) } });
    timer = clock.setTimer(tick, 2_000);
  }
  return () => timer.cancel();
}

describe("a head watch", () => {
  it("confirms an idle kind that matters within a read interval and three seconds, without a restart", async () => {
    const stopOthers = moveOthers();
    const watch = await start();
    let widest = 0;
    for (let second = 0; second < 300; second += 1) {
      await cluster.settle({ advance: 1_000 });
      widest = Math.max(widest, lagAtHead(watch).maxMs ?? Number.POSITIVE_INFINITY);
    }
    expect(widest).toBeLessThanOrEqual(13_000);
    expect(allRestarts()).toBe(0);
    stopOthers();
  });

  it("confirms other idle kinds about once a minute", async () => {
    const stopOthers = moveOthers();
    const watch = await start({ prompt: false });
    let widest = 0;
    for (let second = 0; second < 300; second += 1) {
      await cluster.settle({ advance: 1_000 });
      widest = Math.max(widest, lagAtHead(watch).maxMs ?? Number.POSITIVE_INFINITY);
    }
    expect(widest).toBeGreaterThan(20_000);
    expect(widest).toBeLessThanOrEqual(75_000);
    expect(allRestarts()).toBe(0);
    stopOthers();
  });

  it("takes every event with its arrival, also those between two watches", async () => {
    const watch = await start();
    const versions: string[] = [];
    for (let i = 0; i < 40; i += 1) {
      versions.push(addJob());
      await cluster.settle({ advance: 1_700 });
    }
    expect(watch.table.view()?.points.map(({ first }) => String(first))).toEqual(versions);
    expect(watch.table.lastEvent?.version).toBe(versions.at(-1));
  });

  it("gives no upper bound without probes, and reads only to begin", async () => {
    const watch = await start({ probeIntervalMs: 0 });
    const version = addJob();
    await cluster.settle({ advance: 200_000 });
    expect(watch.table.lastEvent?.version).toBe(version);
    expect(lagAtHead(watch)).toMatchObject({ minMs: 0, maxMs: undefined });
  });

  it("says why it knows nothing where it may not read, and begins when it may", async () => {
    const allow = cluster.forbid({ group: "batch", resource: "jobs" });
    const watch = await start();
    expect(watch.table.view()).toBeUndefined();
    expect(watch.doubt).toContain(
      'the rule to add is apiGroups: ["batch"], resources: ["jobs"], verbs: ["list", "watch"]',
    );
    allow();
    await cluster.settle({ advance: 60_000 });
    expect(watch.doubt).toBeUndefined();
    expect(watch.table.view()).toBeDefined();
  });

  it("begins where a cache stands, and confirms it by the next closing bookmark", async () => {
    const stands = BigInt(addJob());
    const stopOthers = moveOthers();
    await cluster.settle({ advance: 60_000 });
    const watch = await start({ beginAt: () => stands });
    await cluster.settle({ advance: 13_000 });
    const now = clock.monotonic();
    const seen = { version: stands, sentAt: now, receivedAt: now, scope: "same" } as const;
    const view = watch.table.view();
    expect(view?.start).toBe(stands);
    expect(view && lagBounds(view, seen)).toMatchObject({ minMs: 0, maxMs: expect.any(Number), eventsBehind: 0 });
    expect(allRestarts()).toBe(0);
    stopOthers();
  });

  it("knows what a cache misses that stood still since before it began", async () => {
    const stands = BigInt(addJob());
    const missed = BigInt(addJob());
    await cluster.settle({ advance: 60_000 });
    const watch = await start({ beginAt: () => stands });
    await cluster.settle({ advance: 20_000 });
    const now = clock.monotonic();
    const view = watch.table.view();
    expect(view?.points).toMatchObject([{ first: missed, notBefore: Number.NEGATIVE_INFINITY }]);
    const bounds = view && lagBounds(view, { version: stands, sentAt: now, receivedAt: now, scope: "same" });
    expect(bounds).toMatchObject({ minMs: 20_000, maxMs: undefined, eventsBehind: 1 });
  });

  it("begins at a read where the server has forgotten what the cache misses", async () => {
    const stands = BigInt(addJob());
    addJob();
    cluster.compact();
    const watch = await start({ beginAt: () => stands });
    await cluster.settle({ advance: 20_000 });
    const { points = [] } = watch.table.view() ?? {};
    expect(points).toMatchObject([{ first: stands + 1n, events: 0 }]);
    expect(restarts("expired")).toBe(1);
    const missed = addJob();
    await cluster.settle();
    expect(watch.table.lastEvent?.version).toBe(missed);
  });

  it("says where a gap is when the server has forgotten what came between", async () => {
    const watch = await start();
    addJob();
    await cluster.settle({ advance: 100 });
    cluster.faults.breakWatches(resources.jobs);
    const missed = addJob();
    cluster.compact();
    await cluster.settle({ advance: 30_000 });
    const after = addJob();
    await cluster.settle({ advance: 100 });
    const points = watch.table.view()?.points ?? [];
    expect(points.map(({ events }) => events)).toEqual([1, 0, 1]);
    expect(points[1]?.last).toBeGreaterThanOrEqual(BigInt(missed));
    expect(points[2]?.first).toBe(BigInt(after));
    expect(restarts("expired")).toBe(1);
  });

  it("loses nothing when its connection breaks, and is in doubt until a read has spoken", async () => {
    const watch = await start();
    cluster.faults.breakWatches(resources.jobs);
    const versions = [addJob(), addJob()];
    await cluster.settle();
    expect(watch.doubt).toMatch(/jobs/);
    await cluster.settle({ advance: 5_000 });
    expect(watch.doubt).toBeUndefined();
    expect(watch.table.view()?.points.map(({ first }) => String(first))).toEqual(versions);
    expect(restarts("broken")).toBe(1);
  });

  it("begins anew when the cluster was restored from an older snapshot", async () => {
    const watch = await start();
    const old = cluster.currentVersion();
    for (let i = 0; i < 5; i += 1) addJob();
    await cluster.settle({ advance: 100 });
    cluster.faults.rollback(old);
    await cluster.settle();
    expect(watch.doubt).toBeDefined();
    await cluster.settle({ advance: 30_000 });
    expect(watch.table.rewinds).toBe(1);
    expect(watch.doubt).toBeUndefined();
    const version = addJob();
    await cluster.settle({ advance: 100 });
    expect(watch.table.view()).toMatchObject({ start: BigInt(old), position: BigInt(version) });
  });

  it("finds a restore that did not cut its watch by the next probe", async () => {
    const watch = await start();
    const old = cluster.currentVersion();
    for (let i = 0; i < 5; i += 1) addJob();
    await cluster.settle({ advance: 100 });
    cluster.faults.halfOpen(resources.jobs);
    cluster.faults.rollback(old);
    await cluster.settle({ advance: 12_000 });
    expect(watch.table.rewinds).toBe(1);
    const version = addJob();
    await cluster.settle({ advance: 30_000 });
    expect(watch.table.view()).toMatchObject({ start: BigInt(old), position: BigInt(version) });
  });
});

describe("a dead watch", () => {
  // To its reader a half-open watch and one that is silently withheld are alike: it is open, and nothing comes.
  it.each([0, 7_000, 14_900, 45_000, 59_500, 61_000, 290_000])(
    "is found within 100 s by what only a verification watch sees, %s ms after it began, and replaced",
    async (after) => {
      const stopOthers = moveOthers();
      const watch = await start({ prompt: false, probeIntervalMs: 15_000 });
      await cluster.settle({ advance: after });
      cluster.faults.halfOpen(resources.jobs);
      const first = addJob();
      await cluster.settle({ advance: 100_000 });
      expect(restarts("dead")).toBe(1);
      expect(watch.table.lastEvent?.version).toBe(first);
      const second = addJob();
      await cluster.settle({ advance: 100 });
      expect(watch.table.lastEvent?.version).toBe(second);
      expect(allRestarts()).toBe(1);
      stopOthers();
    },
  );

  it("that is cut is opened again within seconds", async () => {
    const watch = await start({ prompt: false });
    cluster.faults.breakWatches(resources.jobs);
    const version = addJob();
    await cluster.settle({ advance: 4_000 });
    expect(watch.table.lastEvent?.version).toBe(version);
    expect(allRestarts()).toBe(restarts("broken"));
  });

  it("is not seen in one that is only half a second later than the verification watch", async () => {
    let replica = 0;
    await using two = await EmbeddedCluster.start({ clock, replicas: 2 });
    (two.replicas[0] as { lagMs: number }).lagMs = 500;
    two.faults.withholdBookmarks(resources.jobs);
    const client = new KubeClient({ transport: two.transport({ replica: () => replica }), env: recorded.env });
    const watch = await start({ client, prompt: false, probeIntervalMs: 15_000 });
    two.objects.create(resources.configMaps, { metadata: { name: "other", namespace: "shop" } });
    // Asked at 15.5 s and not passed by 93.5 s: another API server is watched until 97.5 s. The event is sent there just before.
    await two.settle({ advance: 92_000 });
    replica = 1;
    await two.settle({ advance: 5_400 });
    two.objects.create(resources.jobs, { metadata: { name: "late", namespace: "shop" } });
    await two.settle({ advance: 20 });
    expect(watch.table.lastEvent?.version).toBe(two.currentVersion());
    await two.settle({ advance: 3_000 });
    expect(allRestarts()).toBe(0);
    stop.abort();
    await two.settle();
  });

  it("leaves nothing behind when everything ends while it is being found out", async () => {
    const stopOthers = moveOthers();
    await start({ prompt: false, probeIntervalMs: 15_000 });
    cluster.faults.halfOpen(resources.jobs);
    await cluster.settle({ advance: 94_000 });
    expect(cluster.openWatches(resources.jobs)).toBe(2);
    stopOthers();
    stop.abort();
    await cluster.settle();
    await Promise.all(running);
    expect(cluster.openWatches(resources.jobs)).toBe(0);
    expect(clock.waitingTimers).toBe(0);
  });

  it("of a kind that matters ends by its timeout anyway", async () => {
    const watch = await start();
    cluster.faults.halfOpen(resources.jobs);
    const version = addJob();
    await cluster.settle({ advance: 50_000 });
    expect(watch.table.lastEvent?.version).toBe(version);
  });

  it.each([
    ["bookmarks are withheld", resources.jobs as Resource, "batch", true],
    ["bookmarks are never sent (events)", resources.events as Resource, "", false],
  ])("is not seen in an idle kind whose %s", async (_, resource, group, withheld) => {
    const stopOthers = moveOthers();
    if (withheld) cluster.faults.withholdBookmarks(resource);
    const watch = await start({ resource, prompt: false });
    await cluster.settle({ advance: 900_000 });
    expect(allRestarts(resource.resource, group)).toBe(0);
    // Nobody can say more than what the last read that was passed said.
    expect(lagAtHead(watch).maxMs).toBeGreaterThan(800_000);
    stopOthers();
  });

  it("is not seen in an idle healthy kind, whose verification costs nothing but a short watch", async () => {
    const stopOthers = moveOthers();
    await start({ prompt: false });
    await cluster.settle({ advance: 1_800_000 });
    expect(allRestarts()).toBe(0);
    expect(cluster.openWatches(resources.jobs)).toBe(1);
    stopOthers();
  });
});
