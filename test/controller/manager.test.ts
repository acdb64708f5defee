import { describe, expect, test } from "vitest";
import {
  Controller,
  type ControllerOptions,
  Manager,
  type ManagerOptions,
  TerminalError,
} from "../../src/controller/index.ts";
import { defineInterval } from "../../src/requeue/index.ts";
import { type Resource, resources } from "../../src/resources/index.ts";
import { jobFor, type Run, runs } from "./objects.ts";
import { Rig } from "./rig.ts";

const { jobs } = resources;

function idle(name: string, more: Partial<ControllerOptions<Run, string>> = {}): Controller<Run, string> {
  return new Controller<Run, string>(name, { for: runs, reconcile: () => {}, ...more });
}

function refused(options: Partial<ManagerOptions>): () => Manager {
  return () => new Manager({ controllers: [idle("runner")], ...options });
}

describe("a manager", () => {
  test("fills every cache before the first pass, and shares one among controllers", async () => {
    await using rig = await Rig.make();
    const draft = jobFor(rig.createRun("export"));
    rig.cluster.objects.create(jobs, { ...draft, metadata: { name: "there", namespace: "shop" } });
    rig.cluster.faults.slowRequests({ match: { resource: "jobs" }, ms: 5_000, times: 1 });
    const seen: number[] = [];
    const first = new Controller("first", {
      for: runs,
      owns: [jobs],
      reconcile: ({ cached }) => void seen.push(cached(jobs).list().length),
    });
    await rig.run(first, idle("second"));
    expect(rig.manager.status()).toMatchObject({ state: "syncing", controllers: [{ passes: { noop: 0 } }, {}] });
    await rig.settle(5_000);
    expect(seen).toEqual([1]);
    expect(rig.manager.status().state).toBe("running");
    expect(rig.manager.status().caches.map(({ resource }) => resource.resource)).toEqual(["runs", "jobs"]);
    expect(rig.cluster.openWatches(runs)).toBe(1);
  });

  test("takes a controller while independent ones run, on the caches that are there and one of its own", async () => {
    await using rig = await Rig.make({ independent: true });
    rig.createRun("export");
    const seen: string[] = [];
    const note = (name: string, owns: readonly Resource[] = []): Controller<Run, string> =>
      idle(name, { owns, reconcile: ({ key }) => void seen.push(`${name} ${key}`) });
    await rig.run(note("first"));
    rig.manager.add(note("second", [jobs]));
    await rig.settle();
    expect(seen).toEqual(["first shop/export", "second shop/export"]);
    expect(rig.cluster.openWatches(runs)).toBe(1);
    expect(rig.manager.status().controllers.map(({ name }) => name)).toEqual(["first", "second"]);
    expect(() => rig.manager.add(idle("second"))).toThrow(/two controllers are named second/);
    rig.stop.abort();
    await rig.settle();
    await rig.ended;
    expect(() => rig.manager.add(idle("third"))).toThrow(/a manager that stops takes no more controllers/);
  });

  test("takes none while its controllers wait for each other, and of two with one name only the first", () => {
    expect(() => new Manager({ controllers: [idle("runner")] }).add(idle("other"))).toThrow(/not independent/);
    const manager = new Manager({ controllers: [idle("runner")], independent: true });
    manager.add(idle("other"));
    expect(() => manager.add(idle("other"))).toThrow(/two controllers are named other/);
  });

  test.each([
    { independent: false, passes: [] },
    { independent: true, passes: ["shop/export"] },
  ])("holds controllers up by the caches of others, unless they are independent: $independent", async (given) => {
    const { independent, passes } = given;
    await using rig = await Rig.make({ independent });
    rig.cluster.forbid({ resource: "jobs" });
    rig.createRun("export");
    const seen: string[] = [];
    const first = idle("first", { reconcile: ({ key }) => void seen.push(key) });
    await rig.run(first, idle("second", { owns: [jobs], reconcile: () => void seen.push("second") }));
    expect(seen).toEqual(passes);
    rig.stop.abort();
    await rig.settle();
    await rig.ended;
    expect(rig.manager.status().state).toBe("stopped");
  });

  test("resolves once the passes under way have ended; begins no new one; the caches stop last", async () => {
    await using rig = await Rig.make();
    rig.createRun("first");
    rig.createRun("second");
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const began: string[] = [];
    const runner = new Controller("runner", {
      for: runs,
      async reconcile({ object, write, key, signal, event }) {
        began.push(key);
        await held;
        expect(signal.aborted).toBe(false);
        event("Normal", "Finished", "in time");
        await write.patchStatus(object, { phase: "Done" });
      },
    });
    await rig.run(runner);
    rig.stop.abort();
    await rig.settle(29_000);
    expect(rig.manager.status().state).toBe("draining");
    expect(rig.cluster.openWatches(runs)).toBe(1);
    release();
    await rig.settle();
    await rig.ended;
    expect(began).toEqual(["shop/first"]);
    expect(rig.cluster.objects.get(runs, "shop/first")?.status).toEqual({ phase: "Done" });
    expect(rig.cluster.objects.list(resources.events).map(({ reason }) => reason)).toEqual(["Finished"]);
    expect(rig.cluster.openWatches()).toBe(0);
    expect(rig.manager.status().state).toBe("stopped");
  });

  test("aborts passes at the deadline, and their writes are refused", async () => {
    await using rig = await Rig.make({ shutdownTimeoutMs: 10_000 });
    rig.createRun("export");
    const refused: string[] = [];
    const runner = new Controller("runner", {
      for: runs,
      async reconcile({ object, write, signal }) {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        await write.patchStatus(object, { phase: "Late" }).catch((thrown: Error) => void refused.push(thrown.message));
      },
    });
    await rig.run(runner);
    rig.stop.abort();
    await rig.settle(9_999);
    expect(refused).toEqual([]);
    await rig.settle(1);
    await rig.ended;
    expect(refused).toEqual([expect.stringContaining("came after its pass was over (it was told to stop)")]);
    expect(rig.cluster.objects.get(runs, "shop/export")?.status).toBeUndefined();
  });

  test("does not wait for a pass that heeds nothing, and names it", async () => {
    await using rig = await Rig.make({ shutdownTimeoutMs: 10_000 });
    rig.createRun("export");
    await rig.run(idle("runner", { reconcile: () => new Promise(() => {}) }));
    rig.stop.abort();
    await rig.settle(12_000);
    await expect(rig.ended).rejects.toThrow(
      "still running 10s after the manager was told to stop: runner (shop/export)",
    );
    expect(rig.cluster.openWatches()).toBe(0);
  });

  test("gives up on a cache that is not filled in time, and says which and why", async () => {
    await using rig = await Rig.make();
    rig.cluster.forbid({ resource: "jobs" });
    await rig.run(idle("runner", { owns: [jobs] }));
    await rig.settle(119_999);
    expect(rig.manager.status().state).toBe("syncing");
    await rig.settle(1);
    await expect(rig.ended).rejects.toThrow(/^not filled within 2m: the cache of jobs.v1.batch \(.*forbidden/);
    expect(rig.cluster.openWatches()).toBe(0);
  });

  test("ends quietly when it is stopped before its caches are filled", async () => {
    await using rig = await Rig.make();
    rig.cluster.forbid({ resource: "jobs" });
    await rig.run(idle("runner", { owns: [jobs] }));
    await rig.manager[Symbol.asyncDispose]();
    await expect(rig.ended).resolves.toBeUndefined();
    expect(rig.manager.status().state).toBe("stopped");
  });

  test("stops by being disposed of, and is run once only", async () => {
    await using rig = await Rig.make();
    rig.createRun("export");
    await rig.run(idle("runner"));
    await expect(rig.manager.run({ signal: rig.stop.signal })).rejects.toThrow("a manager was run twice");
    await rig.manager[Symbol.asyncDispose]();
    await rig.ended;
    expect(rig.cluster.openWatches()).toBe(0);
    expect(rig.clock.waitingTimers).toBe(0);
  });

  test("makes a client for the cluster it is given", async () => {
    await using rig = await Rig.make();
    rig.createRun("export");
    const transport = rig.cluster.transport();
    const close = (): Promise<void> => transport.close();
    const cluster = {
      server: "test",
      contextName: undefined,
      namespace: "default",
      inCluster: false,
      transport,
      close,
      [Symbol.asyncDispose]: close,
    };
    let passes = 0;
    const controllers = [idle("runner", { reconcile: () => void (passes += 1) })];
    await using manager = new Manager({ controllers, cluster, env: rig.env });
    const running = manager.run({ signal: rig.stop.signal });
    await rig.settle();
    expect(passes).toBe(1);
    rig.stop.abort();
    await running;
  });

  test("a controller can be asked for a pass by hand, while it runs", async () => {
    await using rig = await Rig.make();
    rig.createRun("export");
    const triggers: string[] = [];
    const runner = idle("runner", {
      reconcile: (pass) => void triggers.push(...pass.triggers.map(({ kind }) => kind)),
    });
    expect(() => runner.enqueue({ namespace: "shop", name: "export" })).toThrow("controller runner is not run yet");
    await rig.run(runner);
    runner.enqueue({ namespace: "shop", name: "export" });
    await rig.settle();
    expect(triggers).toEqual(["add", "manual"]);
  });
});

describe("what a manager or controller refuses", () => {
  const Approval = defineInterval({ name: "Approval", sort: "wait", duration: "10m" });
  const other = defineInterval({ name: "Approval", sort: "wait", duration: "5m" });

  test("independent controllers that stand for election", () => {
    const leaderElection = { lease: { name: "runner", namespace: "shop" } };
    expect(refused({ independent: true, leaderElection })).toThrow("independent controllers cannot stand for election");
  });

  test("two controllers of one name", () => {
    expect(refused({ controllers: [idle("a"), idle("a")] })).toThrow("two controllers are named a");
  });
  test("one interval name for two durations, even across controllers", () => {
    const controllers = [idle("a", { intervals: [Approval] }), idle("b", { intervals: [other] })];
    expect(refused({ controllers })).toThrow("two intervals are named Approval");
    expect(
      refused({ controllers: [idle("a", { intervals: [Approval] }), idle("b", { intervals: [Approval] })] }),
    ).not.toThrow();
  });
  test("a gate of a kind that no controller has", () => {
    expect(refused({ featureGates: "StaleControllerConsistencyRum=false" })).toThrow(
      'there is no feature gate "StaleControllerConsistencyRum": did you mean StaleControllerConsistencyRun?',
    );
  });
  test.each([[-1], ["-5m"], [Number.NaN]])("a sync period of %s", (syncPeriod) => {
    expect(refused({ syncPeriod })).toThrow(`the sync period is ${syncPeriod}`);
  });
  test("a name, concurrency or timeout that cannot be", () => {
    expect(() => idle("A controller")).toThrow('"A controller" cannot name a controller');
    expect(() => idle("a", { concurrency: 0 })).toThrow("controller a has concurrency 0");
    expect(() => idle("a", { reconcileTimeout: "0s" })).toThrow("controller a has reconcileTimeout 0s");
  });
  test("one kind in two scopes", async () => {
    await using rig = await Rig.make();
    const scoped = { resource: runs, scope: { namespace: "shop" } };
    await rig.run(idle("runner", { owns: [scoped] }));
    await expect(rig.ended).rejects.toThrow("controller runner asks for runs.v1.example.com with two scopes");
  });
  test("to run a controller twice", async () => {
    await using rig = await Rig.make();
    const runner = idle("runner");
    await rig.run(runner);
    await using again = new Manager({ controllers: [runner], client: rig.client, env: rig.env });
    await expect(again.run({ signal: rig.stop.signal })).rejects.toThrow("controller runner was run before");
  });
});

test("a TerminalError carries its remedy and cause", () => {
  const cause = new Error("too many bytes");
  const error = new TerminalError("the input is too large", { remedy: "make it smaller", cause });
  expect(error).toMatchObject({ code: "TERMINAL", message: "the input is too large: make it smaller", cause });
});
