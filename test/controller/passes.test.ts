import { describe, expect, test } from "vitest";
import { StalewatchError } from "../../src/base/index.ts";
import { Controller, type ControllerOptions, type Pass, TerminalError } from "../../src/controller/index.ts";
import { isConflict } from "../../src/kube/index.ts";
import { defineInterval, LagRequeue, Requeue } from "../../src/requeue/index.ts";
import { defineResource, resources } from "../../src/resources/index.ts";
import { jobFor, type Run, runs } from "./objects.ts";
import { Rig } from "./rig.ts";

const { jobs, configMaps } = resources;
const nodes = defineResource({ group: "", version: "v1", kind: "Node", resource: "nodes", namespaced: false });
const Approval = defineInterval({ name: "Approval", sort: "wait", duration: "10m" });
const own = { controller: "runner" };

type Options = ControllerOptions<Run, "Approval">;
type Reconcile = (pass: Pass<Run, "Approval">, rig: Rig) => ReturnType<Options["reconcile"]>;

/** One Run, one controller; its first pass is over. */
async function afterOnePass(reconcile: Reconcile, more: Partial<Options> = {}): Promise<Rig> {
  const rig = await Rig.make();
  rig.createRun("export");
  const options: Options = {
    for: runs,
    owns: [jobs],
    intervals: [Approval],
    reconcile: (pass) => reconcile(pass, rig),
    ...more,
  };
  await rig.run(new Controller("runner", options));
  return rig;
}

function results(rig: Rig): Record<string, number | undefined> {
  const result = (name: string): number | undefined =>
    rig.meter.value("controller_runtime_reconcile_total", { ...own, result: name });
  return { success: result("success"), error: result("error"), requeue_after: result("requeue_after") };
}

test("a pass tells the time by the manager's clock, wherever that is set", async () => {
  const told: number[] = [];
  await using rig = await afterOnePass(async ({ now }, { clock }) => {
    told.push(now() - clock.now());
    clock.shiftWall(3_600_000);
    told.push(now() - clock.now());
  });
  expect(told).toEqual([0, 0]);
  expect(rig.status.passes.noop).toBe(1);
});

describe("the outcome of a pass is deduced from what it wrote", () => {
  test("nothing: noop", async () => {
    await using rig = await afterOnePass(() => {});
    expect(rig.status.passes).toEqual({ changed: 0, noop: 1, skipped: 0, error: 0, terminal: 0 });
    expect(results(rig)).toEqual({ success: 1, error: 0, requeue_after: 0 });
  });

  test.each<[string, (pass: Pass<Run>) => Promise<unknown>]>([
    ["a create", ({ write, object }) => write.create(jobs, jobFor(object))],
    ["a patch", ({ write, object }) => write.patchStatus(object, { phase: "Done" })],
    ["a delete", ({ write, object }) => write.delete(runs, object.metadata)],
    [
      "an update of a live object",
      async ({ write, live, object }) => {
        const fresh = await live.get(runs, object.metadata);
        fresh.metadata.labels = { touched: "yes" };
        return write.update(runs, fresh);
      },
    ],
  ])("%s: changed", async (_, act) => {
    let calls = 0;
    await using rig = await afterOnePass(async (pass) => {
      calls += 1;
      if (calls === 1) await act(pass);
    });
    expect(rig.status.passes.changed).toBe(1);
    expect(rig.status.lastError).toBeUndefined();
  });

  test.each<[string, (pass: Pass<Run>) => Promise<unknown>]>([
    [
      "a patch that the server finds nothing in",
      ({ write, object }) => write.patch(runs, object.metadata, { type: "merge", body: { spec: { approved: true } } }),
    ],
    ["a dry run", ({ write, object }) => write.patchStatus(object, { phase: "Done" }, { dryRun: true })],
    [
      "an update without a change",
      async ({ write, live, object }) => write.update(runs, await live.get(runs, object.metadata)),
    ],
    ["a live read", ({ live, object }) => live.get(runs, object.metadata)],
  ])("%s: noop", async (_, act) => {
    await using rig = await afterOnePass(async (pass) => void (await act(pass)));
    expect(rig.status.passes).toEqual({ changed: 0, noop: 1, skipped: 0, error: 0, terminal: 0 });
  });

  test("a second patch that repeats the first is one change, seen although the cache trails", async () => {
    await using rig = await afterOnePass(async ({ write, object }) => {
      await write.patchStatus(object, { phase: "Done" });
      await write.patchStatus(object, { phase: "Done" });
    });
    expect(rig.status.passes).toMatchObject({ changed: 1, noop: 1 });
  });
});

