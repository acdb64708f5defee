import { describe, expect, test } from "vitest";
import { Expectations, resolveController } from "../../src/consistency/index.ts";
import {
  Controller,
  type ControllerOptions,
  controllerRef,
  defineWatch,
  hasFinalizer,
  type OwnedChange,
  type Pass,
  removeFinalizer,
} from "../../src/controller/index.ts";
import { defineInterval } from "../../src/requeue/index.ts";
import { defineResource, type Job, type ObjectMeta, resources } from "../../src/resources/index.ts";
import { jobFor, type Run, runs } from "./objects.ts";
import { Rig } from "./rig.ts";

const { jobs } = resources;
const TRACKING = "example.com/tracking";

interface Pool {
  metadata: ObjectMeta;
  spec: { size: number };
}

const pools = defineResource<Pool>({ group: "example.com", version: "v1", kind: "Pool", resource: "pools" });

/** Keeps as many Jobs as a Pool's size, by what the cache shows and what is expected; the consistency gate is off. */
class PoolController {
  readonly expectations: Expectations;
  /** Creates and deletes that were sent. */
  readonly sent: string[] = [];

  readonly #heeds: boolean;

  /** `heeds`: whether it waits for what it expects. */
  constructor(rig: Rig, heeds: boolean) {
    this.#heeds = heeds;
    this.expectations = new Expectations({ clock: rig.clock });
  }

  get controller(): Controller<Pool> {
    return new Controller<Pool>("pools", {
      for: pools,
      owns: [jobs],
      reconcile: (pass) => this.#reconcile(pass),
      onOwned: (change) => this.#observe(change),
      gone: ({ namespace, name }) => this.expectations.forget(`${namespace}/${name}`),
    });
  }

  #observe({ owner, event }: OwnedChange): void {
    const { uid, deletionTimestamp } = event.object.metadata;
    if (event.type === "delete" || deletionTimestamp) this.expectations.deletionObserved(owner, uid);
    else if (event.type === "add") this.expectations.creationObserved(owner, uid);
  }

  async #reconcile({ object, key, cached, write }: Pass<Pool>): Promise<void> {
    const { expectations, sent } = this;
    if (this.#heeds && !expectations.satisfied(key)) return;
    const children = cached(jobs).ownedBy(object);
    const missing = object.spec.size - children.length;
    expectations.expectCreations(key, missing);
    for (let nth = 0; nth < missing; nth++) {
      sent.push("create");
      const { metadata } = await write.create(jobs, {
        ...jobFor(object as never),
        metadata: { generateName: `${object.metadata.name}-` },
      });
      expectations.created(key, metadata.uid);
    }
    const surplus = children.slice(object.spec.size);
    expectations.expectDeletions(
      key,
      surplus.map(({ metadata }) => metadata.uid),
    );
    for (const { metadata } of surplus) {
      sent.push("delete");
      await write.delete(jobs, metadata, { uid: metadata.uid, propagationPolicy: "Background" });
    }
  }
}

async function pool(
  heeds = true,
): Promise<{ rig: Rig; control: PoolController; touch: (size: number) => Promise<void> }> {
  const rig = await Rig.make({ featureGates: "StaleControllerConsistencyPool=false" });
  rig.cluster.register({ ...pools, subresources: [] });
  const control = new PoolController(rig, heeds);
  await rig.run(control.controller);
  rig.cluster.faults.delay(jobs, 500);
  rig.cluster.objects.create(pools, { metadata: { name: "blue", namespace: "shop" }, spec: { size: 3 } });
  await rig.settle();
  let touched = 0;
  const touch = async (size: number): Promise<void> => {
    touched += 1;
    const labels = { touched: String(touched) };
    rig.cluster.objects.patch(pools, "shop/blue", { metadata: { labels }, spec: { size } });
    await rig.settle(10);
  };
  return { rig, control, touch };
}

