import { describe, expect, it } from "vitest";
import { active, cronJob, eventAbout, iso, LAST_MS, look, run } from "./scene.ts";

const MINUTE = 60_000;
const each = cronJob({ spec: { schedule: "* * * * *" } });
const told = LAST_MS + 101 * MINUTE;
const event = eventAbout(each, "TooManyMissedTimes", {
  message: "too many missed start times",
  firstTimestamp: iso(told),
  lastTimestamp: iso(told + 5 * MINUTE),
  count: 30,
});

function toldAt(ms: number) {
  return look(each, { events: [event] }, ms);
}

function within(seconds: number) {
  return cronJob({ spec: { ...each.spec, startingDeadlineSeconds: seconds } });
}

describe("S34, more than a hundred missed runs", () => {
  it("counts from the event", () => {
    expect(toldAt(told)).toMatchObject({
      kind: "S34",
      reason: "TooManyMissedTimes",
      severity: "warning",
      since: iso(told),
      sinceSource: "event TooManyMissedTimes firstTimestamp",
    });
    expect(toldAt(told + 60 * MINUTE - 1_000)?.severity).toBe("warning");
    expect(toldAt(told + 60 * MINUTE)?.severity).toBe("critical");
  });

  it("says what is true of a hundred missed runs, one less", () => {
    expect(look(each, { events: [event] }, told - 1_000)?.kind).toBe("S35");
  });

  it("is silent once a run has started after the event", () => {
    const started = cronJob({ spec: each.spec, status: { lastScheduleTime: iso(told + 6 * MINUTE) } });
    expect(look(started, { events: [event] }, told + 6 * MINUTE + 1_000)).toBeUndefined();
  });

  it("is silent about a suspended CronJob", () => {
    const suspended = cronJob({ spec: { ...each.spec, suspend: true } });
    expect(look(suspended, { events: [event] }, told + 60 * MINUTE)).toBeUndefined();
  });

  it("counts only what spec.startingDeadlineSeconds lets the controller count", () => {
    expect(look(within(6_000), { events: [event] }, told + 60 * MINUTE)?.kind).toBe("S35");
    expect(look(within(6_060), { events: [event] }, told + 60 * MINUTE)?.kind).toBe("S34");
  });

  it("names what holds the runs up instead, where that is known", () => {
    const forbid = cronJob({ spec: { ...each.spec, concurrencyPolicy: "Forbid" }, status: active("export-1") });
    expect(look(forbid, { events: [event], jobs: [run("export-1")] }, told + 60 * MINUTE)?.kind).toBe("S32");
  });

  it("says no more than that nothing starts when events are not known", () => {
    expect(look(each, {}, told + 60 * MINUTE)).toMatchObject({ kind: "S35", reason: "RunNotStarted" });
  });
});