describe("a failed pass", () => {
  test("is retried, each time later, until it succeeds; then its failures are forgotten", async () => {
    const at: number[] = [];
    await using rig = await afterOnePass((_, { clock }) => {
      at.push(clock.monotonic());
      if (at.length < 5) throw new StalewatchError("FLAKY", "not yet");
    });
    await rig.settle(1_000);
    expect(at.map((time, nth) => time - (at[nth - 1] ?? time))).toEqual([0, 5, 10, 20, 40]);
    expect(results(rig)).toEqual({ success: 1, error: 4, requeue_after: 0 });
    expect(rig.meter.value("controller_runtime_reconcile_errors_total", own)).toBe(4);
    expect(rig.meter.value("controller_runtime_reconcile_panics_total", own)).toBe(0);
    expect(rig.meter.value("stalewatch_reconcile_triggers_total", { ...own, trigger: "retry" })).toBe(4);
    expect(rig.status.lastError).toMatchObject({ key: "shop/export", message: "not yet" });
  });

  test("with a TerminalError is not retried, and the next event starts a pass", async () => {
    await using rig = await afterOnePass(() => {
      throw new TerminalError("the input is too large", { remedy: "make it smaller" });
    });
    await rig.settle(10_000);
    expect(rig.status.passes).toMatchObject({ terminal: 1, error: 0 });
    expect(rig.meter.value("controller_runtime_terminal_reconcile_errors_total", own)).toBe(1);
    expect(rig.meter.value("controller_runtime_reconcile_errors_total", own)).toBe(1);
    rig.cluster.objects.patch(runs, "shop/export", { spec: { approved: false } });
    await rig.settle();
    expect(rig.status.passes.terminal).toBe(2);
  });

  test.each<[string, unknown, number]>([
    ["a TypeError of the engine", new TypeError("x is undefined"), 1],
    ["a thrown string", "boom", 1],
    ["a TypeError that a broken connection caused", new TypeError("fetch failed", { cause: new Error("reset") }), 0],
    ["any other error", new Error("the world is not ready"), 0],
  ])("of %s counts %o as %i panics, and is retried", async (_, thrown, panics) => {
    let calls = 0;
    await using rig = await afterOnePass(() => {
      calls += 1;
      if (calls === 1) throw thrown;
    });
    await rig.settle(1_000);
    expect(rig.meter.value("controller_runtime_reconcile_panics_total", own)).toBe(panics);
    expect(rig.meter.value("controller_runtime_reconcile_errors_total", own)).toBe(1);
    expect(calls).toBe(2);
  });

  test("by a conflict on its status patch is retried with what the other writer wrote", async () => {
    const conflicts: boolean[] = [];
    await using rig = await afterOnePass(async ({ write, object }, { cluster }) => {
      if (object.status?.phase) return;
      if (conflicts.length === 0) cluster.objects.patch(runs, "shop/export", { status: { note: "theirs" } });
      try {
        const { resourceVersion } = object.metadata;
        await write.patchStatus(object, { phase: "Done" }, { resourceVersion });
      } catch (thrown) {
        conflicts.push(isConflict(thrown));
        throw thrown;
      }
    });
    await rig.settle(1_000);
    expect(conflicts).toEqual([true]);
    expect(rig.cluster.objects.get(runs, "shop/export")?.status).toEqual({ note: "theirs", phase: "Done" });
    expect(rig.lines.map(({ level, message }) => `${level} ${message}`)).toContain("info pass met a conflict");
  });

  test("by its timeout has its signal aborted, and is counted", async () => {
    let calls = 0;
    await using rig = await afterOnePass(
      ({ signal }) => {
        calls += 1;
        if (calls > 1) return undefined;
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
      },
      { reconcileTimeout: "30s" },
    );
    await rig.settle(29_999);
    expect(rig.status.running).toMatchObject([{ key: "shop/export" }]);
    await rig.settle(1);
    expect(rig.meter.value("controller_runtime_reconcile_timeouts_total", own)).toBe(1);
    expect(rig.status.lastError?.message).toBe(
      "a pass took longer than 30s: make its calls end with the pass's signal, or raise the controller's reconcileTimeout",
    );
    await rig.settle(1_000);
    expect(calls).toBe(2);
  });

  test.each<[string, Reconcile, RegExp]>([
    ["a number for a requeue", () => 30 as unknown as undefined, /returned number: return requeue.after\(interval\)/],
    [
      "an interval that it does not declare",
      () => Requeue.after(defineInterval({ name: "Other", sort: "wait", duration: "1s" })),
      /asked for interval Other, which it does not declare/,
    ],
    ["a delay before now", ({ requeue }) => requeue.after(Approval, -1), /after -1 ms was asked for interval Approval/],
    [
      "the cache of a kind that it does not have",
      ({ cached }) => void cached(configMaps),
      /has no cache of configmaps.v1/,
    ],
    [
      "to own an object without a namespace",
      async ({ write }) => void (await write.create(nodes, { metadata: { name: "node" } })),
      /runs.v1.example.com shop\/export cannot own an object of nodes.v1, which has no namespace/,
    ],
    [
      "to write a cached object back",
      async ({ write, object }) => void (await write.update(runs, object as never)),
      /runs.v1.example.com from a cache or a copy cannot be written back/,
    ],
  ])("asked for %s", async (_, reconcile, message) => {
    await using rig = await afterOnePass(reconcile);
    expect(rig.status.lastError?.message).toMatch(message);
    expect(rig.jobs()).toEqual([]);
  });
});

