import { describe, expect, test } from "vitest";
import { sleep } from "../../src/base/index.ts";
import { Controller, type ControllerOptions, defineWatch, type Pass } from "../../src/controller/index.ts";
import { defineInterval, type Requeue } from "../../src/requeue/index.ts";
import { type ConfigMap, type DeepReadonly, type ObjectRef, resources } from "../../src/resources/index.ts";
import { type Run, runs } from "./objects.ts";
import { Rig } from "./rig.ts";

const { configMaps } = resources;
const Approval = defineInterval({ name: "Approval", sort: "wait", duration: "90s" });
const Drift = defineInterval({ name: "Drift", sort: "schedule", duration: "30m" });
const Failed = defineInterval({ name: "Failed", sort: "backoff", duration: "1m" });
const own = { controller: "runner" };
const HOUR = 3_600_000;

function ended(rig: Rig, interval: string): Record<string, number | undefined> {
  const count = (outcome: string): number | undefined =>
    rig.meter.value("requeues_total", { ...own, interval, outcome });
  return { fired: count("fired"), superseded: count("superseded"), dropped: count("dropped") };
}

/** One worker, which a second object keeps busy past the time of the first one's requeue: what is reported, and what is true. */
async function late(busyMs: number, jumpMs = 0): Promise<{ reported: readonly number[]; truth: number[] }> {
  await using rig = await Rig.make();
  const truth: number[] = [];
  let dueAt: number | undefined;
  await rig.run(
    new Controller("runner", {
      for: runs,
      intervals: [Approval],
      async reconcile({ key, requeue, signal }) {
        const now = rig.clock.monotonic();
        if (key === "shop/busy") return sleep(rig.clock, 40_000 + busyMs, signal);
        if (dueAt !== undefined) return void truth.push(now - dueAt);
        dueAt = now + Approval.ms;
        return requeue.after(Approval);
      },
    }),
  );
  rig.createRun("export");
  await rig.settle(50_000);
  rig.createRun("busy");
  await rig.settle();
  rig.clock.shiftWall(jumpMs);
  await rig.settle(10 * 60_000);
  return { reported: rig.meter.observed("requeue_lateness_seconds", { ...own, interval: "Approval" }), truth };
}

async function waiting(more: Partial<ControllerOptions<Run, "Approval">> = {}): Promise<Rig> {
  const rig = await Rig.make();
  rig.createRun("export");
  await rig.run(
    new Controller("runner", {
      for: runs,
      intervals: [Approval],
      reconcile: ({ requeue }) => requeue.after(Approval),
      ...more,
    }),
  );
  return rig;
}

function account(rig: Rig): unknown {
  return rig.status.intervals.find(({ interval }) => interval.name === "Approval");
}

describe("a requeue's lateness", () => {
  test.each([0, 1, 250, 7_000, 180_000])("is the %i ms that the worker was busy with something else", async (ms) => {
    const { reported, truth } = await late(ms);
    expect(truth).toEqual([ms]);
    expect(reported).toEqual([ms / 1_000]);
  });

  test.each([-HOUR, HOUR])("is the same when the wall clock jumps by %i ms", async (jumpMs) => {
    const { reported } = await late(7_000, jumpMs);
    expect(reported).toEqual([7]);
  });
});

describe("how a requeue ends", () => {
  test("fired, when its time comes first", async () => {
    await using rig = await waiting();
    await rig.settle(90_000);
    expect(ended(rig, "Approval")).toEqual({ fired: 1, superseded: 0, dropped: 0 });
    expect(account(rig)).toMatchObject({ asked: 2, fired: 1, superseded: 0, dropped: 0, late: { mean: 0, max: 0 } });
  });

  test("superseded, when an event comes first", async () => {
    await using rig = await waiting();
    await rig.settle(89_999);
    rig.cluster.objects.patch(runs, "shop/export", { spec: { approved: false } });
    await rig.settle(1);
    expect(ended(rig, "Approval")).toEqual({ fired: 0, superseded: 1, dropped: 0 });
    expect(account(rig)).toMatchObject({ asked: 2, superseded: 1 });
  });

  test("dropped, when the controller stops first, which says so", async () => {
    await using rig = await waiting();
    rig.stop.abort();
    await rig.settle();
    await rig.ended;
    expect(ended(rig, "Approval")).toEqual({ fired: 0, superseded: 0, dropped: 1 });
    expect(rig.lines).toContainEqual({
      level: "info",
      message: "stopped with keys waiting for their time",
      controller: "runner",
      waiting: 1,
    });
  });
});

