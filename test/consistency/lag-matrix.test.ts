import { describe, expect, test } from "vitest";
import { type ObjectMeta, resources } from "../../src/resources/index.ts";
import { Rig } from "../controller/rig.ts";
import { FINALIZER, MachineController, machines, RESTORE, World } from "./machines.ts";

// Every way in which what stands for a Job and the Job itself can be seen apart, against every way in which caches can be late.

const { jobs } = resources;
const LATENESS = ["none", "list", "object", "both"] as const;
type Lateness = (typeof LATENESS)[number];

const OWNED: Partial<ObjectMeta> = {
  ownerReferences: [{ apiVersion: "cluster.x-k8s.io/v1beta1", kind: "Machine", name: "m", uid: "u", controller: true }],
};

interface Scenario {
  readonly name: string;
  /** Of the machine, which has an owner unless this says otherwise. */
  readonly metadata?: Partial<ObjectMeta>;
  readonly paused?: boolean;
  /** Happens, and is in every cache. */
  readonly seen?: (world: World) => void;
  /** Happens a second before the pass, and is not in the caches that are late. */
  readonly late?: (world: World) => void;
  /** Happens between the pass's reads and its first write. */
  readonly meanwhile?: (world: World) => void;
  /** How the pass ends: none late, the list of Jobs, the object, both. */
  readonly ends: readonly [none: string, list: string, object: string, both: string];
  /** Where a pass that believes its caches does harm. */
  readonly harm: readonly Lateness[];
  /** Whether harm was done; unless given: something runs, and not all that stood for it is there any more. */
  readonly isHarmed?: (cell: Cell) => boolean;
}

const ACTIVE = "ActiveJobRequeue";
const LAG = "LagRequeue";
const DONE = "done";

function startJob(world: World): void {
  world.lease("j1");
  world.mark();
  world.job("j1");
  world.nameActiveJob("j1");
}

function replace(world: World): void {
  world.rig.cluster.objects.patch(machines, "shop/m", { metadata: { finalizers: null } });
  world.delete();
  world.machine("m", { metadata: OWNED });
  startJob(world);
}