describe("a requeue", () => {
  test("fires at its time and is named in the triggers", async () => {
    const triggers: (string | undefined)[][] = [];
    await using rig = await afterOnePass((pass) => {
      triggers.push(pass.triggers.map(({ kind, interval }) => `${kind}:${interval}`));
      return triggers.length === 1 ? pass.requeue.after(Approval) : undefined;
    });
    expect(results(rig)).toEqual({ success: 0, error: 0, requeue_after: 1 });
    await rig.settle(599_999);
    expect(triggers).toHaveLength(1);
    await rig.settle(1);
    expect(triggers).toEqual([["add:undefined"], ["requeue:Approval"]]);
    const labels = { ...own, interval: "Approval" };
    expect(rig.meter.value("requeues_total", { ...labels, outcome: "fired" })).toBe(1);
    expect(rig.meter.observed("requeue_lateness_seconds", labels)).toEqual([0]);
  });

  test("is superseded by an event, and dropped at the end", async () => {
    await using rig = await afterOnePass(({ requeue }) => requeue.after(Approval));
    rig.cluster.objects.patch(runs, "shop/export", { spec: { approved: false } });
    await rig.settle();
    const labels = { ...own, interval: "Approval" };
    expect(rig.meter.value("requeues_total", { ...labels, outcome: "superseded" })).toBe(1);
    expect([...rig.status.waiting].map(({ key, trigger }) => [key, trigger.interval])).toEqual([
      ["shop/export", "Approval"],
    ]);
    rig.stop.abort();
    await rig.settle();
    await rig.ended;
    expect(rig.meter.value("requeues_total", { ...labels, outcome: "dropped" })).toBe(1);
    expect(rig.meter.value("requeues_total", { ...labels, outcome: "fired" })).toBe(0);
  });

  test("forgets the failures before it", async () => {
    let calls = 0;
    await using rig = await afterOnePass(({ requeue }) => {
      calls += 1;
      if (calls % 3 !== 0) throw new Error("not yet");
      return requeue.after(LagRequeue);
    });
    await rig.settle(5_200);
    const retries = rig.lines.filter(({ message }) => message === "pass failed").map(({ retryInMs }) => retryInMs);
    expect(retries).toEqual([5, 10, 5, 10]);
  });
});

describe("what a pass may do when it is over", () => {
  test("a write that nobody awaited is refused", async () => {
    let late: (() => Promise<unknown>) | undefined;
    await using rig = await afterOnePass(({ write, object }) => {
      late = () => write.patchStatus(object, { phase: "Late" });
    });
    await expect(late?.()).rejects.toThrow(
      "a write of controller runner for shop/export came after its pass was over (its reconcile has returned)",
    );
    expect(rig.cluster.objects.get(runs, "shop/export")?.status).toBeUndefined();
  });
});

describe("objects at rest", () => {
  test("a pass over each of 10 000 costs no call to the server", async () => {
    await using rig = await Rig.make({ syncPeriod: "10m" });
    for (let nth = 0; nth < 10_000; nth++) rig.createRun(`run-${nth}`);
    let seen = 0;
    await rig.run(
      new Controller("runner", {
        for: runs,
        owns: [jobs],
        reconcile: ({ object, cached }) => {
          seen += cached(jobs).ownedBy(object).length === 0 ? 1 : 0;
        },
      }),
    );
    expect(seen).toBe(10_000);
    rig.takeRequests();
    await rig.settle(11 * 60_000);
    expect(
      rig.meter.value("stalewatch_reconcile_triggers_total", { ...own, trigger: "resync" }),
    ).toBeGreaterThanOrEqual(9_900);
    // The caches' own looks at the head are all there is.
    expect(rig.takeRequests().filter((request) => !request.endsWith("?limit=1"))).toEqual([]);
  });
});

describe("an object that is gone", () => {
  test("ends with one noop pass that tells the controller", async () => {
    const gone: unknown[] = [];
    let calls = 0;
    await using rig = await afterOnePass(() => void (calls += 1), { gone: (ref) => void gone.push(ref) });
    rig.cluster.objects.delete(runs, "shop/export");
    await rig.settle();
    expect(gone).toEqual([{ namespace: "shop", name: "export" }]);
    expect(calls).toBe(1);
    expect(rig.status.passes).toMatchObject({ noop: 2 });
  });
});
