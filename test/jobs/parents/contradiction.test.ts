import { describe, expect, it } from "vitest";
import { captfParents, parentOfJob, parentResource } from "../../../src/jobs/index.ts";
import { CREATED } from "../objects.ts";
import { CONFIGURATION, jobOf, look, parent, time, told } from "./scene.ts";

const MINUTE = 60;
const HOUR = 3_600;
const failed = jobOf("network-apply", 10, { type: "Failed", at: HOUR });
const complete = jobOf("network-apply", 10, { type: "Complete", at: HOUR });
const provisioning = parent({ conditions: [told("Ready", "False", 5, { reason: "Provisioning" })] });
const ready = parent({ conditions: [told("Ready", "True", 5)] });

function provisioningAt(seconds: number) {
  return look(provisioning, { jobs: [failed] }, seconds);
}

function torn(seconds: number) {
  return parent({
    conditions: [told("Synced", "False", seconds, { reason: "ReconcileError" }), told("Ready", "True", 5)],
  });
}

describe("S36, a parent says what its Jobs do not", () => {
  it("counts from the end of the Job, of a parent that provisions for ever", () => {
    expect(provisioningAt(HOUR + 5 * MINUTE - 1)).toMatchObject({ kind: "S36", state: "watching" });
    expect(provisioningAt(HOUR + 5 * MINUTE)).toMatchObject({
      kind: "S36",
      reason: "WorkingButJobFailed",
      severity: "warning",
      since: time(HOUR),
      sinceSource: "Job condition Failed",
      object: { apiVersion: "terraform.example.com/v1", kind: "Configuration", name: "network" },
      owner: { kind: "Configuration", name: "network" },
    });
    expect(provisioningAt(HOUR + 30 * MINUTE - 1)?.severity).toBe("warning");
    expect(provisioningAt(HOUR + 30 * MINUTE)?.severity).toBe("critical");
  });

  it.each([
    [
      "a parent that tells the failure",
      parent({ conditions: [told("Ready", "False", HOUR + 30, { reason: "ApplyFailed" })] }),
    ],
    [
      "a parent that began something else after the end",
      parent({ conditions: [told("Ready", "False", HOUR + 1, { reason: "Provisioning" })] }),
    ],
    [
      "a parent that has not seen its latest spec",
      {
        ...provisioning,
        metadata: { ...provisioning.metadata, generation: 2 },
        status: { observedGeneration: 1, conditions: [told("Ready", "True", 5)] },
      },
    ],
    ["a parent that says nothing", parent({})],
  ])("is silent about %s", (_, object) => {
    expect(look(object, { jobs: [failed] }, 9 * HOUR)).toBeUndefined();
  });

  it("lets a newer success clear the older failure, and a newer run hold the verdict", () => {
    const again = jobOf("network-apply-2", HOUR + 1, { type: "Complete", at: HOUR + 60 });
    expect(look(ready, { jobs: [failed, again] }, 9 * HOUR)).toBeUndefined();
    expect(look(ready, { jobs: [again, failed] }, 9 * HOUR)).toBeUndefined();
    expect(look(ready, { jobs: [failed, jobOf("network-apply-2", HOUR + 1)] }, 9 * HOUR)).toBeUndefined();
    const old = jobOf("network-apply-0", 1, { type: "Complete", at: 5 });
    expect(look(ready, { jobs: [old, failed] }, 9 * HOUR)).toMatchObject({
      reason: "ReadyButJobFailed",
      since: time(HOUR),
    });
  });

  it("sees the reverse too: the Job is Complete and the parent has not noticed", () => {
    expect(look(provisioning, { jobs: [complete] }, 9 * HOUR)).toMatchObject({
      reason: "WorkingButJobComplete",
      since: time(HOUR),
    });
    const broken = parent({ conditions: [told("Ready", "False", 5, { reason: "ApplyFailed" })] });
    expect(look(broken, { jobs: [complete] }, 9 * HOUR)).toMatchObject({ reason: "FailedButJobComplete" });
    expect(look(ready, { jobs: [complete] }, 9 * HOUR)).toBeUndefined();
  });

  it("reads a phase where there are no conditions", () => {
    const rules = { ...CONFIGURATION, phase: "status.apply.state" };
    const vela = parent({ apply: { state: "ProvisioningAndChecking" } });
    expect(look(vela, { rules, jobs: [failed] }, 9 * HOUR)).toMatchObject({ kind: "S36", since: time(HOUR) });
    expect(look(vela, { jobs: [failed] }, 9 * HOUR)).toBeUndefined();
  });

  it("sees conditions that exclude each other, without any Job", () => {
    expect(look(torn(HOUR), {}, HOUR + 20)).toMatchObject({ state: "watching" });
    expect(look(torn(HOUR), {}, HOUR + 5 * MINUTE)).toMatchObject({
      reason: "ConditionsDisagree",
      since: time(HOUR),
      sinceSource: "condition Synced",
    });
    expect(
      look(parent({ conditions: [told("Synced", "True", HOUR), told("Ready", "True", 5)] }), {}, 9 * HOUR),
    ).toBeUndefined();
  });

  it.each([
    [{ conditions: "none" }],
    [
      {
        conditions: [
          null,
          7,
          {},
          { type: "Ready" },
          { type: "Ready", status: "True", lastTransitionTime: 5 },
          { type: "Ready", status: "False", message: 7, reason: [] },
        ],
      },
    ],
    [{ conditions: { __proto__: null }, phase: ["Provisioning"] }],
    ["all is well"],
    [null],
  ])("reads a status %j of a strange schema without harm", (status) => {
    expect(() => look(parent(status), { jobs: [failed] }, 9 * HOUR)).not.toThrow();
  });

  it("keeps no more of such objects than it looks at", () => {
    expect(parentResource(CONFIGURATION).keep).toEqual([
      "status.conditions",
      "status.observedGeneration",
      "spec.paused",
      "status.phase",
    ]);
  });
});

