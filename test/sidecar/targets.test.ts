import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CachesAnswer, CacheView, TargetsAnswer, TargetView } from "../../src/http/index.ts";
import { resources } from "../../src/resources/index.ts";
import { EmbeddedCluster } from "../../src/testing/index.ts";
import { type FakeStore, FakeTarget } from "./fake-target.ts";
import { type Rig, startSidecar } from "./rig.ts";

const NETWORK_POLICIES = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "NetworkPolicy",
  resource: "networkpolicies",
};

let cluster: EmbeddedCluster;
let target: FakeTarget;
beforeEach(async () => {
  cluster = await EmbeddedCluster.start();
  target = new FakeTarget(cluster.clock);
});
afterEach(() => cluster[Symbol.asyncDispose]());

function start(more: Parameters<typeof startSidecar>[1] = {}): Promise<Rig> {
  return startSidecar(cluster, { targets: [target.as("kcm")], ...more });
}

function addJob(name: string): void {
  cluster.objects.create(resources.jobs, { metadata: { name, namespace: "shop" } });
}

/** Publishes the Jobs' cache as it would be now, if it missed nothing. */
function jobsStore(more: Partial<FakeStore> = {}): FakeStore {
  return target.store({ group: "batch", resource: "jobs", value: cluster.currentVersion(), ...more });
}

async function caches(sidecar: Rig): Promise<readonly CacheView[]> {
  const answer = await sidecar.json<CachesAnswer>("/api/v1/caches");
  return answer.caches.filter((cache) => cache.target !== "self");
}

async function cacheOf(sidecar: Rig, resource = "jobs"): Promise<CacheView> {
  const found = (await caches(sidecar)).filter((cache) => cache.resource === resource);
  expect(found).toHaveLength(1);
  return found[0] as CacheView;
}

async function about(sidecar: Rig): Promise<TargetView> {
  const { targets } = await sidecar.json<TargetsAnswer>("/api/v1/targets");
  expect(targets).toHaveLength(1);
  return targets[0] as TargetView;
}

async function metrics(sidecar: Rig): Promise<string> {
  return (await sidecar.get("metrics", "/metrics")).body;
}

