import { describe, expect, test } from "vitest";
import { LagGuard, type LagPass } from "../../src/consistency/index.ts";
import { resources } from "../../src/resources/index.ts";
import { noopTracer } from "../../src/telemetry/index.ts";
import { Rig, type RigOptions } from "../controller/rig.ts";
import {
  BLOCK_MOVE,
  conventions,
  FINALIZER,
  type Machine,
  MachineController,
  type MachineControllerOptions,
  machines,
  RESTORE,
  World,
} from "./machines.ts";

const { jobs } = resources;
const GET_JOB = "GET /apis/batch/v1/namespaces/shop/jobs/j1";
const GET_LEASE = "GET /apis/coordination.k8s.io/v1/namespaces/shop/leases/captf-run-m";
const LIST_PODS = expect.stringContaining("GET /api/v1/namespaces/shop/pods?") as string;
const OWNER = { apiVersion: "cluster.x-k8s.io/v1beta1", kind: "Machine", name: "m", uid: "u", controller: true };

interface Scene extends AsyncDisposable {
  readonly rig: Rig;
  readonly world: World;
  readonly machine: MachineController;
}

/** A world in which `prepare` has happened and is in the caches. `late`: Jobs that come from then on are not shown. */
async function scene(
  prepare: (world: World) => void,
  options: Omit<MachineControllerOptions, "rig"> & RigOptions = {},
): Promise<Scene> {
  const { guarded, noStateLeft, ...rest } = options;
  const rig = await Rig.make(rest);
  const world = new World(rig);
  prepare(world);
  const machine = new MachineController({
    rig,
    ...(guarded === false && { guarded }),
    ...(noStateLeft && { noStateLeft }),
  });
  await rig.run(machine.controller);
  await machine.rest();
  rig.cluster.faults.delay(jobs, 3_600_000);
  rig.takeRequests();
  return { rig, world, machine, [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose]() };
}

function checks(rig: Rig): Record<string, number> {
  const counted: Record<string, number> = {};
  for (const check of ["active_job", "run_lease"]) {
    for (const verdict of ["lag", "gone", "none"]) {
      const count = rig.meter.value("stalewatch_lag_checks_total", { controller: "machines", check, verdict });
      if (count) counted[`${check} ${verdict}`] = count;
    }
  }
  return counted;
}

describe("what it asks the API server", () => {
  test("nothing about 10 000 idle objects", async () => {
    const names = Array.from({ length: 10_000 }, (_, nth) => `m${nth}`);
    await using idle = await scene((world) => names.forEach((name) => world.machine(name)));
    for (const name of names) idle.machine.controller.enqueue({ namespace: "shop", name });
    await idle.machine.open("m0");
    expect(idle.machine.ends).toHaveLength(10_000);
    expect(new Set(idle.machine.ends)).toEqual(new Set(["done"]));
    expect(idle.rig.takeRequests()).toEqual([]);
    expect(checks(idle.rig)).toEqual({ "active_job none": 10_000 });
  });

  test("nothing while the cache itself shows a running Job", async () => {
    await using running = await scene((world) => {
      world.machine();
      world.mark();
      world.job("j1");
    });
    await running.machine.open();
    expect(running.machine.ends).toEqual(["ActiveJobRequeue"]);
    expect(running.rig.takeRequests()).toEqual([]);
    expect(checks(running.rig)).toEqual({});
  });

  test("the Job that status names and the cache does not list; found, it asks no further", async () => {
    await using lag = await scene((world) => {
      world.machine();
      world.nameActiveJob("j1");
      world.lease("j1");
    });
    lag.world.job("j1");
    await lag.machine.open();
    expect(lag.machine.ends).toEqual(["LagRequeue"]);
    expect(lag.rig.takeRequests()).toEqual([GET_JOB]);
    expect(checks(lag.rig)).toEqual({ "active_job lag": 1 });
  });

  test("not for a named Job that the cache lists as finished, but its lease", async () => {
    await using finished = await scene((world) => {
      world.machine();
      world.nameActiveJob("j1");
      world.job("j1");
      world.finish("j1");
    });
    await finished.machine.open();
    expect(finished.rig.takeRequests()).toEqual([
      GET_LEASE,
      "PATCH /apis/infrastructure.cluster.x-k8s.io/v1alpha1/namespaces/shop/terraformmachines/m/status?fieldManager=stalewatch",
    ]);
  });

  test("the lease of a marked object, then its holder", async () => {
    await using lag = await scene((world) => {
      world.machine();
      world.mark();
      world.lease("j1");
    });
    lag.world.job("j1");
    await lag.machine.open();
    expect(lag.machine.ends).toEqual(["LagRequeue"]);
    expect(lag.rig.takeRequests()).toEqual([GET_LEASE, GET_JOB]);
    expect(checks(lag.rig)).toEqual({ "active_job none": 1, "run_lease lag": 1 });
  });

  test("the pods of a holder that is missing, and nothing is cleared of a deleting object while one runs", async () => {
    await using gone = await scene((world) => {
      world.machine("m", { metadata: { ownerReferences: [OWNER] } });
      world.delete();
      world.lease("j1", { secondsAgo: 61 });
      world.pod("j1");
    });
    await gone.machine.open();
    expect(gone.machine.ends).toEqual(["LagRequeue"]);
    expect(gone.rig.takeRequests()).toEqual([GET_LEASE, GET_JOB, LIST_PODS]);
    expect(gone.world.marks()).toEqual(["finalizer"]);
  });
});