function labels(op: string, name = "network") {
  return {
    "captf.infrastructure.cluster.x-k8s.io/owner-kind": "TerraformCluster",
    "captf.infrastructure.cluster.x-k8s.io/owner-name": name,
    "captf.infrastructure.cluster.x-k8s.io/op": op,
  };
}

describe("S36 by the preset captf", () => {
  const [rules] = captfParents;
  if (!rules) throw new Error("no preset");
  const apply = jobOf(
    "captf-c-network-apply-a1",
    10,
    { type: "Failed", at: HOUR },
    { ownerReferences: [], labels: labels("apply") },
  );

  it("joins Jobs by their labels, and counts only those whose outcome Ready tells", () => {
    expect(look(ready, { rules, jobs: [apply] }, 9 * HOUR)).toMatchObject({ kind: "S36", reason: "ReadyButJobFailed" });
    const drift = { ...apply, metadata: { ...apply.metadata, labels: labels("drift") } };
    expect(look(ready, { rules, jobs: [drift] }, 9 * HOUR)).toBeUndefined();
    const other = { ...apply, metadata: { ...apply.metadata, labels: labels("apply", "other") } };
    expect(look(ready, { rules, jobs: [other] }, 9 * HOUR)).toBeUndefined();
  });

  it("sees a Job that is counted as running and has ended", () => {
    const busy = parent({ conditions: [told("Ready", "True", 5)], activeJob: { name: "captf-c-network-apply-a1" } });
    const done = {
      ...apply,
      status: { conditions: [{ type: "Complete", status: "True", lastTransitionTime: time(HOUR) }] },
    };
    expect(look(busy, { rules, jobs: [done] }, HOUR + 5 * MINUTE)).toMatchObject({
      reason: "ActiveJobEnded",
      since: time(HOUR),
    });
    const running = { ...apply, status: { startTime: CREATED, active: 1 } };
    expect(look(busy, { rules, jobs: [running] }, 9 * HOUR)).toBeUndefined();
  });

  it("tells whose a Job is", () => {
    expect(parentOfJob(apply, rules)).toEqual({ namespace: "shop", name: "network" });
    expect(parentOfJob(failed, rules)).toBeUndefined();
  });

  it("joins a parent with a long name by owner references alone", () => {
    const long = parent({ conditions: [told("Ready", "True", 5)] }, { name: "n".repeat(64) });
    const owned = { ...failed, metadata: { ...failed.metadata, labels: labels("apply", "0123456789abcdef") } };
    expect(
      look(
        long,
        {
          rules,
          jobs: [
            {
              ...owned,
              metadata: {
                ...owned.metadata,
                ownerReferences: [
                  { apiVersion: "x/v1", kind: "TerraformCluster", name: "n", uid: long.metadata.uid, controller: true },
                ],
              },
            },
          ],
        },
        9 * HOUR,
      )?.kind,
    ).toBe("S36");
  });
});
