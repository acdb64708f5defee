import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { CachesAnswer, CacheView } from "../../src/http/index.ts";
import { OwnCaches } from "../../src/lag/index.ts";
import { resources } from "../../src/resources/index.ts";
import { EmbeddedCluster } from "../../src/testing/index.ts";
import { lateWatches } from "../lag/late-watches.ts";
import { type Rig, startSidecar } from "./rig.ts";

let cluster: EmbeddedCluster;
let delayMs: number;
beforeEach(async () => {
  cluster = await EmbeddedCluster.start();
  delayMs = 0;
});
afterEach(() => cluster[Symbol.asyncDispose]());

/** A sidecar whose own caches are late by `delayMs`; the watches beside them are not. */
function start(more: Parameters<typeof startSidecar>[1] = {}): Promise<Rig> {
  const transport = lateWatches(cluster.transport(), cluster.clock, () => delayMs);
  return startSidecar(cluster, { cluster: { server: "embedded", transport }, ...more });
}

function addJob(name: string): void {
  cluster.objects.create(resources.jobs, { metadata: { name, namespace: "shop" } });
}

async function jobsCache(sidecar: Rig): Promise<CacheView> {
  const { caches } = await sidecar.json<CachesAnswer>("/api/v1/caches");
  return caches.find(({ resource }) => resource === "jobs") as CacheView;
}

