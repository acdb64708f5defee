import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ActiveJobRequeue,
  defineInterval,
  DriftCheck,
  overrideInterval,
  Schedule,
  standardSchedules,
  uidJitterMs,
} from "../../src/requeue/index.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 0, 1);
const UID = "9f2b6a1e-3c58-4d7f-8a41-0e5d7c2b9f10";

const { drift, poolDrift, pendingHealth, refreshAfterApply } = standardSchedules();

describe("a schedule", () => {
  test("is due an interval and its jitter after the last run", () => {
    const due = drift.due({ uid: UID, last: NOW - 10 * MINUTE }, NOW);
    const jitter = uidJitterMs(UID, 30 * MINUTE);
    expect(jitter).toBeGreaterThan(0);
    expect(due).toEqual({ interval: DriftCheck, op: "drift", readsInputs: true, at: NOW + 20 * MINUTE + jitter });
  });

  test("has no jitter for an object without a uid", () => {
    expect(drift.due({ uid: undefined, last: NOW - 10 * MINUTE }, NOW)?.at).toBe(NOW + 20 * MINUTE);
  });

  test("is overdue, not forgotten, when its time has passed", () => {
    expect(drift.due({ uid: undefined, last: NOW - HOUR }, NOW)?.at).toBe(NOW - 30 * MINUTE);
  });

  test("counts its first run from the last apply or the creation, and without either is due at once", () => {
    expect(drift.due({ uid: undefined, since: NOW - MINUTE }, NOW)?.at).toBe(NOW + 29 * MINUTE);
    expect(drift.due({ uid: undefined, since: NOW - MINUTE, last: NOW }, NOW)?.at).toBe(NOW + 30 * MINUTE);
    expect(drift.due({ uid: undefined }, NOW)?.at).toBe(NOW);
  });

  test("goes by the object's own interval where it has one, jitter included", () => {
    const everyMs = 10 * MINUTE;
    expect(drift.due({ uid: UID, last: NOW, everyMs }, NOW)?.at).toBe(NOW + everyMs + uidJitterMs(UID, everyMs));
  });

  test("comes to the same whenever it is asked before its time", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.nat(30 * MINUTE), (uid, laterMs) => {
        const first = drift.due({ uid, last: NOW }, NOW);
        expect(drift.due({ uid, last: NOW }, NOW + laterMs)).toEqual(first);
      }),
    );
  });

  test("is one of the user's own as well", () => {
    const backup = new Schedule({
      interval: defineInterval({ name: "Backup", sort: "schedule", duration: "24h" }),
      readsInputs: false,
    });
    expect(backup.due({ uid: undefined, last: NOW }, NOW)).toMatchObject({
      op: "Backup",
      readsInputs: false,
      at: NOW + 24 * HOUR,
    });
  });
});

describe("an interval of zero", () => {
  const off = overrideInterval(DriftCheck, 0, "flag --drift-default-interval");

  test("turns a schedule off, by the object's field or by the flag", () => {
    expect(drift.due({ uid: UID, last: NOW, everyMs: 0 }, NOW)).toBeUndefined();
    expect(standardSchedules(off).drift.due({ uid: UID, last: NOW }, NOW)).toBeUndefined();
    expect(standardSchedules(off).drift.due({ uid: UID, last: NOW, everyMs: MINUTE }, NOW)).toBeDefined();
  });

  test("stands for the next setting where the schedule cannot be turned off", () => {
    const short = overrideInterval(DriftCheck, "20m", "flag --drift-default-interval");
    const zero = { uid: undefined, last: NOW, everyMs: 0 };
    expect(poolDrift.due(zero, NOW)?.at).toBe(NOW + 30 * MINUTE);
    expect(standardSchedules(short).poolDrift.due(zero, NOW)?.at).toBe(NOW + 20 * MINUTE);
    expect(standardSchedules(off).poolDrift.due(zero, NOW)?.at).toBe(NOW + 30 * MINUTE);
    expect(standardSchedules(off).poolDrift.due({ ...zero, everyMs: MINUTE }, NOW)?.at).toBe(NOW + MINUTE);
  });
});

