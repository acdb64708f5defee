import { describe, expect, it } from "vitest";
import { jobOrder } from "../../src/jobs/index.ts";
import { at, CREATED, job, judgeJob, waitingPod } from "./objects.ts";

const untouched = { status: {} };

describe("the order of decision", () => {
  it("gives one reason to a Job that shows several", () => {
    const both = judgeJob(
      job({ spec: { activeDeadlineSeconds: 30 } }),
      [waitingPod("ErrImagePull")],
      at(3_600),
    ).finding;
    expect(both?.kind).toBe("S13");
  });

  it("does not hide what has stood still for hours behind what may be gone in a moment", () => {
    const counting = job({ status: { startTime: CREATED, active: 1, uncountedTerminatedPods: { succeeded: ["a"] } } });
    const alone = judgeJob(counting, [waitingPod("ContainerCreating")], at(3_600));
    expect(alone.finding).toMatchObject({ kind: "S24", state: "watching" });
    const pulling = judgeJob(counting, [waitingPod("ErrImagePull")], at(700));
    expect(pulling).toMatchObject({ finding: { kind: "S13", state: "stuck" }, dueAt: at(820) });
  });

  it("asks each kind in one stage only", () => {
    const ids = jobOrder.flatMap(({ kinds }) => kinds.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("takes a user's ages instead of the kind's own", () => {
    const limits = [{ kind: "S01", ages: { warningMs: 40_000, criticalMs: 44_000 } }];
    const verdict = (seconds: number) => judgeJob(job(untouched), [], at(seconds), limits);
    expect(verdict(40)).toMatchObject({ finding: { state: "stuck", severity: "warning" }, dueAt: at(44) });
    expect(verdict(44)).toMatchObject({ finding: { severity: "critical" }, dueAt: undefined });
  });
});

it("names the managing controller as owner, or the Job itself", () => {
  const owned = job({
    ...untouched,
    metadata: {
      ownerReferences: [
        { apiVersion: "v1", kind: "ConfigMap", name: "other", uid: "1" },
        { apiVersion: "batch/v1", kind: "CronJob", name: "export", uid: "2", controller: true },
      ],
    },
  });
  expect(judgeJob(owned, [], at(61)).finding).toEqual({
    kind: "S01",
    name: "controller-has-not-touched-it",
    reason: "StatusEmpty",
    severity: "warning",
    state: "stuck",
    object: { apiVersion: "batch/v1", kind: "Job", namespace: "shop", name: "export-1", uid: "uid-of-export-1" },
    owner: { kind: "CronJob", name: "export" },
    since: CREATED,
    sinceSource: "Job metadata.creationTimestamp",
    ageSeconds: 61,
    message: expect.stringContaining("Job shop/export-1") as string,
    evidence: ["Job shop/export-1: status {}, 0 pods"],
    next: expect.arrayContaining([expect.stringMatching(/^kubectl /)]) as string[],
    cause: "Job controller",
  });
  expect(judgeJob(job(untouched), [], at(61)).finding?.owner).toEqual({ kind: "Job", name: "export-1" });
});