describe("a verdict", () => {
  test("of lag ends when the cache shows the Job, which wakes the pass first", async () => {
    await using lag = await scene((world) => {
      world.machine();
      world.nameActiveJob("j1");
    });
    lag.world.job("j1");
    await lag.machine.open();
    lag.rig.cluster.faults.delay(jobs, 0);
    await lag.rig.settle(4_000);
    expect(lag.machine.ends).toEqual(["LagRequeue"]);
    lag.machine.controller.enqueue({ namespace: "shop", name: "m" });
    await lag.rig.settle();
    expect(lag.machine.ends).toEqual(["LagRequeue", "ActiveJobRequeue"]);
  });

  test("of lag is asked again after 5 s, and clears within one pass once the Job is gone", async () => {
    await using lag = await scene((world) => {
      world.machine();
      world.mark();
      world.nameActiveJob("j1");
    });
    lag.world.job("j1");
    await lag.machine.open();
    await lag.rig.settle(5_000);
    expect(lag.machine.ends).toEqual(["LagRequeue", "LagRequeue"]);
    expect(lag.world.marks()).toEqual(["block-move", "active job", "finalizer"]);
    lag.rig.cluster.objects.delete(jobs, "shop/j1");
    await lag.rig.settle(5_000);
    expect(lag.world.marks()).toEqual(["finalizer"]);
  });

  test("is counted once a check, and its reads are timed", async () => {
    await using lag = await scene((world) => {
      world.machine();
      world.mark();
      world.nameActiveJob("j1");
    });
    lag.rig.cluster.faults.slowRequests({ match: { resource: "jobs" }, ms: 40 });
    await lag.machine.open();
    await lag.rig.settle(1_000);
    expect(checks(lag.rig)).toMatchObject({ "active_job gone": 1, "run_lease none": 1 });
    const seconds = lag.rig.meter.observed("stalewatch_lag_check_seconds", {
      controller: "machines",
      check: "active_job",
    });
    expect(seconds).toEqual([0.04]);
  });

  test("is traced: a child of the pass, which says on which evidence it waits", async () => {
    await using lag = await scene(
      (world) => {
        world.machine();
        world.mark();
        world.lease("j1");
      },
      { traced: true },
    );
    lag.world.job("j1");
    await lag.machine.open();
    const pass = lag.rig.tracer.passes("machines").at(-1);
    const check = lag.rig.tracer.spans.find(({ name }) => name === "lag check run_lease");
    expect(pass?.attributes).toMatchObject({ "stalewatch.lag.check": "run_lease", "stalewatch.lag.job": "j1" });
    expect(check).toMatchObject({
      parent: { spanId: pass?.context.spanId },
      attributes: { "stalewatch.lag.verdict": "lag", "stalewatch.lag.job": "j1" },
      ended: true,
    });
  });
});

