import { describe, expect, it } from "vitest";
import { cronJob, eventAbout, iso, judge, LAST_MS, look } from "./scene.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const due = LAST_MS + HOUR;

function lateAt(ms: number) {
  return look(cronJob(), {}, ms);
}

describe("S35, a CronJob whose run is not started", () => {
  it("counts from the run that was due: a warning after two minutes, critical at the third run", () => {
    expect(lateAt(due + 9_000)).toBeUndefined();
    expect(lateAt(due + 2 * MINUTE - 1_000)).toMatchObject({ kind: "S35", state: "watching" });
    expect(lateAt(due + 2 * MINUTE)).toMatchObject({
      kind: "S35",
      reason: "RunNotStarted",
      severity: "warning",
      since: iso(due),
      cause: "CronJob controller",
    });
    expect(lateAt(due + 2 * HOUR - 1_000)?.severity).toBe("warning");
    expect(lateAt(due + 2 * HOUR)?.severity).toBe("critical");
  });

  it("wants to be asked ten seconds after the next run is due", () => {
    expect(judge(cronJob(), {}, LAST_MS).dueAt).toBe(due + 10_000);
  });

  it("counts from its creation before the first run", () => {
    const { lastScheduleTime: _, ...status } = cronJob().status;
    const fresh = { ...cronJob({ metadata: { creationTimestamp: iso(LAST_MS + 5 * MINUTE) } }), status };
    expect(look(fresh, {}, due + 2 * MINUTE)).toMatchObject({
      since: iso(due),
      sinceSource: "CronJob metadata.creationTimestamp + spec.schedule",
    });
  });

  it("waits for the next run where a missed one is past its deadline and lost", () => {
    const strict = cronJob({ spec: { startingDeadlineSeconds: 60 } });
    expect(look(strict, {}, due + HOUR + 2 * MINUTE - 1_000)).toMatchObject({ state: "watching" });
    expect(look(strict, {}, due + HOUR + 2 * MINUTE)).toMatchObject({ state: "stuck", since: iso(due) });
  });

  it("is silent about a suspended one, and about one whose run has started", () => {
    expect(look(cronJob({ spec: { suspend: true } }), {}, due + 9 * HOUR)).toBeUndefined();
    expect(look(cronJob({ status: { lastScheduleTime: iso(due) } }), {}, due + 30 * MINUTE)).toBeUndefined();
  });

  it("says why its Job is refused, once the run is late enough to ask", () => {
    const event = eventAbout(cronJob(), "FailedCreate", {
      message: "Error creating job: exceeded quota: jobs",
      lastTimestamp: iso(due + MINUTE),
    });
    expect(look(cronJob(), { events: [event] }, due + MINUTE)).toMatchObject({ reason: "RunNotStarted" });
    const found = look(cronJob(), { events: [event] }, due + 2 * MINUTE);
    expect(found).toMatchObject({ reason: "RunRefused", severity: "warning" });
    expect(found?.message).toContain("exceeded quota: jobs");
    expect(found?.cause).toBeUndefined();
    const old = { ...event, lastTimestamp: iso(due - 1_000) };
    expect(look(cronJob(), { events: [old] }, due + 2 * MINUTE)?.reason).toBe("RunNotStarted");
  });

  it("has a day of 23 hours where clocks go forward", () => {
    const last = Date.parse("2026-03-28T03:00:00+01:00");
    const daily = cronJob({
      spec: { schedule: "0 3 * * *", timeZone: "Europe/Berlin" },
      status: { lastScheduleTime: iso(last) },
    });
    expect(look(daily, {}, last + 23 * HOUR + 2 * MINUTE)).toMatchObject({
      state: "stuck",
      since: iso(last + 23 * HOUR),
    });
  });
});

describe("S35, a CronJob whose schedule nobody can read", () => {
  it.each([
    ["UnparseableSchedule", { schedule: "61 * * * *" }],
    ["UnparseableSchedule", { schedule: "" }],
    ["UnknownTimeZone", { timeZone: "Mars/Olympus" }],
    ["InvalidSchedule", { schedule: "0 0 30 2 *" }],
  ])("says %s of %j", (reason, spec) => {
    const at = (ms: number) => look(cronJob({ spec: { ...cronJob().spec, ...spec } }), {}, ms);
    expect(at(LAST_MS + 2 * MINUTE - 1_000)).toMatchObject({ kind: "S35", reason, state: "watching" });
    expect(at(LAST_MS + 2 * MINUTE)).toMatchObject({ kind: "S35", reason, severity: "warning", since: iso(LAST_MS) });
    expect(at(LAST_MS + 2 * HOUR)?.severity).toBe("critical");
  });

  it("is silent about the same when it is suspended", () => {
    expect(look(cronJob({ spec: { schedule: "61 * * * *", suspend: true } }), {}, due)).toBeUndefined();
  });

  it("never lets a line or a zone move the reader's terminal", () => {
    const found = look(cronJob({ spec: { schedule: "\u001b[2J* * *", timeZone: "\u001b[31m" } }), {}, due);
    expect(JSON.stringify(found)).not.toContain("\\u001b");
    expect(found?.message).toContain("\\x1b");
  });
});
