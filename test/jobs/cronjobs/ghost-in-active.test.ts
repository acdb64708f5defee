import { describe, expect, it } from "vitest";
import type { Finding } from "../../../src/jobs/index.ts";
import type { CronJob, Job } from "../../../src/resources/index.ts";
import { active, cronJob, finishedRun, iso, LAST_MS, look, run } from "./scene.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const allow = cronJob({ status: active("export-1") });
const forbid = cronJob({ spec: { concurrencyPolicy: "Forbid" }, status: active("export-1") });

function at(jobs: readonly Job[], ms: number, status?: CronJob["status"]): Finding | undefined {
  return look(cronJob({ spec: { concurrencyPolicy: "Forbid" }, ...(status ? { status } : {}) }), { jobs }, ms);
}

describe("S33, a ghost among the active runs", () => {
  it("counts from the end of a Job that has finished", () => {
    const end = LAST_MS + 10 * MINUTE;
    const jobs = [finishedRun("export-1", LAST_MS, end)];
    const at = (ms: number) => look(allow, { jobs }, ms);
    expect(at(end + 2 * MINUTE - 1_000)).toMatchObject({ kind: "S33", state: "watching" });
    expect(at(end + 2 * MINUTE)).toMatchObject({
      kind: "S33",
      reason: "JobFinished",
      severity: "warning",
      since: iso(end),
      sinceSource: "Job condition Complete",
      cause: "CronJob controller",
    });
    expect(at(end + 10 * MINUTE - 1_000)?.severity).toBe("warning");
    expect(at(end + 10 * MINUTE)?.severity).toBe("critical");
  });

  it("says how long it has seen that the Job is absent, since nothing else does", () => {
    const first = LAST_MS + MINUTE;
    expect(look(allow, {}, first)).toMatchObject({ reason: "JobAbsent", state: "watching", sinceSource: "observed" });
    expect(look(allow, {}, first, first + 2 * MINUTE - 1_000)?.state).toBe("watching");
    expect(look(allow, {}, first, first + 2 * MINUTE)).toMatchObject({ state: "stuck", since: iso(first) });
    expect(look(allow, {}, first, first + 10 * MINUTE)?.severity).toBe("critical");
  });

  it("counts from the run that it holds up, in a weekly Forbid CronJob whose Job was deleted by hand", () => {
    const weekly = { ...forbid, spec: { ...forbid.spec, schedule: "0 3 * * 5" } };
    const due = LAST_MS + 7 * 24 * HOUR;
    expect(look(weekly, {}, due - 1_000)).toMatchObject({ state: "watching" });
    expect(look(weekly, {}, due + 10 * MINUTE)).toMatchObject({
      kind: "S33",
      reason: "JobAbsent",
      severity: "critical",
      since: iso(due),
    });
  });

  it("goes on counting from what it saw when a run becomes due later", () => {
    const weekly = { ...forbid, spec: { ...forbid.spec, schedule: "0 3 * * 5" } };
    const due = LAST_MS + 7 * 24 * HOUR;
    expect(look(weekly, {}, LAST_MS + MINUTE, due + 1_000)).toMatchObject({
      severity: "critical",
      since: iso(LAST_MS + MINUTE),
      sinceSource: "observed",
    });
  });

  describe("of a run that the status does not tell of", () => {
    const due = LAST_MS + HOUR;
    const runAt = (dueMs: number, made = due) =>
      run(`export-${dueMs / MINUTE}`, { metadata: { creationTimestamp: iso(made) } });

    it("counts from the creation of its Job", () => {
      expect(at([runAt(due)], due + 2 * MINUTE - 1_000)).toMatchObject({ reason: "JobNotListed", state: "watching" });
      expect(at([runAt(due)], due + 2 * MINUTE)).toMatchObject({
        kind: "S33",
        reason: "JobNotListed",
        severity: "warning",
        since: iso(due),
        sinceSource: "Job metadata.creationTimestamp",
      });
      expect(at([runAt(due)], due + 10 * MINUTE)?.severity).toBe("critical");
    });

    it("is silent once the status tells of it, and about Jobs that somebody made by hand", () => {
      const late = due + 5 * MINUTE;
      const told = { ...active(`export-${due / MINUTE}`), lastScheduleTime: iso(due) };
      expect(at([runAt(due)], late, told)).toBeUndefined();
      expect(at([runAt(LAST_MS)], late)?.kind).not.toBe("S33");
      for (const name of ["export-1", "export-by-hand", "export-20260102", "export-999999999"]) {
        const byHand = run(name, { metadata: { creationTimestamp: iso(due) } });
        expect(at([byHand], late)?.kind).not.toBe("S33");
      }
    });
  });

  it("is silent about a Job that is there and runs, and about an empty list", () => {
    expect(look(allow, { jobs: [run("export-1")] }, LAST_MS + 30 * MINUTE)).toBeUndefined();
    expect(look(cronJob(), {}, LAST_MS + 30 * MINUTE)).toBeUndefined();
  });

  it("takes a Job of the same name and another UID for what it is", () => {
    const again = run("export-1", { metadata: { uid: "another" } });
    expect(look(allow, { jobs: [again] }, LAST_MS + MINUTE)).toMatchObject({ kind: "S33", reason: "JobAbsent" });
  });

  it("speaks of a suspended CronJob too: its controller still keeps the list", () => {
    const suspended = { ...allow, spec: { ...allow.spec, suspend: true } };
    const jobs = [finishedRun("export-1", LAST_MS, LAST_MS + MINUTE)];
    expect(look(suspended, { jobs }, LAST_MS + HOUR)?.kind).toBe("S33");
  });

  it("does not depend on the order of the list", () => {
    const jobs = [finishedRun("a", LAST_MS, LAST_MS + MINUTE), finishedRun("b", LAST_MS, LAST_MS + MINUTE)];
    const both = (...names: string[]) => look(cronJob({ status: active(...names) }), { jobs }, LAST_MS + HOUR / 2);
    expect(both("a", "b")).toEqual(both("b", "a"));
  });
});