describe("expectations, fed by onOwned", () => {
  test("keep a pass from creating twice while the cache is late, and from deleting twice", async () => {
    const { rig, control, touch } = await pool();
    await using _ = rig;
    await touch(3);
    await touch(3);
    expect(control.sent.splice(0)).toEqual(["create", "create", "create"]);
    await rig.settle(1_000);
    expect(control.expectations.size).toBe(0);
    await touch(1);
    await touch(1);
    await rig.settle(1_000);
    expect(control.sent).toEqual(["delete", "delete"]);
    expect(rig.jobs()).toHaveLength(1);
    expect(control.expectations.size).toBe(0);
  });

  test("are what it takes: unheeded, the same passes create again", async () => {
    const { rig, control, touch } = await pool(false);
    await using _ = rig;
    await touch(3);
    await rig.settle(1_000);
    expect(control.sent.filter((what) => what === "create").length).toBeGreaterThan(3);
  });

  test("end with a tombstone where the event of a delete was lost", async () => {
    const { rig, control, touch } = await pool();
    await using _ = rig;
    await rig.settle(1_000);
    rig.cluster.faults.dropNext(jobs, 1);
    await touch(2);
    await rig.settle(60_000);
    expect(control.expectations.satisfied("shop/blue")).toBe(false);
    rig.cluster.faults.expire(jobs);
    await rig.settle(60_000);
    expect(control.expectations.satisfied("shop/blue")).toBe(true);
    expect(control.sent.filter((what) => what === "delete")).toHaveLength(1);
  });

  test("of a create whose answer was lost are given up after five minutes", async () => {
    const { rig, control, touch } = await pool();
    await using _ = rig;
    await rig.settle(1_000);
    control.sent.length = 0;
    rig.cluster.faults.loseAnswers({ match: { verb: "create", resource: "jobs" }, times: 1 });
    await touch(4);
    await rig.settle(1_000);
    expect(control.sent).toEqual(["create"]);
    expect(control.expectations.satisfied("shop/blue")).toBe(false);
    await rig.settle(5 * 60_000);
    await touch(4);
    expect(rig.jobs()).toHaveLength(4);
    expect(control.sent).toEqual(["create"]);
  });
});

async function changes(more: Partial<ControllerOptions<Run, never>> = {}): Promise<{ rig: Rig; seen: string[] }> {
  const rig = await Rig.make();
  const seen: string[] = [];
  await rig.run(
    new Controller<Run>("runner", {
      for: runs,
      owns: [jobs],
      reconcile: ({ key, triggers }) => void seen.push(`pass ${key} ${triggers.map(({ kind }) => kind).join()}`),
      onOwned: ({ owner, event, resource }) => {
        const tombstone = event.type === "delete" && event.tombstone ? " tombstone" : "";
        seen.push(`${resource.resource} ${event.type}${tombstone} of ${owner}`);
      },
      ...more,
    }),
  );
  return { rig, seen };
}

function child(rig: Rig, owner: Run): Job {
  const metadata = { name: "child", namespace: "shop", ownerReferences: [controllerRef(owner, runs)] };
  return rig.cluster.objects.create(jobs, { ...jobFor(owner), metadata });
}

describe("onOwned", () => {
  test("is told of a change of hands for both owners, before either's pass", async () => {
    const { rig, seen } = await changes();
    await using _ = rig;
    const [before, after] = [rig.createRun("before"), rig.createRun("after")];
    child(rig, before);
    await rig.settle();
    seen.length = 0;
    rig.cluster.objects.patch(jobs, "shop/child", { metadata: { ownerReferences: [controllerRef(after, runs)] } });
    await rig.settle();
    expect(seen).toEqual([
      "jobs update of shop/after",
      "jobs update of shop/before",
      "pass shop/after update",
      "pass shop/before update",
    ]);
  });

  test("is told of a delete whose event was lost, as a tombstone", async () => {
    const { rig, seen } = await changes();
    await using _ = rig;
    child(rig, rig.createRun("export"));
    await rig.settle();
    seen.length = 0;
    rig.cluster.faults.dropNext(jobs, 1);
    rig.cluster.objects.delete(jobs, "shop/child");
    rig.cluster.faults.expire(jobs);
    await rig.settle(60_000);
    expect(seen).toEqual(["jobs delete tombstone of shop/export", "pass shop/export relist"]);
  });

  test("that throws loses no trigger", async () => {
    const { rig, seen } = await changes({
      onOwned: () => {
        throw new Error("a bug in the user's function");
      },
    });
    await using _ = rig;
    child(rig, rig.createRun("export"));
    await rig.settle();
    expect(seen).toEqual(["pass shop/export add"]);
    expect(rig.meter.total("stalewatch_handler_errors_total", { resource: "jobs" })).toBe(1);
  });
});

const Deadline = defineInterval({ name: "Deadline", sort: "schedule", duration: "1m" });

