import { describe, expect, test } from "vitest";
import { Controller } from "../../src/controller/index.ts";
import {
  ActiveJobRequeue,
  DriftCheck,
  type Due,
  GateRequeue,
  HealthCheck,
  IdentityReRead,
  type Interval,
  LagRequeue,
  LeaseGrace,
  nextLook,
  overrideInterval,
  type PastRun,
  RetryBase,
  RetryMax,
  RetryPolicy,
  type Situation,
  standardIntervals,
  standardSchedules,
  StateRequeue,
  StuckJobAge,
  uidJitterMs,
} from "../../src/requeue/index.ts";
import { resources } from "../../src/resources/index.ts";
import { VirtualClock } from "../../src/testing/index.ts";
import { jobFor, type Run, runs } from "../controller/objects.ts";
import { Rig } from "../controller/rig.ts";

// The three tables of intervals that the project is specified by (a Terraform provider's reference page), row by row.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const UID = "9f2b6a1e-3c58-4d7f-8a41-0e5d7c2b9f10";
const flagged = overrideInterval(DriftCheck, "20m", "flag --drift-default-interval");
const switchedOff = overrideInterval(DriftCheck, 0, "flag --drift-default-interval");

/** One object as the tables see it: its kind, its fields, and what its last readings said. */
interface Infrastructure {
  readonly kind: "cluster" | "machine" | "pool";
  readonly uid?: string;
  readonly driftDefault?: Interval<"DriftCheck">;
  readonly driftIntervalMs?: number;
  readonly annotateMachine?: boolean;
  readonly healthIntervalMs?: number;
  readonly membershipIntervalMs?: number;
  readonly pending?: boolean;
  readonly converging?: boolean;
  /** An apply ended when the test begins; "definite": it said itself how things are. */
  readonly applied?: "definite" | "indefinite";
}

/** What was done for the object so far. Times are wall time in milliseconds; everything began at `since`. */
interface History {
  readonly since: number;
  readonly started: { op: string; at: number }[];
  readings: number;
}

/** What a controller of these kinds passes to `nextLook`. */
function duesOf(object: Infrastructure, { since, started, readings }: History, now: number): (Due | undefined)[] {
  const schedules = standardSchedules(object.driftDefault);
  const lastOf = (op: string): number | undefined => started.findLast((run) => run.op === op)?.at;
  const { uid } = object;
  const refresh = { uid, last: lastOf("refresh"), since };
  const driftCheck = { uid, last: lastOf("drift"), since, everyMs: object.driftIntervalMs };
  return [
    object.kind !== "cluster" && object.applied === "indefinite"
      ? schedules.refreshAfterApply.due(refresh, now)
      : undefined,
    object.converging ? schedules.convergingMembership.due(refresh, now) : undefined,
    object.pending && !object.converging ? schedules.pendingHealth.due({ ...refresh, readings }, now) : undefined,
    object.kind === "pool"
      ? schedules.membership.due({ ...refresh, everyMs: object.membershipIntervalMs }, now)
      : undefined,
    object.annotateMachine ? schedules.health.due({ ...refresh, everyMs: object.healthIntervalMs }, now) : undefined,
    (object.kind === "pool" ? schedules.poolDrift : schedules.drift).due(driftCheck, now),
  ];
}

/** Which ops start in a time, by virtual clock: `refresh 300`, seconds from the start. Each run takes no time. */
async function starts(object: Infrastructure, forMs: number): Promise<string[]> {
  const clock = new VirtualClock();
  const history: History = { since: clock.now(), started: [], readings: 1 };
  const look = (): void => {
    const next = nextLook({ dues: duesOf(object, history, clock.now()) }, clock.now());
    if (next?.requeue) return void clock.setTimer(look, next.requeue.delayMs);
    if (!next) return;
    history.started.push({ op: next.start, at: clock.now() });
    if (next.start === "refresh") history.readings += 1;
    look();
  };
  look();
  await clock.advance(forMs);
  return history.started.map(({ op, at }) => `${op} ${(at - history.since) / SECOND}`);
}

const machine = { kind: "machine", driftIntervalMs: 0 } as const;
const pool = { kind: "pool", membershipIntervalMs: 3_600_000 } as const;