const scenarios: readonly Scenario[] = [
  { name: "a Job created a second ago and unseen", late: startJob, ends: [ACTIVE, LAG, ACTIVE, DONE], harm: ["list"] },
  {
    name: "activeJob patched, seen before the list",
    late: (world) => {
      world.job("j1");
      world.nameActiveJob("j1");
    },
    ends: [ACTIVE, LAG, ACTIVE, DONE],
    harm: ["list"],
  },
  {
    name: "block-move seen, activeJob not",
    seen: (world) => {
      world.lease("j1");
      world.mark();
    },
    late: (world) => {
      world.job("j1");
      world.nameActiveJob("j1");
    },
    ends: [ACTIVE, LAG, ACTIVE, LAG],
    harm: ["list", "both"],
  },
  {
    name: "block-move seen, activeJob never written",
    seen: (world) => {
      world.lease("j1");
      world.mark();
    },
    late: (world) => world.job("j1"),
    ends: [ACTIVE, LAG, ACTIVE, LAG],
    harm: ["list", "both"],
  },
  {
    name: "the lease's holder is of another object",
    seen: (world) => void world.machine("other"),
    late: (world) => {
      world.lease("o1");
      world.job("o1", "other");
      world.mark();
    },
    ends: [DONE, DONE, DONE, DONE],
    harm: [],
  },
  {
    name: "the holder has finished, and was never seen",
    late: (world) => {
      startJob(world);
      world.finish("j1");
    },
    ends: [DONE, LAG, DONE, DONE],
    harm: [],
  },
  {
    name: "the holder has finished, and was seen running",
    seen: startJob,
    late: (world) => world.finish("j1"),
    ends: [DONE, ACTIVE, DONE, ACTIVE],
    harm: [],
  },
  {
    name: "the holder is missing, inside the grace",
    late: (world) => {
      world.lease("j1", { secondsAgo: 10 });
      world.mark();
      world.nameActiveJob("j1");
    },
    ends: [DONE, DONE, DONE, DONE],
    harm: [],
  },
  {
    name: "the holder is missing, outside the grace",
    late: (world) => {
      world.lease("j1", { secondsAgo: 61 });
      world.mark();
      world.nameActiveJob("j1");
    },
    ends: [DONE, DONE, DONE, DONE],
    harm: [],
  },
  { name: "paused", paused: true, late: startJob, ends: [ACTIVE, LAG, ACTIVE, DONE], harm: ["list"] },
  {
    name: "paused, block-move seen, activeJob not",
    paused: true,
    seen: (world) => {
      world.lease("j1");
      world.mark();
    },
    late: (world) => world.job("j1"),
    ends: [ACTIVE, LAG, ACTIVE, LAG],
    harm: ["list", "both"],
  },
  {
    name: "deleting",
    late: (world) => {
      startJob(world);
      world.delete();
    },
    ends: [ACTIVE, LAG, ACTIVE, DONE],
    harm: ["list"],
  },
  {
    name: "deleting, its last Job never named",
    seen: (world) => {
      world.lease("j1");
      world.delete();
    },
    late: (world) => world.job("j1"),
    ends: [ACTIVE, LAG, ACTIVE, LAG],
    harm: ["list", "both"],
  },
  {
    name: "deleting, nothing runs",
    late: (world) => world.delete(),
    ends: [DONE, DONE, DONE, DONE],
    harm: [],
  },
  {
    name: "cleanup with a live holder: a pod that still stops",
    seen: (world) => world.delete(),
    late: (world) => {
      world.lease("j1");
      world.job("j1");
      world.pod("j1");
      world.finish("j1");
    },
    ends: [LAG, LAG, LAG, LAG],
    harm: ["none", "list", "object", "both"],
  },
  {
    name: "cleanup with a live holder: another object's Job",
    seen: (world) => world.delete(),
    late: (world) => {
      world.lease("o1");
      world.job("o1", "other");
    },
    ends: [LAG, LAG, LAG, LAG],
    harm: [],
  },
  {
    name: "cleanup with a live holder: one about to be created",
    seen: (world) => world.delete(),
    late: (world) => world.lease("j1", { secondsAgo: 10 }),
    ends: [LAG, LAG, LAG, LAG],
    harm: [],
  },
  {
    name: "an annotation is consumed and conflicts",
    seen: (world) => world.mark("m", RESTORE, "1"),
    late: (world) => world.mark("m", RESTORE, "2"),
    ends: [DONE, DONE, LAG, LAG],
    harm: ["object", "both"],
    // The second wish is taken away by a pass that saw the first.
    isHarmed: ({ rig, machine }) =>
      rig.cluster.objects.get(machines, "shop/m")?.metadata.annotations?.[RESTORE] !== "2" &&
      machine.saw[0]?.metadata.annotations?.[RESTORE] !== "2",
  },
  {
    name: "the object is replaced, unseen",
    seen: (world) => world.mark(),
    late: replace,
    ends: [ACTIVE, LAG, ACTIVE, LAG],
    harm: ["list", "both"],
  },
  {
    name: "the object is replaced between the read and the clear",
    seen: (world) => world.mark(),
    meanwhile: replace,
    ends: [LAG, LAG, LAG, LAG],
    harm: ["none", "list", "object", "both"],
  },
  {
    name: "a Job is started between the read and the clear",
    seen: (world) => world.mark(),
    meanwhile: startJob,
    ends: [LAG, LAG, LAG, LAG],
    harm: ["none", "list", "object", "both"],
  },
  {
    name: "ownerless and deleting, a Job runs",
    metadata: {},
    late: (world) => {
      startJob(world);
      world.delete();
    },
    ends: [ACTIVE, LAG, ACTIVE, DONE],
    harm: ["list"],
  },
  {
    name: "ownerless and deleting, the run lease is live",
    metadata: {},
    seen: (world) => world.delete(),
    late: (world) => world.lease("j1", { secondsAgo: 10 }),
    ends: [LAG, LAG, LAG, LAG],
    harm: [],
  },
  {
    name: "ownerless and deleting, nothing runs",
    metadata: {},
    late: (world) => world.delete(),
    ends: [DONE, DONE, DONE, DONE],
    harm: [],
  },
];