type Copy = Pass<Run, "Approval" | "Drift" | "Failed">;

/** What its ConfigMap says ends up in the status of a Run. */
async function copy({ object, cached, write }: Copy): Promise<Requeue | undefined> {
  const note = cached(configMaps).get(object.metadata)?.data?.["note"] ?? "none";
  if (object.status?.note !== note) await write.patchStatus(object, { note });
  return undefined;
}

const byName = ({ metadata }: DeepReadonly<ConfigMap>): ObjectRef[] => [
  { namespace: metadata.namespace ?? "", name: metadata.name },
];

interface Copying {
  readonly rig: Rig;
  /** While true, the map of the watch throws: the changes are in the cache, and no key is told. */
  readonly lose: { now: boolean; by: () => ObjectRef[] };
}

/** A Run whose ConfigMap's note was copied; a resync every ten minutes. */
async function copying(reconcile: (pass: Copy) => ReturnType<typeof copy> = copy): Promise<Copying> {
  const rig = await Rig.make({ syncPeriod: "10m", traced: true });
  const lose: Copying["lose"] = {
    now: false,
    by: () => {
      throw new Error("a bug in the user's map");
    },
  };
  const watch = defineWatch(configMaps, (object) => (lose.now ? lose.by() : byName(object)));
  rig.createRun("export");
  const metadata = { name: "export", namespace: "shop", labels: { team: "a" } };
  rig.cluster.objects.create(configMaps, { metadata, data: { note: "first" } });
  await rig.run(
    new Controller("runner", { for: runs, watches: [watch], intervals: [Approval, Drift, Failed], reconcile }),
  );
  expect(noteOf(rig)).toBe("first");
  return { rig, lose };
}

function noteOf(rig: Rig): string | undefined {
  return rig.cluster.objects.get(runs, "shop/export")?.status?.note;
}

function rescues(rig: Rig): Record<string, number | undefined> {
  const count = (trigger: string): number | undefined =>
    rig.meter.value("stalewatch_rescues_total", { ...own, trigger });
  return { resync: count("resync"), requeue: count("requeue") };
}

async function change(rig: Rig, note: string): Promise<void> {
  rig.cluster.objects.patch(configMaps, "shop/export", { data: { note } });
  await rig.settle();
}

const NONE = { resync: 0, requeue: 0 };

