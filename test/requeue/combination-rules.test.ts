import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ActiveJobRequeue,
  combinationRules,
  defineInterval,
  type Due,
  GateRequeue,
  IdentityReRead,
  type Interval,
  nextLook,
  type OpBackoff,
  RetryBase,
  RetryMax,
  type Situation,
  standardIntervals,
  standardSchedules,
  StateRequeue,
} from "../../src/requeue/index.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const NOW = Date.UTC(2026, 0, 1);

const { drift, health } = standardSchedules();
const backup = defineInterval({ name: "Backup", sort: "schedule", duration: "1h" });

/** Due in so many seconds; overdue when negative. */
function driftIn(seconds: number): Due | undefined {
  return drift.due({ uid: undefined, last: NOW + seconds * SECOND - 30 * MINUTE }, NOW);
}
function healthIn(seconds: number): Due | undefined {
  return health.due({ uid: undefined, last: NOW + seconds * SECOND - 5 * MINUTE }, NOW);
}
function backupIn(seconds: number): Due {
  return { interval: backup, op: "backup", readsInputs: false, at: NOW + seconds * SECOND };
}
function backoff(op: string, seconds: number, interval: Interval = RetryBase): OpBackoff {
  return { op, failures: 1, until: NOW + seconds * SECOND, interval };
}

/** `start drift`, `DriftCheck in 40 s`, or `nothing`. */
function told(situation: Situation): string {
  const next = nextLook(situation, NOW);
  if (!next) return "nothing";
  if (next.start !== undefined) return `start ${next.start}`;
  return `${next.requeue.interval.name} in ${next.requeue.delayMs / SECOND} s`;
}

const rows: [string, Situation, string][] = [
  ["nothing is scheduled", { dues: [] }, "nothing"],
  ["every schedule is off", { dues: [undefined, undefined] }, "nothing"],
  // The soonest of the due times.
  ["drift is due before health", { dues: [healthIn(90), driftIn(40)] }, "DriftCheck in 40 s"],
  ["health is due before drift", { dues: [healthIn(30), driftIn(40)] }, "HealthCheck in 30 s"],
  ["one is due now", { dues: [healthIn(30), driftIn(0)] }, "start drift"],
  ["both are overdue, drift longer", { dues: [healthIn(-1), driftIn(-2)] }, "start drift"],
  ["both are overdue alike: the one named first", { dues: [healthIn(-1), driftIn(-1)] }, "start refresh"],
  ["one has a millisecond left", { dues: [{ ...backupIn(0), at: NOW + 1 }] }, "Backup in 0.001 s"],
  ["a look that starts nothing", { dues: [{ ...backupIn(-9), op: undefined }] }, "Backup in 0 s"],
  // What is wanted at once.
  ["an op is wanted", { wants: ["apply"], dues: [driftIn(40)] }, "start apply"],
  ["an op is wanted while drift is overdue", { wants: ["apply"], dues: [driftIn(-40)] }, "start apply"],
  ["two ops are wanted", { wants: ["restore", "apply"], dues: [] }, "start restore"],
  // A wait requeues at that wait's interval.
  ["a gate is shut", { waitsFor: GateRequeue, dues: [driftIn(10)] }, "GateRequeue in 30 s"],
  ["a gate is shut while drift is overdue", { waitsFor: GateRequeue, dues: [driftIn(-10)] }, "GateRequeue in 30 s"],
  [
    "a gate is shut while an op is wanted",
    { waitsFor: GateRequeue, wants: ["apply"], dues: [] },
    "GateRequeue in 30 s",
  ],
  ["a Job runs", { waitsFor: ActiveJobRequeue, dues: [driftIn(-10)] }, "ActiveJobRequeue in 60 s"],
  [
    "the state is lost while an op backs off",
    { waitsFor: StateRequeue, dues: [], backoffs: [backoff("apply", 5)] },
    "StateRequeue in 60 s",
  ],
  [
    "an approval is waited for with changed inputs",
    { waitsFor: RetryMax, dues: [driftIn(5)], inputChangeWaits: true },
    "RetryMax in 600 s",
  ],
  // A backoff replaces the op's Job with a requeue for what is left, and pauses nothing else.
  ["a wanted op backs off", { wants: ["apply"], dues: [], backoffs: [backoff("apply", 45)] }, "RetryBase in 45 s"],
  [
    "a wanted op backs off for long",
    { wants: ["apply"], dues: [], backoffs: [backoff("apply", 500, RetryMax)] },
    "RetryMax in 500 s",
  ],
  ["a due op backs off", { dues: [driftIn(-5)], backoffs: [backoff("drift", 45)] }, "RetryBase in 45 s"],
  [
    "another op is due meanwhile",
    { dues: [driftIn(-5), healthIn(0)], backoffs: [backoff("drift", 45)] },
    "start refresh",
  ],
  [
    "another op is due sooner",
    { dues: [driftIn(-5), healthIn(30)], backoffs: [backoff("drift", 45)] },
    "HealthCheck in 30 s",
  ],
  [
    "another op is due later",
    { dues: [driftIn(-5), healthIn(50)], backoffs: [backoff("drift", 45)] },
    "RetryBase in 45 s",
  ],
  [
    "the backoff ends before the op is due",
    { dues: [driftIn(60)], backoffs: [backoff("drift", 45)] },
    "DriftCheck in 60 s",
  ],
  ["the backoff is over", { dues: [driftIn(-5)], backoffs: [undefined] }, "start drift"],
  [
    "an apply backs off, and drift goes on",
    { wants: ["apply"], dues: [driftIn(0)], backoffs: [backoff("apply", 45)] },
    "start drift",
  ],
  [
    "two ops back off",
    { wants: ["apply"], dues: [driftIn(0)], backoffs: [backoff("apply", 45), backoff("drift", 20)] },
    "RetryBase in 20 s",
  ],
  // A waiting input change pauses refresh and drift.
  ["an input change waits", { dues: [driftIn(-5), healthIn(-5)], inputChangeWaits: true }, "RetryMax in 600 s"],
  [
    "an input change waits for its backoff",
    { wants: ["apply"], dues: [driftIn(-5)], backoffs: [backoff("apply", 45)], inputChangeWaits: true },
    "RetryBase in 45 s",
  ],
  ["what reads no inputs goes on", { dues: [driftIn(-5), backupIn(20)], inputChangeWaits: true }, "Backup in 20 s"],
  ["and starts", { dues: [driftIn(-5), backupIn(0)], inputChangeWaits: true }, "start backup"],
  ["the change is applied", { dues: [driftIn(-5), backupIn(20)], inputChangeWaits: false }, "start drift"],
];