describe("a clearance", () => {
  test("costs no call for what is not there", async () => {
    await using marked = await scene((world) => {
      world.machine();
      world.mark();
    });
    await marked.machine.open();
    const calls = marked.rig.takeRequests();
    expect(calls.map((call) => call.split("?")[0])).toEqual([
      GET_LEASE,
      "PATCH /apis/infrastructure.cluster.x-k8s.io/v1alpha1/namespaces/shop/terraformmachines/m",
    ]);
    expect(marked.world.marks()).toEqual(["finalizer"]);
  });

  test("clears two marks in one pass, the second at the version that the first has made", async () => {
    await using marked = await scene((world) => {
      world.machine();
      world.mark();
      world.nameActiveJob("j1");
    });
    await marked.machine.open();
    expect(marked.machine.ends[0]).toBe("done");
    expect(marked.world.marks()).toEqual(["finalizer"]);
  });

  test("is void when the object changes between the read and the clear: LagRequeue, and nothing more is written", async () => {
    await using marked = await scene((world) => {
      world.machine();
      world.mark();
      world.nameActiveJob("j1");
    });
    marked.rig.cluster.faults.delay(machines, 60_000);
    marked.rig.cluster.faults.slowRequests({ match: { resource: "terraformmachines", verb: "patch" }, ms: 100 });
    await marked.machine.open();
    marked.rig.cluster.objects.patch(machines, "shop/m", { metadata: { labels: { touched: "yes" } } });
    await marked.rig.settle(100);
    expect(marked.machine.ends[0]).toBe("LagRequeue");
    expect(marked.rig.takeRequests().filter((call) => call.startsWith("PATCH"))).toHaveLength(1);
    expect(marked.world.marks()).toEqual(["block-move", "active job", "finalizer"]);
  });

  test("of an object that is gone is done", async () => {
    await using marked = await scene((world) => {
      world.machine("m", { metadata: { finalizers: [] } });
      world.mark();
    });
    marked.rig.cluster.faults.delay(machines, 60_000);
    marked.world.delete();
    await marked.machine.open();
    expect(marked.machine.ends).toEqual(["done"]);
  });

  test("gives no finalizer of an object that is not being deleted", async () => {
    await using alive = await scene((world) => void world.machine());
    const { clear } = await alive.machine.guard.check(passOf(alive.rig));
    await expect(clear?.finalizer(FINALIZER)).rejects.toMatchObject({
      code: "NOT_DELETING",
      message: expect.stringContaining("terraformmachines.v1alpha1.infrastructure.cluster.x-k8s.io shop/m"),
    });
    expect(alive.world.marks()).toEqual(["finalizer"]);
  });

  test("takes no object for ownerless that has an owner", async () => {
    await using owned = await scene((world) => {
      world.machine("m", { metadata: { ownerReferences: [OWNER] } });
      world.delete();
    });
    const { clear } = await owned.machine.guard.check(passOf(owned.rig));
    const dropped = clear?.finalizerOfOwnerless(FINALIZER, () => Promise.resolve(true));
    await expect(dropped).rejects.toMatchObject({ code: "HAS_OWNER" });
    expect(owned.world.marks()).toEqual(["finalizer"]);
  });

  test("once refused, writes nothing more", async () => {
    await using marked = await scene((world) => {
      world.machine();
      world.mark();
      world.mark("m", RESTORE);
    });
    const { clear } = await marked.machine.guard.check(passOf(marked.rig));
    marked.world.nameActiveJob("j1");
    marked.rig.takeRequests();
    const [first, second, third] = [
      await clear?.annotations(BLOCK_MOVE),
      await clear?.annotations(RESTORE),
      await clear?.annotations("never-there"),
    ];
    expect(first?.interval.name).toBe("LagRequeue");
    expect([second, third]).toEqual([first, first]);
    expect(marked.rig.takeRequests()).toHaveLength(1);
  });
});