describe("the lag of the sidecar's own caches", () => {
  it("is told between bounds that hold, in the API, the metrics and /readyz, which does not fail", async () => {
    await using sidecar = await start();
    await cluster.settle({ advance: 30_000 });
    expect(await jobsCache(sidecar)).toMatchObject({ state: "fresh", lagMinSeconds: 0, eventsBehind: 0 });
    delayMs = 45_000;
    addJob("a");
    addJob("b");
    await cluster.settle({ advance: 41_000 });
    const late = await jobsCache(sidecar);
    expect(late).toMatchObject({ target: "self", state: "lagging", eventsBehind: 2 });
    expect(late.lagMinSeconds).toBeLessThanOrEqual(41);
    expect(late.lagMinSeconds).toBeGreaterThan(40.9);
    expect(late.lagMaxSeconds).toBeGreaterThanOrEqual(41);
    expect(late.lagMaxSeconds).toBeLessThanOrEqual(41 + 18.5);
    const { body } = await sidecar.get("metrics", "/metrics");
    const labels = '{target="self",name="stalewatch",group="batch",version="v1",resource="jobs"';
    expect(body).toContain(`stalewatch_cache_lag_min_seconds${labels}} 41`);
    expect(body).toContain(`stalewatch_cache_events_behind${labels}} 2`);
    expect(body).toContain(`stalewatch_cache_state${labels},state="lagging"} 1`);
    expect(body).toContain(`stalewatch_cache_state${labels},state="fresh"} 0`);
    expect(body).toContain('stalewatch_head_resource_version{group="batch",version="v1",resource="jobs"} ');
    const ready = await sidecar.get("health", "/readyz?verbose");
    expect(ready.status).toBe(200);
    expect(ready.body).toMatch(/^\[\+\]cache-jobs\.v1\.batch ok: lagging, late by 41s at least$/m);
    await cluster.settle({ advance: 40_000 });
    expect(await jobsCache(sidecar)).toMatchObject({ state: "fresh", lagMinSeconds: 0, eventsBehind: 0 });
  });

  it("is looked at once a cache for a readiness check, whatever the number of kinds", async () => {
    const answered = vi.spyOn(OwnCaches.prototype, "answer");
    const watch = ["events", "namespaces", "nodes"].map((resource) => ({ group: "", version: "v1", resource }));
    await using sidecar = await start({ watch });
    answered.mockClear();
    expect((await sidecar.get("health", "/readyz")).status).toBe(200);
    expect(answered.mock.calls.length).toBeGreaterThan(0);
    const informers = answered.mock.calls.map(([informer]) => informer);
    expect(new Set(informers).size).toBe(informers.length);
  });

  it.each([
    [{ strictReadiness: true }, 500],
    [{ strictReadiness: false }, 200],
  ])("fails /readyz while it is too much only with %j", async (options, status) => {
    await using sidecar = await start(options);
    await cluster.settle({ advance: 30_000 });
    expect((await sidecar.get("health", "/readyz")).status).toBe(200);
    delayMs = 45_000;
    addJob("a");
    await cluster.settle({ advance: 41_000 });
    expect((await sidecar.get("health", "/readyz")).status).toBe(status);
    expect((await sidecar.get("health", "/healthz")).status).toBe(200);
    await cluster.settle({ advance: 40_000 });
    expect((await sidecar.get("health", "/readyz")).status).toBe(200);
  });

  it("finds a cache whose watch has died, and lists it again", async () => {
    await using sidecar = await start();
    await cluster.settle({ advance: 10_000 });
    delayMs = 10_000_000;
    addJob("a");
    await cluster.settle({ advance: 69_000 });
    expect(await jobsCache(sidecar)).toMatchObject({ state: "lagging" });
    delayMs = 0;
    await cluster.settle({ advance: 7_000 });
    expect(sidecar.lines).toContainEqual({
      level: "warn",
      message: "a cache has stalled and is listed again",
      fields: { resource: "jobs.v1.batch", name: "stalewatch" },
    });
    expect(await jobsCache(sidecar)).toMatchObject({ state: "fresh", informer: { objects: 1 } });
  });

  it("has no upper bound with --probe-interval 0, and is then unknown unless it is proved", async () => {
    await using sidecar = await start({ probeIntervalMs: 0 });
    await cluster.settle({ advance: 30_000 });
    const quiet = await jobsCache(sidecar);
    expect(quiet).toMatchObject({ state: "unknown", lagMinSeconds: 0, lagMaxSeconds: null, confirmedBy: null });
    expect(quiet.why).toContain("--probe-interval");
    expect((await sidecar.get("metrics", "/metrics")).body).not.toMatch(/^stalewatch_cache_lag_max_seconds\{/m);
    delayMs = 60_000;
    addJob("a");
    await cluster.settle({ advance: 31_000 });
    expect(await jobsCache(sidecar)).toMatchObject({ state: "lagging", lagMaxSeconds: null, eventsBehind: 1 });
  });

  it("is rewind or unknown after a restore, and then goes on", async () => {
    await using sidecar = await start();
    addJob("a");
    await cluster.settle({ advance: 5_000 });
    const snapshot = cluster.currentVersion();
    for (const name of ["b", "c", "d"]) addJob(name);
    await cluster.settle({ advance: 5_000 });
    cluster.faults.rollback(snapshot);
    await cluster.settle();
    expect((await jobsCache(sidecar)).state).toMatch(/unknown|rewind/);
    await cluster.settle({ advance: 60_000 });
    expect(await jobsCache(sidecar)).toMatchObject({ state: "fresh", storeResourceVersion: snapshot });
  });

  it("raises no alarm and restarts nothing in an hour without a change but of other kinds", async () => {
    await using sidecar = await start();
    const states = new Set<string>();
    for (let minute = 0; minute < 60; minute += 1) {
      cluster.objects.create(resources.configMaps, { metadata: { name: `m${minute}`, namespace: "shop" } });
      await cluster.settle({ advance: 60_000 });
      const { caches } = await sidecar.json<CachesAnswer>("/api/v1/caches");
      for (const { state } of caches) states.add(state);
    }
    expect([...states]).toEqual(["fresh"]);
    const { body } = await sidecar.get("metrics", "/metrics");
    expect(body).toMatch(/^stalewatch_head_watch_restarts_total\{/m);
    expect(body).not.toMatch(/^stalewatch_head_watch_restarts_total\{.*\} [1-9]/m);
    expect(sidecar.lines.filter(({ level }) => level !== "info")).toEqual([]);
  });
});