describe("a rescue", () => {
  test("is one resync that acts on a change whose trigger was lost between cache and queue", async () => {
    const { rig, lose } = await copying();
    await using _ = rig;
    lose.now = true;
    await change(rig, "second");
    lose.now = false;
    expect(noteOf(rig)).toBe("first");
    await rig.settle(2 * HOUR);
    expect(noteOf(rig)).toBe("second");
    expect(rescues(rig)).toEqual({ resync: 1, requeue: 0 });
    expect(rig.status.rescues).toEqual({ resync: 1, requeue: 0 });
    const marked = rig.tracer.passes("runner").filter(({ attributes }) => attributes["stalewatch.rescue"]);
    expect(marked.map(({ attributes }) => attributes["stalewatch.triggers"])).toEqual([["resync"]]);
    const { resourceVersion } = rig.cluster.objects.get(configMaps, "shop/export")?.metadata ?? {};
    expect(rig.lines.filter(({ message }) => message.includes("its trigger was lost"))).toEqual([
      {
        level: "warn",
        message: "a pass acted on a change that had not started it: its trigger was lost",
        controller: "runner",
        key: "shop/export",
        by: "resync",
        missed: `configmaps.v1 shop/export at version ${resourceVersion}`,
      },
    ]);
  });

  test("is none when the trigger is not lost", async () => {
    const { rig } = await copying();
    await using _ = rig;
    await change(rig, "second");
    expect(noteOf(rig)).toBe("second");
    await rig.settle(2 * HOUR);
    expect(rescues(rig)).toEqual(NONE);
  });

  test.each<[string, Partial<Copying["lose"]>]>([
    ["throws", {}],
    ["names nobody", { by: () => [] }],
    ["names somebody else", { by: () => [{ namespace: "shop", name: "other" }] }],
  ])("is one whose watch's map %s", async (_what, how) => {
    const { rig, lose } = await copying();
    await using _ = rig;
    Object.assign(lose, { now: true, ...how });
    await change(rig, "second");
    await rig.settle(2 * HOUR);
    expect(noteOf(rig)).toBe("second");
    expect(rescues(rig)).toEqual({ resync: 1, requeue: 0 });
  });

  test("is a wait that fires, too, and is kept account of by the wait's name", async () => {
    const { rig, lose } = await copying(async (pass) => {
      await copy(pass);
      return pass.requeue.after(Approval);
    });
    await using _ = rig;
    lose.now = true;
    await change(rig, "second");
    await rig.settle(90_000);
    expect(noteOf(rig)).toBe("second");
    expect(rescues(rig)).toEqual({ resync: 0, requeue: 1 });
    expect(rig.status.intervals.filter((account) => account.rescues > 0)).toMatchObject([
      { interval: { name: "Approval" }, rescues: 1 },
    ]);
  });

  test.each([
    ["a schedule", Drift],
    ["a backoff", Failed],
  ] as const)("is not %s that does its work, whatever it finds", async (_what, interval) => {
    const { rig, lose } = await copying(async (pass) => {
      await copy(pass);
      return pass.requeue.after(interval, 60_000);
    });
    await using _ = rig;
    lose.now = true;
    await change(rig, "second");
    await rig.settle(60_000);
    expect(noteOf(rig)).toBe("second");
    expect(rescues(rig)).toEqual(NONE);
  });

  test("is no wait whose pass acts on what it read from the server", async () => {
    let theirs = "first";
    const { rig } = await copying(async ({ object, write, requeue }) => {
      if (object.status?.note !== theirs) await write.patchStatus(object, { note: theirs });
      return requeue.after(Approval);
    });
    await using _ = rig;
    theirs = "second";
    await rig.settle(90_000);
    expect(noteOf(rig)).toBe("second");
    expect(rescues(rig)).toEqual(NONE);
  });

  test("is no resync that reads a missed change and has nothing to do", async () => {
    const { rig, lose } = await copying();
    await using _ = rig;
    lose.now = true;
    rig.cluster.objects.patch(configMaps, "shop/export", { metadata: { labels: { touched: "yes" } } });
    await rig.settle(2 * HOUR);
    expect(rescues(rig)).toEqual(NONE);
  });

  test.each<[string, (pass: Copy) => number]>([
    ["by its name", ({ cached, object }) => (cached(configMaps).get(object.metadata) ? 1 : 0)],
    ["by a label", ({ cached }) => cached(configMaps).byLabel("team", "a").length],
    ["in a list, if the map threw", ({ cached }) => cached(configMaps).list("shop").length],
  ])("is found where the object is gone and was asked for %s", async (_what, count) => {
    const { rig, lose } = await copying(async (pass) => {
      const note = count(pass) > 0 ? "first" : "gone";
      if (pass.object.status?.note !== note) await pass.write.patchStatus(pass.object, { note });
      return undefined;
    });
    await using _ = rig;
    lose.now = true;
    rig.cluster.objects.delete(configMaps, "shop/export");
    await rig.settle(2 * HOUR);
    expect(noteOf(rig)).toBe("gone");
    expect(rescues(rig)).toEqual({ resync: 1, requeue: 0 });
  });

  test("is not seen in a list of objects whose map answered", async () => {
    const { rig, lose } = await copying(async ({ cached, object, write }) => {
      const note = cached(configMaps).list("shop")[0]?.data?.["note"] ?? "";
      if (object.status?.note !== note) await write.patchStatus(object, { note });
      return undefined;
    });
    await using _ = rig;
    Object.assign(lose, { now: true, by: () => [] });
    await change(rig, "second");
    await rig.settle(2 * HOUR);
    expect(noteOf(rig)).toBe("second");
    expect(rescues(rig)).toEqual(NONE);
  });
});