describe("a schedule that is due once", () => {
  test("waits for what it follows, is due at once, and is done when it has run since", () => {
    expect(refreshAfterApply.due({ uid: UID, last: NOW - HOUR }, NOW)).toBeUndefined();
    expect(refreshAfterApply.due({ uid: UID, since: NOW - 5, last: NOW - HOUR }, NOW)?.at).toBe(NOW - 5);
    expect(refreshAfterApply.due({ uid: UID, since: NOW - 5, last: NOW - 5 }, NOW)).toBeUndefined();
  });
});

describe("the clock jumps", () => {
  test("back one hour: the check runs at once rather than an hour late", () => {
    expect(drift.due({ uid: UID, last: NOW + HOUR }, NOW)?.at).toBe(NOW);
    expect(drift.due({ uid: UID, last: NOW }, NOW)?.at).toBeGreaterThan(NOW);
  });

  test("forward one hour: overdue, and once run back to its rhythm", () => {
    const later = NOW + HOUR;
    expect(drift.due({ uid: undefined, last: NOW - MINUTE }, later)?.at).toBeLessThan(later);
    expect(drift.due({ uid: undefined, last: later }, later)?.at).toBe(later + 30 * MINUTE);
  });

  test("a little, as the clocks of two machines do: nothing changes", () => {
    expect(drift.due({ uid: undefined, last: NOW + 5_000 }, NOW)?.at).toBe(NOW + 5_000 + 30 * MINUTE);
  });

  test("a refresh after an apply is not lost on a reading that seems to come from the future", () => {
    expect(refreshAfterApply.due({ uid: UID, since: NOW, last: NOW + HOUR }, NOW)?.at).toBe(NOW);
  });

  test("whatever it is set to, nothing is due later than an interval, its jitter and a minute from now", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.integer({ min: -86_400_000, max: 86_400_000 }), (uid, offset) => {
        const at = drift.due({ uid, last: NOW + offset }, NOW)?.at ?? Number.NaN;
        expect(at).toBeLessThan(NOW + 30 * MINUTE * 1.1 + MINUTE);
      }),
    );
  });
});

describe("bad input is refused by name", () => {
  const at = { uid: UID, last: NOW };

  test.each([
    [{ ...at, everyMs: -1 }, "BAD_SCHEDULE", "spec.drift.intervalSeconds is -1: give 0 or more"],
    [{ ...at, everyMs: Number.NaN }, "BAD_SCHEDULE", "spec.drift.intervalSeconds is NaN: give 0 or more"],
    [{ ...at, everyMs: Number.POSITIVE_INFINITY }, "BAD_SCHEDULE", "spec.drift.intervalSeconds is Infinity"],
    [{ ...at, readings: -2 }, "BAD_SCHEDULE", "the number of readings for DriftCheck is -2"],
    [{ ...at, last: Date.parse("yesterday") }, "BAD_TIME", "the last run of DriftCheck is NaN"],
    [{ ...at, since: Number.NaN }, "BAD_TIME", "what DriftCheck is counted from is NaN"],
  ])("%j", (input, code, message) => {
    expect(() => drift.due(input, NOW)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  });

  test.each([
    [{ interval: ActiveJobRequeue }, "ActiveJobRequeue is a wait"],
    [{ interval: { ...DriftCheck, ms: -1 } }, "the interval of DriftCheck is -1"],
    [{ interval: { ...DriftCheck, ms: Number.NaN } }, "the interval of DriftCheck is NaN"],
    [{ interval: DriftCheck, neverOff: 0 }, "DriftCheck is never off and falls back on 0 ms"],
    [{ interval: DriftCheck, neverOff: Number.NaN }, "falls back on NaN ms"],
    [{ interval: DriftCheck, doublesTo: "5m" }, "DriftCheck doubles from 1800000 ms to 300000 ms"],
  ] as const)("a schedule of %j", (options, message) => {
    expect(() => new Schedule(options)).toThrow(
      expect.objectContaining({ code: "BAD_SCHEDULE", message: expect.stringContaining(message) }),
    );
  });

  test("a broken longest interval", () => {
    expect(() => new Schedule({ interval: pendingHealth.interval, doublesTo: "soon" })).toThrow(
      /"soon" is not a duration/,
    );
  });
});