describe("an ownerless object", () => {
  test("is let go only when no state is left, which is asked after everything else", async () => {
    const asked: string[][] = [];
    let stateLeft = true;
    let theRig: Rig | undefined;
    await using ownerless = await scene(
      (world) => {
        world.machine();
        world.delete();
        theRig = world.rig;
      },
      {
        noStateLeft: () => {
          asked.push(theRig?.takeRequests() ?? []);
          return Promise.resolve(!stateLeft);
        },
      },
    );
    await ownerless.machine.open();
    expect(ownerless.machine.ends).toEqual(["GateRequeue"]);
    expect(asked).toEqual([[GET_LEASE]]);
    expect(ownerless.world.marks()).toEqual(["finalizer"]);
    stateLeft = false;
    await ownerless.rig.settle(30_000);
    expect(ownerless.rig.cluster.objects.get(machines, "shop/m")).toBeUndefined();
  });
});

describe("when things go wrong", () => {
  test.each([
    ["the lease cannot be read", { resource: "leases" }, 500],
    ["the holder cannot be read", { resource: "jobs", verb: "get" }, 403],
    ["its pods cannot be read", { resource: "pods" }, 403],
  ] as const)("%s: the pass fails and nothing is cleared", async (_, match, status) => {
    await using blind = await scene((world) => {
      world.machine();
      world.mark();
      world.lease("j1", { secondsAgo: 61 });
    });
    const fault = blind.rig.cluster.faults.failRequests({ match, status });
    await blind.machine.open();
    expect(blind.machine.ends).toEqual([]);
    expect(fault.hits).toBeGreaterThan(0);
    expect(blind.world.marks()).toEqual(["block-move", "finalizer"]);
    fault.stop();
    await blind.rig.settle(60_000);
    expect(blind.world.marks()).toEqual(["finalizer"]);
  });

  test.each(["../j1", "a,b=c", "J1", "x".repeat(64), ".."])(
    "a holder that no Job can be called, %j, is a missing one",
    async (holder) => {
      await using odd = await scene((world) => {
        world.machine();
        world.delete();
        world.lease(holder, { secondsAgo: 55 });
      });
      await odd.machine.open();
      expect(odd.machine.ends).toEqual(["LagRequeue"]);
      expect(odd.rig.takeRequests()).toEqual([GET_LEASE]);
      await odd.rig.settle(10_000);
      expect(odd.rig.cluster.objects.get(machines, "shop/m")).toBeUndefined();
    },
  );

  test("a Job whose status cannot be read may run", async () => {
    await using odd = await scene((world) => {
      world.machine();
      world.mark();
      world.job("j1");
      world.finish("j1");
    });
    const pass = passOf(odd.rig, { unreadable: () => "status.active is no number" });
    expect(await odd.machine.guard.check(pass)).toMatchObject({ verdict: "running", job: "j1" });
    expect(await odd.machine.guard.check(passOf(odd.rig))).toMatchObject({ verdict: "none" });
  });

  test("an object whose Jobs have no labels: every Job would be its own", async () => {
    await using odd = await scene((world) => void world.machine());
    const guard = new LagGuard({
      controller: "machines",
      resource: machines,
      conventions: { ...conventions, ownerLabels: () => ({}) },
    });
    await expect(guard.check(passOf(odd.rig))).rejects.toMatchObject({ code: "BAD_CONVENTIONS" });
  });

  test("conventions without leases: the status alone is evidence", async () => {
    const { runLease: _, ...leaseless } = conventions;
    await using odd = await scene((world) => {
      world.machine();
      world.mark();
      world.lease("j1");
    });
    const guard = new LagGuard({ controller: "machines", resource: machines, conventions: leaseless });
    expect(await guard.check(passOf(odd.rig))).toMatchObject({ verdict: "none" });
    expect(odd.rig.takeRequests()).toEqual([]);
  });
});

/** A pass over the machine as the server has it now, with a cache of Jobs that shows the server's. */
function passOf(rig: Rig, more: { unreadable?: () => string } = {}): LagPass<Machine> {
  const object = rig.cluster.objects.get(machines, "shop/m");
  if (!object) throw new Error("there is no machine");
  const lister = {
    byLabel: (label: string, value: string) => rig.jobs().filter(({ metadata }) => metadata.labels?.[label] === value),
    unreadable: more.unreadable ?? (() => undefined),
  };
  const cached = (() => lister) as unknown as LagPass<Machine>["cached"];
  return { object, cached, live: rig.client, write: rig.client, span: noopTracer.startSpan("pass") };
}
