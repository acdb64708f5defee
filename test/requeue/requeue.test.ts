import { describe, expect, test } from "vitest";
import {
  builtInIntervals,
  defineInterval,
  type Interval,
  LagRequeue,
  Requeue,
  RequeueLedger,
  uniqueIntervals,
} from "../../src/requeue/index.ts";
import { RecordingMeter } from "../controller/recording.ts";

const Approval = defineInterval({ name: "Approval", sort: "wait", duration: "10m" });

describe("intervals", () => {
  test("the built-in ones last as documented", () => {
    expect(Object.fromEntries(builtInIntervals.map(({ name, sort, ms }) => [name, `${sort} ${ms / 1_000} s`]))).toEqual(
      {
        LagRequeue: "wait 5 s",
        GateRequeue: "wait 30 s",
        StateRequeue: "wait 60 s",
        ActiveJobRequeue: "wait 60 s",
        RetryBase: "backoff 60 s",
        RetryMax: "backoff 600 s",
      },
    );
  });

  test("one of the user's own keeps where its duration came from", () => {
    expect(defineInterval({ name: "Drift", sort: "schedule", duration: 1_500, source: "flag --drift" })).toEqual({
      name: "Drift",
      sort: "schedule",
      ms: 1_500,
      source: "flag --drift",
    });
    expect(Approval.source).toBe("compiled in");
  });

  test.each([
    [{ name: "Approval", sort: "wait", duration: "-1s" }, /Approval lasts -1000 ms: give a wait more than zero/],
    [{ name: "Approval", sort: "wait", duration: Number.NaN }, /Approval lasts NaN ms/],
    [{ name: "Approval", sort: "backoff", duration: 0 }, /Approval lasts 0 ms: give a backoff more than zero/],
    [{ name: "Approval", sort: "wait", duration: "soon" }, /"soon" is not a duration/],
    [{ name: "an approval", sort: "wait", duration: "1s" }, /"an approval" cannot name an interval/],
  ] as const)("%j is refused", (options, message) => {
    expect(() => defineInterval({ ...options })).toThrow(message);
  });

  test("a schedule may be due at once", () => {
    expect(defineInterval({ name: "Refresh", sort: "schedule", duration: 0 }).ms).toBe(0);
  });

  test("a name stands for one duration", () => {
    const twin = defineInterval({ name: "Approval", sort: "wait", duration: "10m" });
    const other = defineInterval({ name: "Approval", sort: "wait", duration: "11m" });
    expect(uniqueIntervals([Approval, twin])).toEqual([Approval]);
    expect(() => uniqueIntervals([Approval, other])).toThrow(/two intervals are named Approval/);
  });
});

describe("a requeue", () => {
  test("waits its interval, or what is left of it", () => {
    expect(Requeue.after(Approval).delayMs).toBe(600_000);
    expect(Requeue.after(Approval, 250)).toMatchObject({ interval: Approval, delayMs: 250 });
    expect(Requeue.after(Approval, 0).delayMs).toBe(0);
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])("after %d ms is refused by name", (delayMs) => {
    expect(() => Requeue.after(Approval, delayMs)).toThrow(`after ${delayMs} ms was asked for interval Approval`);
  });
});

function made(...intervals: Interval[]): { ledger: RequeueLedger; meter: RecordingMeter } {
  const meter = new RecordingMeter();
  return { ledger: new RequeueLedger("runner", [LagRequeue, ...intervals], meter), meter };
}

describe("the ledger", () => {
  const labels = { controller: "runner", interval: "Approval" };

  test("has every series from the start", () => {
    const { meter } = made(Approval);
    expect(meter.value("requeue_interval_seconds", labels)).toBe(600);
    for (const outcome of ["fired", "superseded", "dropped"]) {
      expect(meter.value("requeues_total", { ...labels, outcome })).toBe(0);
    }
  });

  test("counts how each requeue ended, in seconds", () => {
    const { ledger, meter } = made(Approval);
    ledger.asked(Requeue.after(Approval));
    ledger.asked(Requeue.after(Approval, 1_500));
    ledger.fired("Approval", 250);
    ledger.superseded("Approval");
    ledger.dropped("LagRequeue");
    expect(meter.observed("requeue_delay_seconds", labels)).toEqual([600, 1.5]);
    expect(meter.observed("requeue_lateness_seconds", labels)).toEqual([0.25]);
    expect(meter.value("requeues_total", { ...labels, outcome: "fired" })).toBe(1);
    expect(meter.value("requeues_total", { ...labels, outcome: "superseded" })).toBe(1);
    expect(meter.value("requeues_total", { ...labels, outcome: "dropped" })).toBe(0);
    expect(meter.value("requeues_total", { ...labels, interval: "LagRequeue", outcome: "dropped" })).toBe(1);
  });

  test("is never early", () => {
    const { ledger, meter } = made(Approval);
    ledger.fired("Approval", -0.4);
    expect(meter.observed("requeue_lateness_seconds", labels)).toEqual([0]);
  });

  test("refuses an interval that the controller does not declare", () => {
    const { ledger } = made();
    expect(() => ledger.asked(Requeue.after(Approval))).toThrow(
      /controller runner asked for interval Approval, which it does not declare/,
    );
  });

  test("refuses two durations under one name", () => {
    const other = defineInterval({ name: "LagRequeue", sort: "wait", duration: "6s" });
    expect(() => made(other)).toThrow(/two intervals are named LagRequeue/);
  });
});
