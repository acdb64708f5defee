import { describe, expect, it } from "vitest";
import { active, cronJob, finishedRun, iso, judge, LAST_MS, look, run } from "./scene.ts";

const HOUR = 3_600_000;
const due = LAST_MS + HOUR;

const blocked = cronJob({ spec: { concurrencyPolicy: "Forbid" }, status: active("export-1") });
const running = run("export-1", {
  metadata: { creationTimestamp: iso(LAST_MS) },
  status: { startTime: iso(LAST_MS), active: 1 },
});

function blockedAt(ms: number) {
  return look(blocked, { jobs: [running] }, ms);
}

function blockedDueAt(ms: number) {
  return judge(blocked, { jobs: [running] }, ms).dueAt;
}

describe("S32, Forbid keeps the next run from starting", () => {
  it("counts from the first run that was due, a warning at once and critical at the third", () => {
    expect(blockedAt(due - 1_000)).toBeUndefined();
    expect(blockedAt(due + 9_000)).toMatchObject({ kind: "S32", state: "watching" });
    expect(blockedAt(due + 10_000)).toMatchObject({
      kind: "S32",
      reason: "JobAlreadyActive",
      severity: "warning",
      since: iso(due),
      sinceSource: "CronJob status.lastScheduleTime + spec.schedule",
    });
    expect(blockedAt(due + 2 * HOUR - 1_000)?.severity).toBe("warning");
    expect(blockedAt(due + 2 * HOUR)).toMatchObject({ severity: "critical", since: iso(due) });
  });

  it("says the same words however long it takes", () => {
    const messages = [1, 5, 50].map((hours) => look(blocked, { jobs: [running] }, due + hours * HOUR)?.message);
    expect(new Set(messages).size).toBe(1);
    expect(messages[0]).toContain("Job export-1");
  });

  it("wants to be asked when the next run is due, and at each age", () => {
    expect(blockedDueAt(LAST_MS)).toBe(due);
    expect(blockedDueAt(due)).toBe(due + 10_000);
    expect(blockedDueAt(due + 10_000)).toBe(due + 2 * HOUR);
    expect(blockedDueAt(due + 2 * HOUR)).toBeUndefined();
  });

  it.each([
    ["Allow", cronJob({ status: { ...active("export-1"), lastScheduleTime: iso(due) } })],
    ["no active run", cronJob({ spec: { concurrencyPolicy: "Forbid" }, status: { lastScheduleTime: iso(due) } })],
    [
      "a suspended CronJob",
      cronJob({ spec: { concurrencyPolicy: "Forbid", suspend: true }, status: active("export-1") }),
    ],
    ["a CronJob that is being deleted", { ...blocked, metadata: { ...blocked.metadata, deletionTimestamp: iso(due) } }],
  ])("is silent with %s", (_, object) => {
    expect(look(object, { jobs: [running] }, due + HOUR - 1)).toBeUndefined();
  });

  it("lets a run take as long as the longest before it, and not a second more", () => {
    const earlier = finishedRun("export-0", LAST_MS - 3 * HOUR, LAST_MS - HOUR);
    const at = (ms: number) => look(blocked, { jobs: [running, earlier] }, ms);
    expect(at(LAST_MS + 2 * HOUR - 1_000)).toMatchObject({ kind: "S32", state: "watching" });
    expect(at(LAST_MS + 2 * HOUR)).toMatchObject({ kind: "S32", state: "stuck", severity: "warning", since: iso(due) });
    const failed = finishedRun("export-0", LAST_MS - 3 * HOUR, LAST_MS - HOUR, "Failed");
    expect(look(blocked, { jobs: [running, failed] }, due + 10_000)?.state).toBe("stuck");
  });

  it("counts runs by the clocks of the CronJob's own zone, also on the day on which they change", () => {
    const last = Date.parse("2026-10-24T01:30:00+02:00");
    const daily = cronJob({
      spec: { concurrencyPolicy: "Forbid", schedule: "30 1 * * *", timeZone: "Europe/Berlin" },
      status: { ...active("export-1"), lastScheduleTime: iso(last) },
    });
    const critical = (ms: number) => look(daily, { jobs: [running] }, ms)?.severity === "critical";
    // 25 hours pass from the second run to the third.
    expect(look(daily, { jobs: [running] }, last + 24 * HOUR + 10_000)?.since).toBe(iso(last + 24 * HOUR));
    expect(critical(last + 73 * HOUR - 1_000)).toBe(false);
    expect(critical(last + 73 * HOUR)).toBe(true);
  });

  it("lets a user's ages win over those of the schedule", () => {
    const limits = [{ kind: "S32", ages: { warningMs: 2 * HOUR, criticalMs: 4 * HOUR } }];
    expect(look(blocked, { jobs: [running], limits }, due + HOUR)?.state).toBe("watching");
  });
});
