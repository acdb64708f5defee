import { describe, expect, it } from "vitest";
import { cronJob, finishedRun, iso, LAST_MS, look, run } from "./scene.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** One Job a minute, none of which gets going. */
function waiting(count: number, ready = 0) {
  return Array.from({ length: count }, (_, index) => {
    const created = iso(LAST_MS + index * MINUTE);
    return run(`export-${index}`, {
      metadata: { creationTimestamp: created },
      status: { startTime: created, active: 1, ready },
    });
  });
}

/** The history limits keep 3 + 1 Jobs, so the thirteenth is one too many. */
const thirteenth = LAST_MS + 12 * MINUTE;
const suspended = cronJob({ spec: { suspend: true } });

describe("S31, a CronJob's Jobs pile up", () => {
  it("counts from the Job that was one too many", () => {
    const jobs = waiting(20);
    const at = (age: number) => look(suspended, { jobs }, thirteenth + age);
    expect(at(MINUTE - 1_000)).toMatchObject({ kind: "S31", state: "watching" });
    expect(at(MINUTE)).toMatchObject({
      kind: "S31",
      reason: "JobsDoNotStart",
      severity: "warning",
      since: iso(thirteenth),
      sinceSource: "Job metadata.creationTimestamp",
      owner: { kind: "CronJob", name: "export" },
    });
    expect(at(DAY - 1_000)?.severity).toBe("warning");
    expect(at(DAY)?.severity).toBe("critical");
    expect(at(DAY)?.evidence).toHaveLength(6);
  });

  it("is silent about as many Jobs whose pods are ready", () => {
    expect(look(suspended, { jobs: waiting(20, 1) }, thirteenth + DAY)).toBeUndefined();
  });

  it("is silent about one Job less", () => {
    expect(look(suspended, { jobs: waiting(12) }, thirteenth + DAY)).toBeUndefined();
  });

  it("goes by the CronJob's own history limits", () => {
    const more = cronJob({ spec: { suspend: true, successfulJobsHistoryLimit: 6 } });
    expect(look(more, { jobs: waiting(20) }, thirteenth + DAY)).toBeUndefined();
    const none = cronJob({ spec: { suspend: true, successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 } });
    expect(look(none, { jobs: waiting(4) }, thirteenth + DAY)?.since).toBe(iso(LAST_MS + 3 * MINUTE));
  });

  it("sees finished Jobs that are not pruned", () => {
    const jobs = Array.from({ length: 13 }, (_, n) => finishedRun(`export-${n}`, LAST_MS, LAST_MS + n * MINUTE));
    expect(look(suspended, { jobs }, thirteenth + MINUTE)).toMatchObject({
      reason: "HistoryNotPruned",
      since: iso(thirteenth),
      sinceSource: "Job condition Complete",
    });
    expect(look(suspended, { jobs: jobs.slice(1) }, thirteenth + MINUTE)).toBeUndefined();
  });

  it("says it before anything else about a Forbid CronJob that piles up all the same", () => {
    const forbid = cronJob({
      spec: { concurrencyPolicy: "Forbid" },
      status: { active: [{ name: "export-0", uid: "uid-of-export-0" }] },
    });
    expect(look(forbid, { jobs: waiting(20) }, thirteenth + DAY)?.kind).toBe("S31");
  });
});
