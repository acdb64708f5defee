import { describe, expect, it } from "vitest";
import { captfParents, waitOf } from "../../../src/jobs/index.ts";
import { at } from "../objects.ts";
import { jobOf, judge, look, parent, time, told } from "./scene.ts";

const MINUTE = 60;
const HOUR = 3_600;
const [cluster, machine] = captfParents;
if (!cluster || !machine) throw new Error("no preset");

const hourly = { drift: { intervalSeconds: HOUR } };
const checked = { lastDriftCheck: time(0) };
/** The interval and a tenth. */
const due = HOUR + 6 * MINUTE;

function drift(end?: { type: "Complete" | "Failed"; at: number }) {
  return jobOf("captf-c-network-drift-a1", HOUR, end, {
    ownerReferences: [],
    labels: {
      "captf.infrastructure.cluster.x-k8s.io/owner-kind": "TerraformCluster",
      "captf.infrastructure.cluster.x-k8s.io/owner-name": "network",
      "captf.infrastructure.cluster.x-k8s.io/op": "drift",
    },
  });
}

function health(annotateMachine: boolean) {
  return { remediation: { annotateMachine, healthCheckIntervalSeconds: 300 } };
}

describe("S35, a schedule that a parent's controller keeps", () => {
  it("counts from when it was due, jitter included", () => {
    const found = (seconds: number) => look(parent(checked, {}, hourly), { rules: cluster }, seconds);
    expect(found(due - 1)).toBeUndefined();
    expect(found(due + 2 * MINUTE - 1)).toMatchObject({ kind: "S35", state: "watching" });
    expect(found(due + 2 * MINUTE)).toMatchObject({
      kind: "S35",
      reason: "ScheduleOverdue",
      severity: "warning",
      since: time(due),
      sinceSource: "status.lastDriftCheck + spec.drift.intervalSeconds and a tenth",
    });
    expect(found(due + 2 * HOUR - 1)?.severity).toBe("warning");
    expect(found(due + 2 * HOUR)?.severity).toBe("critical");
    expect(judge(parent(checked, {}, hourly), { rules: cluster }, 0).dueAt).toBe(at(due));
  });

  it("is silent while a Job is at it, and not once that has failed", () => {
    const object = parent(checked, {}, hourly);
    expect(look(object, { rules: cluster, jobs: [drift()] }, 9 * HOUR)).toBeUndefined();
    const jobs = [drift({ type: "Failed", at: HOUR + 60 })];
    expect(look(object, { rules: cluster, jobs }, 9 * HOUR)?.reason).toBe("ScheduleOverdue");
  });

  it.each([
    ["is switched off", parent(checked, {}, { drift: { intervalSeconds: 0 } })],
    ["has no interval of its own", parent(checked, {}, {})],
    ["was never done", parent({}, {}, hourly)],
    ["is paused", parent(checked, { annotations: { "cluster.x-k8s.io/paused": "" } }, hourly)],
    ["is being deleted", parent(checked, { deletionTimestamp: time(5) }, hourly)],
    ["has an interval that is no number", parent(checked, {}, { drift: { intervalSeconds: "1h" } })],
    ["has a time that is none", parent({ lastDriftCheck: "soon" }, {}, hourly)],
  ])("is silent about one that %s", (_, object) => {
    expect(look(object, { rules: cluster }, 9 * HOUR)).toBeUndefined();
  });

  it("says of one that waits only that it waits", () => {
    const conditions = [told("DriftJobSucceeded", "Unknown", 5, { reason: "WaitingForRunLease" })];
    const found = look(parent({ ...checked, conditions }, {}, hourly), { rules: cluster }, 9 * HOUR);
    expect(found).toMatchObject({ kind: "S09", state: "queued" });
  });

  it("counts a health check only where something else switches it on", () => {
    const status = { lastRefresh: time(0) };
    expect(look(parent(status, {}, health(true)), { rules: machine }, HOUR)?.message).toContain("health check");
    expect(look(parent(status, {}, health(false)), { rules: machine }, HOUR)).toBeUndefined();
  });
});

function waiting(status: string, reason: string) {
  return parent({ conditions: [told("X", status, 5, { reason })] });
}

describe("a wait", () => {
  it.each([
    ["WaitingForRunLease", "GateRequeue"],
    ["StateLocked", "StateRequeue"],
    ["PlanAwaitingApproval", "RetryMax"],
  ])("%s is named by its interval, %s", (reason, interval) => {
    expect(waitOf(parent({ conditions: [told("X", "Unknown", 5, { reason })] }), cluster)).toMatchObject({
      reason,
      interval,
    });
  });

  it("is listed as queued, and never as stuck", () => {
    const atGate = waiting("Unknown", "WaitingForRunLease");
    for (const seconds of [5, HOUR, 100 * HOUR]) {
      expect(look(atGate, { rules: cluster }, seconds)).toMatchObject({
        kind: "S09",
        reason: "Waiting",
        state: "queued",
        severity: "info",
        since: time(5),
      });
    }
    expect(look(atGate, { rules: cluster }, HOUR)?.message).toContain("looks again after its GateRequeue");
  });

  it("is none when the condition is True or its reason is nobody's", () => {
    expect(waitOf(waiting("True", "StateLocked"), cluster)).toBeUndefined();
    expect(waitOf(waiting("False", "constructor"), cluster)).toBeUndefined();
  });
});