interface Cell extends AsyncDisposable {
  readonly rig: Rig;
  readonly world: World;
  readonly machine: MachineController;
  /** What stood for a Job when the pass began. */
  readonly before: readonly string[];
}

/** One pass of one cell has ended. */
async function play(scenario: Scenario, lateness: Lateness, guarded: boolean): Promise<Cell> {
  const rig = await Rig.make();
  const world = new World(rig);
  world.machine("m", { spec: { paused: scenario.paused ?? false }, metadata: scenario.metadata ?? OWNED });
  scenario.seen?.(world);
  const machine = new MachineController(guarded ? { rig } : { rig, guarded });
  await rig.run(machine.controller);
  if (lateness === "list" || lateness === "both") rig.cluster.faults.delay(jobs, 3_600_000);
  if (lateness === "object" || lateness === "both") rig.cluster.faults.delay(machines, 3_600_000);
  scenario.late?.(world);
  await rig.settle(1_000);
  const slow =
    scenario.meanwhile &&
    rig.cluster.faults.slowRequests({ match: { resource: "terraformmachines", verb: "patch" }, ms: 100 });
  const marked = world.marks();
  await machine.open();
  scenario.meanwhile?.(world);
  slow?.stop();
  const before = scenario.meanwhile ? world.marks() : marked;
  await rig.settle(scenario.meanwhile ? 100 : 0);
  return { rig, world, machine, before, [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose]() };
}

function isHarmed(scenario: Scenario, cell: Cell): boolean {
  if (scenario.isHarmed) return scenario.isHarmed(cell);
  const { world, before } = cell;
  return world.isBusy() && world.marks().join() !== before.join();
}

describe.each(scenarios)("$name", (scenario) => {
  describe.each(LATENESS.map((lateness, nth) => ({ lateness, end: scenario.ends[nth] ?? "" })))(
    "late: $lateness",
    ({ lateness, end }) => {
      test(`guarded, the pass ends with ${end}; nothing is cleared while something runs, and everything once it has ended`, async () => {
        await using cell = await play(scenario, lateness, true);
        const { rig, world, machine, before } = cell;
        expect(machine.ends[0]).toBe(end);
        const wasBusy = world.isBusy();
        if (wasBusy) expect(world.marks()).toEqual(before);
        if (end === LAG || end === ACTIVE) expect(world.marks()).toEqual(before);
        if (end === DONE && lateness === "none" && !wasBusy) expectCleared(world);

        rig.cluster.faults.delay(jobs, 0);
        rig.cluster.faults.delay(machines, 0);
        await rig.settle(6_000);
        if (wasBusy) expect(world.marks()).toEqual(before);
        world.finishAll();
        await rig.settle(75_000);
        expectCleared(world);
      });

      const harms = scenario.harm.includes(lateness);
      test(`unguarded, the pass does ${harms ? "harm" : "no harm"}`, async () => {
        await using cell = await play(scenario, lateness, false);
        expect(isHarmed(scenario, cell)).toBe(harms);
      });
    },
  );
});

/** Nothing stands for a Job; a deleting machine is gone. */
function expectCleared(world: World): void {
  const machine = world.rig.cluster.objects.get(machines, "shop/m");
  const isGone = machine === undefined;
  expect(world.marks()).toEqual(isGone ? [] : ["finalizer"]);
  expect(machine?.metadata.deletionTimestamp).toBeUndefined();
  if (machine) expect(machine.metadata.finalizers).toEqual([FINALIZER]);
}