describe("schedules: when a Job is due", () => {
  test.each<[string, Infrastructure, number, string[]]>([
    ["drift check, 30 min", { kind: "cluster" }, 90, ["drift 1800", "drift 3600", "drift 5400"]],
    [
      "by spec.drift.intervalSeconds",
      { kind: "machine", driftIntervalMs: 10 * MINUTE },
      25,
      ["drift 600", "drift 1200"],
    ],
    ["else by --drift-default-interval", { kind: "machine", driftDefault: flagged }, 45, ["drift 1200", "drift 2400"]],
    [
      "the field before the flag",
      { kind: "machine", driftDefault: flagged, driftIntervalMs: 15 * MINUTE },
      20,
      ["drift 900"],
    ],
    ["0 disables it for a cluster", { kind: "cluster", driftIntervalMs: 0 }, 600, []],
    ["0 disables it for a machine", { kind: "machine", driftIntervalMs: 0 }, 600, []],
    ["0 of the flag as well", { kind: "machine", driftDefault: switchedOff }, 600, []],
    ["a pool's is never disabled by its field", { ...pool, driftIntervalMs: 0 }, 59, ["drift 1800"]],
    ["nor by the flag", { ...pool, driftDefault: switchedOff }, 59, ["drift 1800"]],
    [
      "health check, 300 s, while annotateMachine",
      { ...machine, annotateMachine: true },
      11,
      ["refresh 300", "refresh 600"],
    ],
    [
      "by healthCheckIntervalSeconds",
      { ...machine, annotateMachine: true, healthIntervalMs: 4 * MINUTE },
      9,
      ["refresh 240", "refresh 480"],
    ],
    ["else health comes with drift", { kind: "machine" }, 31, ["drift 1800"]],
    ["membership refresh, 60 s, of pools", { kind: "pool" }, 3, ["refresh 60", "refresh 120", "refresh 180"]],
    [
      "by membershipRefreshIntervalSeconds",
      { kind: "pool", membershipIntervalMs: 90 * SECOND },
      3,
      ["refresh 90", "refresh 180"],
    ],
    ["pools only", { ...machine }, 600, []],
    [
      "pending health, 30 s doubling to 5 min",
      { ...machine, pending: true },
      18,
      ["refresh 30", "refresh 90", "refresh 210", "refresh 450", "refresh 750", "refresh 1050"],
    ],
    [
      "converging membership, 30 s fixed",
      { ...pool, converging: true },
      2,
      ["refresh 30", "refresh 60", "refresh 90", "refresh 120"],
    ],
    [
      "not doubled while pending too",
      { ...pool, converging: true, pending: true },
      1.5,
      ["refresh 30", "refresh 60", "refresh 90"],
    ],
    ["refresh after apply, once and at once", { ...machine, applied: "indefinite" }, 600, ["refresh 0"]],
    ["of pools too", { ...pool, applied: "indefinite" }, 20, ["refresh 0"]],
    ["of machines and pools only", { kind: "cluster", driftIntervalMs: 0, applied: "indefinite" }, 600, []],
    ["skipped when the apply's own reading is definite", { ...machine, applied: "definite" }, 600, []],
  ])("%s", async (_, object, minutes, expected) => {
    expect(await starts(object, minutes * MINUTE)).toEqual(expected);
  });

  test("each deadline has the object's own jitter of up to a tenth of its interval", async () => {
    const late = uidJitterMs(UID, 30 * MINUTE);
    expect(late).toBeGreaterThan(0);
    expect(await starts({ kind: "cluster", uid: UID }, 99 * MINUTE)).toEqual(
      [1, 2, 3].map((nth) => `drift ${nth * (1_800 + late / SECOND)}`),
    );
    const pending = await starts({ ...machine, uid: UID, pending: true }, 2 * MINUTE);
    const [first, second] = [30, 60].map((seconds) => seconds + uidJitterMs(UID, seconds * SECOND) / SECOND);
    expect(pending).toEqual([`refresh ${first}`, `refresh ${(first ?? 0) + (second ?? 0)}`]);
  });

  test("of those that apply the soonest starts, and each keeps its own rhythm", async () => {
    const starting = await starts({ kind: "machine", annotateMachine: true }, 31 * MINUTE);
    expect(starting).toEqual([
      "refresh 300",
      "refresh 600",
      "refresh 900",
      "refresh 1200",
      "refresh 1500",
      "refresh 1800",
      "drift 1800",
    ]);
  });
});

/** A controller whose passes end with what `nextLook` says; when they ran, in seconds since the first. */
async function passTimes(
  situationOf: (now: number) => Situation,
  during: (rig: Rig) => Promise<void>,
): Promise<number[]> {
  await using rig = await Rig.make();
  const times: number[] = [];
  const runner = new Controller<Run, string>("runner", {
    for: runs,
    owns: [resources.jobs],
    intervals: standardIntervals,
    reconcile: async () => {
      times.push(rig.clock.now());
      return nextLook(situationOf(rig.clock.now()), rig.clock.now())?.requeue;
    },
  });
  rig.createRun("export");
  await rig.run(runner);
  await during(rig);
  return times.map((at) => (at - (times[0] ?? 0)) / SECOND);
}

const awaitingApproval = (): Situation => ({ waitsFor: RetryMax, dues: [], inputChangeWaits: true });
const quiet = (seconds: number) => (rig: Rig) => rig.settle(seconds * SECOND);