describe("an event that is lost before the cache", () => {
  test("is a difference that a list finds, and no rescue", async () => {
    const { rig } = await copying();
    await using _ = rig;
    rig.cluster.faults.dropNext(configMaps, 1);
    await change(rig, "second");
    await rig.settle(30 * 60_000);
    expect(noteOf(rig)).toBe("first");
    rig.cluster.faults.expire(configMaps);
    await rig.settle(HOUR);
    expect(noteOf(rig)).toBe("second");
    expect(rig.meter.total("stalewatch_relist_differences_total", { resource: "configmaps" })).toBe(1);
    expect(rescues(rig)).toEqual(NONE);
  });

  test("is no rescue either when a wait fires between the list and the triggers of its differences", async () => {
    await using rig = await Rig.make();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let relisted = false;
    const watch = defineWatch(configMaps, (object) => {
      if (relisted && object.metadata.name === "a") release();
      return byName(object);
    });
    for (const name of ["busy", "z"]) rig.createRun(name);
    const names = ["a", ...Array.from({ length: 1_000 }, (_, nth) => `m-${nth}`), "z"];
    for (const name of names) {
      rig.cluster.objects.create(configMaps, { metadata: { name, namespace: "shop" }, data: { note: "first" } });
    }
    const passes: string[] = [];
    await rig.run(
      new Controller("runner", {
        for: runs,
        watches: [watch],
        intervals: [Approval],
        async reconcile(pass) {
          if (pass.key === "shop/busy") return pass.object.spec.approved ? undefined : held;
          passes.push(pass.triggers.map(({ kind }) => kind).join());
          const note = pass.cached(configMaps).get(pass.object.metadata)?.data?.["note"] ?? "";
          if (pass.object.status?.note !== note) await pass.write.patchStatus(pass.object, { note });
          return pass.requeue.after(Approval);
        },
      }),
    );
    passes.length = 0;
    rig.cluster.faults.dropNext(configMaps, 2);
    for (const name of ["a", "z"]) rig.cluster.objects.patch(configMaps, `shop/${name}`, { data: { note: "second" } });
    rig.cluster.objects.patch(runs, "shop/busy", { spec: { approved: false } });
    await rig.settle(95_000);
    relisted = true;
    rig.cluster.faults.expire(configMaps);
    await rig.settle(60_000);
    expect(passes[0]).toBe("requeue");
    expect(rig.cluster.objects.get(runs, "shop/z")?.status?.note).toBe("second");
    expect(rig.meter.total("stalewatch_relist_differences_total", { resource: "configmaps" })).toBe(2);
    expect(rescues(rig)).toEqual(NONE);
  });
});

describe("a pass that waited for the controller's own writes", () => {
  test("and runs once they are in the cache, is no rescue", async () => {
    const { rig } = await copying();
    await using _ = rig;
    rig.cluster.faults.dropNext(runs, 1);
    rig.cluster.faults.withholdBookmarks(runs);
    await change(rig, "second");
    await change(rig, "third");
    expect(rig.status.passes.skipped).toBe(1);
    rig.cluster.objects.create(runs, { metadata: { name: "other", namespace: "shop" }, spec: { approved: true } });
    await rig.settle();
    expect(noteOf(rig)).toBe("third");
    await rig.settle(2 * HOUR);
    expect(rescues(rig)).toEqual(NONE);
  });
});