describe("a target's cache", () => {
  it("is late between bounds that hold, in the API and the metrics, as of its page", async () => {
    await using sidecar = await start();
    const jobs = jobsStore();
    await cluster.settle({ advance: 30_000 });
    expect(await cacheOf(sidecar)).toMatchObject({ state: "fresh", lagMinSeconds: 0, eventsBehind: 0 });
    addJob("a");
    addJob("b");
    const committedAt = cluster.clock.now();
    await cluster.settle({ advance: 50_000 });
    const late = await cacheOf(sidecar);
    expect(late).toMatchObject({ target: "kcm", name: "kube-controller-manager", group: "batch", version: "v1" });
    expect(late).toMatchObject({ state: "lagging", eventsBehind: 2, storeResourceVersion: jobs.value });
    const truth = (Date.parse(late.observedAt ?? "") - committedAt) / 1_000;
    expect(truth).toBeGreaterThan(35);
    expect(late.lagMinSeconds).toBeLessThanOrEqual(truth);
    expect(late.lagMinSeconds).toBeGreaterThan(truth - 0.1);
    expect(late.lagMaxSeconds).toBeGreaterThanOrEqual(truth);
    expect(late.lagMaxSeconds).toBeLessThanOrEqual(truth + 18.5);
    const page = await metrics(sidecar);
    const labels = '{target="kcm",name="kube-controller-manager",group="batch",version="v1",resource="jobs"';
    expect(page).toContain(`stalewatch_cache_lag_min_seconds${labels}} ${late.lagMinSeconds}\n`);
    expect(page).toContain(`stalewatch_cache_state${labels},state="lagging"} 1`);
    jobs.value = cluster.currentVersion();
    await cluster.settle({ advance: 15_000 });
    expect(await cacheOf(sidecar)).toMatchObject({ state: "fresh", lagMinSeconds: 0, eventsBehind: 0 });
  });

  it("is found by client-go's plural, and unknown where nothing watches it, each with its why", async () => {
    cluster.register(NETWORK_POLICIES);
    cluster.forbid({ resource: "configmaps" });
    await using sidecar = await start();
    await cluster.settle({ advance: 1_000 });
    for (const resource of ["pods", "secrets", "configmaps", "widgets"]) target.store({ resource, value: 900 });
    target.store({ group: "networking.k8s.io", resource: "networkpolicys", value: cluster.currentVersion() });
    target.store({ group: "batch", version: "v1beta1", resource: "jobs", value: 900 });
    await cluster.settle({ advance: 90_000 });
    const found = await caches(sidecar);
    expect(found.map(({ resource, state }) => [resource, state])).toEqual([
      ["pods", "unknown"], // from the future: told below
      ["secrets", "unknown"],
      ["configmaps", "unknown"],
      ["widgets", "unknown"],
      ["networkpolicies", "fresh"],
      ["jobs", "unknown"],
    ]);
    expect(found.map(({ why = "" }) => why)).toEqual([
      expect.stringContaining("another cluster"),
      "Secrets are not watched, by design",
      expect.stringContaining('resources: ["configmaps"], verbs: ["list", "watch"]'),
      expect.stringContaining("serves no kind widgets.v1"),
      "",
      expect.stringContaining("serves no kind jobs.v1beta1.batch"),
    ]);
    expect(await metrics(sidecar)).toContain('resource="networkpolicies",state="fresh"} 1');
    expect(sidecar.lines.filter(({ fields }) => fields["resource"] === "configmaps.v1")).toHaveLength(1);
  });

  it("of a process that may filter is never lagging, unless its scope is declared", async () => {
    const declared = new FakeTarget(cluster.clock);
    await using sidecar = await start({ targets: [target.as("a"), declared.as("b", "all")] });
    const value = cluster.currentVersion();
    for (const each of [target, declared]) each.store({ name: "mine", group: "batch", resource: "jobs", value });
    await cluster.settle({ advance: 30_000 });
    addJob("a");
    await cluster.settle({ advance: 60_000 });
    const [undeclared, all] = await caches(sidecar);
    expect(undeclared).toMatchObject({ target: "a", state: "unknown", lagMinSeconds: 0, eventsBehind: null });
    expect(undeclared?.lagMaxSeconds).toBeGreaterThan(45);
    expect(all).toMatchObject({ target: "b", state: "lagging", eventsBehind: 1 });
  });

  it("that stands still beside what it misses is stalled", async () => {
    await using sidecar = await start();
    jobsStore();
    await cluster.settle({ advance: 30_000 });
    addJob("a");
    await cluster.settle({ advance: 70_000 });
    expect(await cacheOf(sidecar)).toMatchObject({ state: "lagging" });
    await cluster.settle({ advance: 21_000 });
    expect(await cacheOf(sidecar)).toMatchObject({ state: "stalled" });
    expect((await sidecar.get("health", "/readyz")).status).toBe(200);
  });

  it("of a follower is stopped, not late", async () => {
    await using sidecar = await start();
    jobsStore();
    target.more = 'leader_election_master_status{name="kube-controller-manager"} 0\n';
    addJob("a");
    await cluster.settle({ advance: 60_000 });
    expect(await cacheOf(sidecar)).toMatchObject({ state: "stopped", lagMinSeconds: null, lagMaxSeconds: null });
    expect(await about(sidecar)).toMatchObject({ leader: false });
    target.more = 'leader_election_master_status{name="kube-controller-manager"} 1\n';
    await cluster.settle({ advance: 15_000 });
    expect(await cacheOf(sidecar)).toMatchObject({ state: "lagging" });
    expect(await about(sidecar)).toMatchObject({ leader: true });
  });

  it("has no upper bound with --probe-interval 0", async () => {
    await using sidecar = await start({ probeIntervalMs: 0 });
    jobsStore();
    await cluster.settle({ advance: 30_000 });
    expect(await cacheOf(sidecar)).toMatchObject({ state: "unknown", lagMinSeconds: 0, lagMaxSeconds: null });
    addJob("a");
    await cluster.settle({ advance: 60_000 });
    expect(await cacheOf(sidecar)).toMatchObject({ state: "lagging", lagMaxSeconds: null, eventsBehind: 1 });
  });

  it.each([
    ["0", "no version yet"],
    ["NaN", "is no version"],
    ["+Inf", "is no version"],
    ["-1", "is no version"],
    ["12.5", "is no version"],
    ["99999999999999999", "is no version"],
    ["900000000000000", "another cluster"],
  ])("that stands at %s is unknown", async (value, why) => {
    await using sidecar = await start();
    jobsStore({ value });
    await cluster.settle({ advance: 60_000 });
    expect(await cacheOf(sidecar)).toMatchObject({ state: "unknown", why: expect.stringContaining(why) });
  });

  it("is rewind after a restore, until its version drops", async () => {
    await using sidecar = await start();
    addJob("a");
    await cluster.settle({ advance: 5_000 });
    const snapshot = cluster.currentVersion();
    for (const name of ["b", "c", "d"]) addJob(name);
    const jobs = jobsStore();
    await cluster.settle({ advance: 30_000 });
    cluster.faults.rollback(snapshot);
    await cluster.settle({ advance: 40_000 });
    expect(await cacheOf(sidecar)).toMatchObject({ state: "rewind", lagMinSeconds: null });
    jobs.value = snapshot;
    await cluster.settle({ advance: 45_000 });
    expect(await cacheOf(sidecar)).toMatchObject({ state: "fresh" });
  });

  it("that goes back alone is in doubt until a read has spoken, and disturbs no other", async () => {
    await using sidecar = await start();
    const older = cluster.currentVersion();
    addJob("a");
    const jobs = jobsStore();
    await cluster.settle({ advance: 45_000 });
    jobs.value = older;
    await cluster.settle({ advance: 60_000 });
    expect(await cacheOf(sidecar)).toMatchObject({ state: "lagging" });
    expect(await metrics(sidecar)).not.toMatch(/^stalewatch_head_watch_restarts_total\{.*\} [1-9]/m);
  });
});

describe("versions above 15 digits", () => {
  it.each([
    ["modulo 1e15, as client-go publishes them", (version: string) => version.slice(-15).replace(/^0+/, "")],
    ["whole, as a page of 16 digits", (version: string) => version],
  ])("are taken %s", async (_, published) => {
    await using large = await EmbeddedCluster.start({ baseVersion: 10n ** 15n + 5n });
    const other = new FakeTarget(large.clock);
    await using sidecar = await startSidecar(large, { targets: [other.as("kcm")] });
    const jobs = other.store({ group: "batch", resource: "jobs", value: published(large.currentVersion()) });
    await large.settle({ advance: 30_000 });
    expect(await cacheOf(sidecar)).toMatchObject({ state: "fresh", lagMinSeconds: 0 });
    large.objects.create(resources.jobs, { metadata: { name: "a", namespace: "shop" } });
    await large.settle({ advance: 60_000 });
    expect(await cacheOf(sidecar)).toMatchObject({ state: "lagging" });
    jobs.value = published(large.currentVersion());
    await large.settle({ advance: 15_000 });
    expect(await cacheOf(sidecar)).toMatchObject({ state: "fresh" });
  });
});