describe("waits: when the controller looks again", () => {
  test.each<[Interval, number]>([
    [GateRequeue, 30],
    [StateRequeue, 60],
    [LagRequeue, 5],
    [ActiveJobRequeue, 60],
    [RetryBase, 60],
    [RetryMax, 600],
    [StuckJobAge, 60],
    [LeaseGrace, 60],
    [IdentityReRead, 300],
  ])("$name", async (interval, seconds) => {
    expect(interval).toMatchObject({ ms: seconds * SECOND, source: "compiled in" });
    const times = await passTimes(() => ({ waitsFor: interval, dues: [] }), quiet(2 * seconds + 1));
    expect(times).toEqual([0, seconds, 2 * seconds]);
  });

  test("RetryBase and RetryMax are the backoff after failed Jobs", () => {
    const retry = new RetryPolicy();
    const failures = [1, 2, 3].map((count) =>
      Array.from({ length: count }, (): PastRun => ({ op: "apply", outcome: "failed", finishedAt: 0 })),
    );
    expect(failures.map((past) => retry.backoff("apply", past, 0)?.interval.name)).toEqual([
      "RetryBase",
      "RetryBase",
      "RetryMax",
    ]);
  });

  test("every interval has a name of its own", () => {
    expect(new Set(standardIntervals.map(({ name }) => name)).size).toBe(15);
  });
});

describe("how they combine: the typical next reconcile", () => {
  const schedules = standardSchedules();
  const idle =
    (start: number, healthEveryMs?: number) =>
    (now: number): Situation => ({
      dues: [
        schedules.drift.due({ uid: undefined, last: Math.max(start, now - ((now - start) % DriftCheck.ms)) }, now),
        schedules.health.due(
          { uid: undefined, last: Math.max(start, now - ((now - start) % HealthCheck.ms)), everyMs: healthEveryMs },
          now,
        ),
      ],
    });
  const start = new VirtualClock().now();

  test("idle and healthy: the sooner of the drift and health deadlines", async () => {
    expect(await passTimes(idle(start), quiet(601))).toEqual([0, 300, 600]);
    expect(await passTimes(idle(start, 60 * MINUTE), quiet(1_801))).toEqual([0, 1_800]);
  });

  test("idle and healthy: and any event", async () => {
    const times = await passTimes(idle(start), async (rig) => {
      await rig.settle(100 * SECOND);
      rig.cluster.objects.patch(runs, "shop/export", { metadata: { labels: { touched: "yes" } } });
      await rig.settle(201 * SECOND);
    });
    expect(times).toEqual([0, 100, 300]);
  });

  test("a Job running: its finish, or a minute at the latest", async () => {
    const times = await passTimes(
      () => ({ waitsFor: ActiveJobRequeue, dues: [] }),
      async (rig) => {
        const run = rig.cluster.objects.get(runs, "shop/export");
        if (!run) throw new Error("the Run is gone");
        const { metadata, ...job } = jobFor(run);
        const ownerReferences = [
          { apiVersion: "example.com/v1", kind: "Run", name: "export", uid: run.metadata.uid, controller: true },
        ];
        rig.cluster.objects.create(resources.jobs, {
          ...job,
          metadata: { name: "export-1", namespace: "shop", ...metadata, ownerReferences },
        });
        await rig.settle(20 * SECOND);
        rig.cluster.objects.patch(resources.jobs, "shop/export-1", {
          status: { conditions: [{ type: "Complete", status: "True" }] },
        });
        await rig.settle(61 * SECOND);
      },
    );
    expect(times).toEqual([0, 0, 20, 80]);
  });

  test("backing off after a failure: the end of the backoff", async () => {
    const failed: PastRun[] = [{ op: "apply", outcome: "failed", finishedAt: start - 15 * SECOND }];
    const situation = (now: number): Situation => ({
      wants: ["apply"],
      dues: [],
      backoffs: [new RetryPolicy().backoff("apply", failed, now)],
    });
    expect(await passTimes(situation, quiet(50))).toEqual([0, 45]);
  });

  test("waiting for a lease: 30 s", async () => {
    expect(await passTimes(() => ({ waitsFor: GateRequeue, dues: [] }), quiet(31))).toEqual([0, 30]);
  });

  test("waiting for an approval: the annotation, or 10 min", async () => {
    expect(await passTimes(awaitingApproval, quiet(601))).toEqual([0, 600]);
    const approved = await passTimes(awaitingApproval, async (rig) => {
      await rig.settle(90 * SECOND);
      rig.cluster.objects.patch(runs, "shop/export", { metadata: { annotations: { approved: "yes" } } });
      await rig.settle(SECOND);
    });
    expect(approved).toEqual([0, 90]);
  });

  test("held on the state: 1 min", async () => {
    expect(await passTimes(() => ({ waitsFor: StateRequeue, dues: [] }), quiet(61))).toEqual([0, 60]);
  });
});
