import { describe, expect, test } from "vitest";
import { Controller } from "../../src/controller/index.ts";
import { resources } from "../../src/resources/index.ts";
import { jobFor, type Run, runs } from "./objects.ts";
import { Rig } from "./rig.ts";

const { jobs } = resources;
const OWNERS = 1_000;
const stale = { controller: "runner", group: "batch", resource: "jobs" };

/** Gives each Run one Job and says so in its status, by what its cache shows. */
function runner(): Controller<Run> {
  return new Controller("runner", {
    for: runs,
    owns: [jobs],
    concurrency: 4,
    async reconcile({ object: run, cached, write }) {
      if (cached(jobs).ownedBy(run).length === 0) {
        await write.create(jobs, jobFor(run));
      }
      await write.patchStatus(run, { phase: "Started" });
    },
  });
}

/** Owners whose children's cache is 500 ms late, for as long as it takes. */
async function childrenOf(owners: number, featureGates: string): Promise<Rig> {
  const rig = await Rig.make({ featureGates });
  await rig.run(runner());
  rig.cluster.faults.delay(jobs, 500);
  for (let nth = 0; nth < owners; nth++) rig.createRun(`run-${nth}`);
  await rig.settle(60_000);
  return rig;
}

describe("a controller that makes one child an owner, with the children's cache 500 ms late", () => {
  test("waiting for its own writes, makes exactly one each; skips are counted and waits timed", async () => {
    await using rig = await childrenOf(OWNERS, "");
    const owners = rig.jobs().map(({ metadata }) => metadata.ownerReferences?.[0]?.name);
    expect(owners).toHaveLength(OWNERS);
    expect(new Set(owners).size).toBe(OWNERS);

    const skips = rig.meter.value("stale_sync_skips_total", stale) ?? 0;
    const waits = rig.meter.observed("stale_sync_wait_seconds", stale);
    expect(skips).toBeGreaterThanOrEqual(OWNERS);
    expect(waits).toHaveLength(OWNERS);
    expect(Math.max(...waits)).toBeLessThanOrEqual(0.5);
    expect(Math.min(...waits)).toBeGreaterThan(0);
    expect(rig.status.passes.skipped).toBe(skips);
    expect(rig.status.waitingForCache).toBe(0);
    // Every wait ended by the cache's own progress, never by the fallback.
    const lag = { controller: "runner", interval: "LagRequeue" };
    expect(rig.meter.value("requeues_total", { ...lag, outcome: "fired" })).toBe(0);
    expect(rig.meter.value("requeues_total", { ...lag, outcome: "superseded" })).toBe(skips);
  });

  test("with the gate off, the same controller makes duplicates and skips nothing", async () => {
    await using rig = await childrenOf(OWNERS, "StaleControllerConsistencyRun=false");
    expect(rig.jobs().length).toBeGreaterThan(OWNERS);
    expect(rig.meter.value("stale_sync_skips_total", stale)).toBe(0);
    expect(rig.status.passes.skipped).toBe(0);
  });
});

describe("a key whose cache trails", () => {
  test("falls back on LagRequeue while nothing moves the cache, and is woken by a bookmark alone", async () => {
    await using rig = await Rig.make();
    await rig.run(runner());
    rig.cluster.faults.dropNext(jobs, 1);
    rig.createRun("export");
    await rig.settle(12_000);
    // The event is lost and no bookmark has come: skipped at once and after each 5 s.
    const skippedEarly = rig.meter.value("stale_sync_skips_total", stale);
    expect(skippedEarly).toBe(3);
    expect(rig.meter.observed("stale_sync_wait_seconds", stale)).toEqual([]);
    await rig.settle(120_000);
    expect(rig.meter.observed("stale_sync_wait_seconds", stale)).toHaveLength(1);
    expect(rig.meter.value("stalewatch_reconcile_triggers_total", { controller: "runner", trigger: "caught_up" })).toBe(
      1,
    );
  });

  test("changes nothing else while it is skipped, and its reconcile is not called", async () => {
    await using rig = await Rig.make();
    await rig.run(runner());
    rig.cluster.faults.delay(jobs, 500);
    rig.createRun("export");
    await rig.settle(100);
    const before = { ...rig.status.passes };
    rig.takeRequests();
    rig.cluster.objects.patch(runs, "shop/export", { metadata: { labels: { touched: "yes" } } });
    await rig.settle(100);
    expect(rig.takeRequests()).toEqual([]);
    expect(rig.status.passes).toEqual({ ...before, skipped: before.skipped + 1 });
    expect(rig.status.waitingForCache).toBe(1);
  });

  test("is ready again when its object was deleted and made anew", async () => {
    await using rig = await Rig.make();
    await rig.run(runner());
    rig.cluster.faults.delay(jobs, 30_000);
    rig.createRun("export");
    await rig.settle(100);
    rig.cluster.objects.delete(runs, "shop/export");
    await rig.settle(100);
    expect(rig.status.waitingForCache).toBe(0);
    const again = rig.createRun("export");
    await rig.settle(100);
    const mine = rig.jobs().filter(({ metadata }) => metadata.ownerReferences?.[0]?.uid === again.metadata.uid);
    expect(mine).toHaveLength(1);
  });
});