describe("what a pass does next", () => {
  test.each(rows)("%s", (_, situation, expected) => {
    expect(told(situation)).toBe(expected);
  });
});

test("the rules are told in sentences", () => {
  expect(combinationRules.map(({ name }) => name)).toEqual(["waiting", "input change", "backoff", "soonest"]);
  for (const { says } of combinationRules) expect(says).toMatch(/^[A-Z].*\.$/);
});

describe("whatever the situation", () => {
  const due = fc.record({
    interval: fc.constantFrom(...standardIntervals),
    at: fc.integer({ min: NOW - 1_000_000, max: NOW + 1_000_000 }),
    op: fc.constantFrom("apply", "drift", "refresh", undefined),
    readsInputs: fc.boolean(),
  });
  const situation = fc.record<Situation>({
    dues: fc.array(fc.option(due, { nil: undefined }), { maxLength: 5 }),
    wants: fc.subarray(["apply", "destroy"]),
    waitsFor: fc.option(fc.constantFrom(GateRequeue, StateRequeue, IdentityReRead), { nil: undefined }),
    inputChangeWaits: fc.boolean(),
    backoffs: fc.array(
      fc.record({
        op: fc.constantFrom("apply", "drift"),
        failures: fc.integer({ min: 1, max: 5 }),
        until: fc.integer({ min: NOW + 1, max: NOW + 600_000 }),
        interval: fc.constantFrom(RetryBase, RetryMax),
      }),
      { maxLength: 2 },
    ),
  });

  test("no op starts that waits, backs off, or reads inputs that are not applied", () => {
    fc.assert(
      fc.property(situation, (given) => {
        const next = nextLook(given, NOW);
        if (next?.start === undefined) return;
        expect(given.waitsFor).toBeUndefined();
        expect(given.backoffs?.map((held) => held?.op)).not.toContain(next.start);
        if (given.inputChangeWaits) expect(next.due.readsInputs).toBe(false);
      }),
    );
  });

  test("a wish for a later look is never lost, and never negative", () => {
    fc.assert(
      fc.property(situation, (given) => {
        const next = nextLook(given, NOW);
        const hasReason = given.waitsFor || given.wants?.length || given.dues.some(Boolean) || given.inputChangeWaits;
        expect(next === undefined).toBe(!hasReason);
        if (next?.requeue) expect(next.requeue.delayMs).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  test("without a wait, a backoff or a waiting change the soonest due counts", () => {
    fc.assert(
      fc.property(fc.array(due, { minLength: 1, maxLength: 6 }), (dues) => {
        const soonest = Math.min(...dues.map(({ at }) => at));
        const next = nextLook({ dues }, NOW);
        const at = next?.start === undefined ? NOW + (next?.requeue.delayMs ?? Number.NaN) : next.due.at;
        expect(at).toBe(next?.start === undefined ? Math.max(soonest, NOW) : soonest);
      }),
    );
  });
});