describe("a deadline in the object", () => {
  test.each<[string, number | null, number[]]>([
    ["is kept", 600, [600]],
    ["is put forward", 120, [60, 120]],
    ["has passed already when it is put forward", 30, [60]],
    ["is put off", 900, [60, 900]],
    ["is taken away", null, [60]],
  ])("that %s is met to the millisecond", async (_, changedTo, expected) => {
    await using rig = await Rig.make();
    const startedAt = rig.clock.now();
    const looks: number[] = [];
    const job = rig.cluster.objects.create(jobs, {
      ...jobFor({ metadata: { name: "export" } } as Run),
      metadata: { name: "export", namespace: "shop" },
    });
    rig.cluster.objects.patch(jobs, "shop/export", { spec: { activeDeadlineSeconds: 600 } });
    await rig.run(
      new Controller<Job, "Deadline">("deadlines", {
        for: jobs,
        intervals: [Deadline],
        reconcile({ object, requeue }) {
          const now = rig.clock.now();
          if (now > startedAt) looks.push((now - startedAt) / 1_000);
          const seconds = object.spec.activeDeadlineSeconds;
          if (seconds === undefined) return undefined;
          const leftMs = startedAt + seconds * 1_000 - now;
          return leftMs > 0 ? requeue.after(Deadline, leftMs) : undefined;
        },
      }),
    );
    await rig.settle(60_000);
    if (changedTo !== 600) {
      rig.cluster.objects.patch(jobs, `shop/${job.metadata.name}`, { spec: { activeDeadlineSeconds: changedTo } });
    }
    await rig.settle(3_600_000);
    expect(looks).toEqual(expected);
  });
});

describe("an orphan", () => {
  const forRun = defineWatch(jobs, ({ metadata }) => {
    const run = metadata.labels?.["run"];
    const orphan = !metadata.ownerReferences?.some(({ controller }) => controller);
    return orphan && run ? [{ namespace: metadata.namespace ?? "", name: run }] : [];
  });

  test("that could be somebody's is shown to whom it may concern, who takes it", async () => {
    await using rig = await Rig.make();
    const run = rig.createRun("export");
    const passes: string[] = [];
    await rig.run(
      new Controller<Run>("runner", {
        for: runs,
        owns: [jobs],
        watches: [forRun],
        async reconcile({ object, cached, write, triggers }) {
          passes.push(triggers.map(({ kind }) => kind).join());
          for (const { metadata } of cached(jobs).byLabel("run", object.metadata.name)) {
            if (metadata.ownerReferences?.length) continue;
            const body = { metadata: { uid: metadata.uid, ownerReferences: [controllerRef(object, runs)] } };
            await write.patch(jobs, metadata, { type: "merge", body });
          }
        },
      }),
    );
    const metadata = { name: "found", namespace: "shop", labels: { run: "export" } };
    rig.cluster.objects.create(jobs, { ...jobFor(run), metadata });
    await rig.settle();
    expect(rig.jobs()[0]?.metadata.ownerReferences).toMatchObject([{ uid: run.metadata.uid, controller: true }]);
    expect(passes).toEqual(["add", "add", "update"]);
  });

  test("whose owner is gone is let go by a queue of its own: a second controller, over the dependents", async () => {
    await using rig = await Rig.make();
    const run = rig.createRun("export");
    const keeper = new Controller<Run>("runner", { for: runs, owns: [jobs], reconcile: () => {} });
    const orphans = new Controller<Job>("orphans", {
      for: jobs,
      watches: [defineWatch(runs, () => [])],
      async reconcile({ object, cached, write }) {
        const owner = resolveController(object, { resource: runs, lister: cached(runs) });
        if (owner || !hasFinalizer(object, TRACKING)) return;
        await removeFinalizer(write, jobs, object, TRACKING);
      },
    });
    await rig.run(keeper, orphans);
    const metadata = {
      name: "child",
      namespace: "shop",
      finalizers: [TRACKING],
      ownerReferences: [controllerRef(run, runs)],
    };
    rig.cluster.objects.create(jobs, { ...jobFor(run), metadata });
    await rig.settle(1_000);
    expect(rig.jobs()).toHaveLength(1);
    rig.cluster.objects.delete(runs, "shop/export");
    await rig.settle(60_000);
    expect(rig.jobs()).toEqual([]);
  });
});
