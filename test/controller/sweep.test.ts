import { describe, expect, test } from "vitest";
import { seededRandom, sleep } from "../../src/base/index.ts";
import { Controller, type ControllerOptions } from "../../src/controller/index.ts";
import { resources } from "../../src/resources/index.ts";
import { jobFor, type Run, runs } from "./objects.ts";
import { Rig, type RigOptions } from "./rig.ts";

const { jobs } = resources;
const PERIOD_MS = 600_000;
const own = { controller: "runner" };

async function sweeping(
  sweep: NonNullable<ControllerOptions<Run, never>["sweep"]>,
  more: RigOptions = {},
): Promise<Rig> {
  const rig = await Rig.make({ syncPeriod: PERIOD_MS, ...more });
  await rig.run(new Controller<Run>("runner", { for: runs, owns: [jobs], reconcile: () => {}, sweep }));
  return rig;
}

function sweeps(rig: Rig, result: string): number | undefined {
  return rig.meter.value("stalewatch_sweeps_total", { ...own, result });
}

describe("a sweep", () => {
  test("comes once a sync period, sooner or later by up to a tenth", async () => {
    const at: number[] = [];
    let startedAt = 0;
    await using rig = await sweeping(() => void at.push(rig.clock.monotonic()), { random: seededRandom(7) });
    startedAt = rig.clock.monotonic();
    await rig.settle(100 * PERIOD_MS);
    const gaps = at.map((time, nth) => time - (at[nth - 1] ?? startedAt));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0.9 * PERIOD_MS);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(1.1 * PERIOD_MS);
    expect(Math.max(...gaps) - Math.min(...gaps)).toBeGreaterThan(0.15 * PERIOD_MS);
    expect(at.length).toBeGreaterThan(95);
    expect(sweeps(rig, "success")).toBe(at.length);
  });

  test("finds what no pass does: an object whose owner is gone", async () => {
    await using rig = await sweeping(async ({ cached, write }) => {
      const owners = new Set(
        cached(runs)
          .list()
          .map(({ metadata }) => metadata.uid),
      );
      for (const { metadata } of cached(jobs).list()) {
        const owner = metadata.ownerReferences?.[0];
        if (owner && !owners.has(owner.uid)) await write.delete(jobs, metadata, { uid: metadata.uid });
      }
    });
    const run = rig.createRun("export");
    for (const uid of [run.metadata.uid, "uid-of-one-that-is-gone"]) {
      const ownerReferences = [{ apiVersion: "example.com/v1", kind: "Run", name: "export", uid, controller: true }];
      const { spec } = jobFor(run);
      const metadata = { name: `of-${uid}`, namespace: "shop", ownerReferences };
      rig.cluster.objects.create(jobs, { metadata, spec });
    }
    await rig.settle(PERIOD_MS);
    expect(rig.jobs().map(({ metadata }) => metadata.name)).toEqual([`of-${run.metadata.uid}`]);
  });

  test("that fails is counted and logged, and the next one comes", async () => {
    await using rig = await sweeping(() => {
      throw new Error("no list today");
    });
    await rig.settle(3 * PERIOD_MS);
    expect(sweeps(rig, "error")).toBe(3);
    expect(rig.lines.filter(({ message }) => message.startsWith("a sweep failed"))).toHaveLength(3);
    expect(rig.lines).toContainEqual(
      expect.objectContaining({ level: "error", controller: "runner", error: "no list today" }),
    );
  });

  test("is not joined by a second one while it lasts", async () => {
    let running = 0;
    let most = 0;
    await using rig = await sweeping(async ({ signal }) => {
      running += 1;
      most = Math.max(most, running);
      await sleep(rig.clock, 3 * PERIOD_MS, signal);
      running -= 1;
    });
    await rig.settle(8 * PERIOD_MS);
    expect(most).toBe(1);
    expect(sweeps(rig, "success")).toBe(2);
  });

  test("never comes while there is no sync period", async () => {
    await using rig = await sweeping(() => {}, { syncPeriod: 0 });
    await rig.settle(100 * PERIOD_MS);
    expect(sweeps(rig, "success")).toBeUndefined();
  });

  test("under way may end before the manager does, and none begins after the stop", async () => {
    let ended = 0;
    await using rig = await sweeping(async ({ signal }) => {
      await sleep(rig.clock, 10_000, signal);
      ended += 1;
    });
    await rig.settle(PERIOD_MS);
    expect(rig.status.sweeping).toBe(true);
    rig.stop.abort();
    await rig.settle(10_000);
    await rig.ended;
    expect(ended).toBe(1);
    expect(rig.clock.waitingTimers).toBe(0);
  });

  test("that does not end in time has its signal aborted", async () => {
    let aborted = false;
    await using rig = await sweeping(async ({ signal }) => {
      signal.addEventListener("abort", () => (aborted = true));
      await sleep(rig.clock, PERIOD_MS, signal);
    });
    await rig.settle(PERIOD_MS);
    rig.stop.abort();
    await rig.settle(29_999);
    expect(aborted).toBe(false);
    await rig.settle(1);
    await rig.ended;
    expect(aborted).toBe(true);
    expect(rig.lines).toContainEqual(expect.objectContaining({ level: "warn", passes: "runner (its sweep)" }));
  });
});
