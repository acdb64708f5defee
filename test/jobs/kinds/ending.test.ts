import { describe, expect, it } from "vitest";
import type { Job } from "../../../src/resources/index.ts";
import { CREATED, job } from "../objects.ts";
import { condition, endedPod, look, nodeNamed, podOf, type Scene, time, verdictIn } from "./scene.ts";

const DAY = 86_400;
const HOUR = 3_600;
const ending = podOf({ metadata: { deletionTimestamp: time(40) } });

const waits = (spec: object): Scene => ({
  job: job({ spec, status: { startTime: CREATED, terminating: 1 } }),
  pods: [ending],
});

const decided = (type: string, more: object = {}): Job =>
  job({ status: { startTime: CREATED, conditions: [condition(type, 10, { reason: "DeadlineExceeded" })], ...more } });

const deleted = (...finalizers: string[]): Job => job({ metadata: { deletionTimestamp: time(20), finalizers } });

describe("S20, a pod that is terminating past its grace", () => {
  it("takes a grace of hours as it is: deletionTimestamp is its end", () => {
    const scene = {
      job: job(),
      pods: [podOf({ metadata: { deletionTimestamp: time(2 * HOUR), deletionGracePeriodSeconds: 2 * HOUR } })],
    };
    expect(look(scene, 2 * HOUR - 1)).toBeUndefined();
    expect(verdictIn(scene, 10).dueAt).toBe(Date.parse(time(2 * HOUR)));
    expect(look(scene, 2 * HOUR + 300)).toMatchObject({ kind: "S20", state: "stuck", since: time(2 * HOUR) });
  });

  it("names a node that does not exist any more, and does without what is not known", () => {
    expect(look({ job: job(), pods: [ending], nodes: [] }, HOUR)).toMatchObject({ reason: "NodeLost" });
    expect(look({ job: job(), pods: [ending] }, HOUR)).toMatchObject({ reason: "TerminatingPastGrace" });
  });

  it("sees a pod that nobody has deleted from a node that is lost", () => {
    const unknown = podOf({
      status: { phase: "Unknown", conditions: [condition("Ready", 90, { status: "Unknown" })] },
    });
    expect(look({ job: job(), pods: [unknown] }, 390)).toMatchObject({
      reason: "NodeLost",
      state: "stuck",
      since: time(90),
    });
  });

  it("is silent about a pod that has ended and waits for its finalizers", () => {
    const ended = endedPod(30, { metadata: { deletionTimestamp: time(40) } });
    const running = { job: job(), pods: [ended, podOf({ metadata: { name: "export-1-y", uid: "y" } })] };
    expect(look(running, HOUR)).toBeUndefined();
  });
});

describe("S42, an unkillable process", () => {
  it.each([
    ["Unknown", "S20"],
    ["True", "S42"],
  ])("is told by a node that answers: Ready=%s is %s", (ready, kind) => {
    expect(look({ job: job(), pods: [ending], nodes: [nodeNamed("worker-1", ready)] }, 7 * DAY)?.kind).toBe(kind);
  });

  it("stays S20 where nothing is known of nodes", () => {
    expect(look({ job: job(), pods: [ending] }, 7 * DAY)?.kind).toBe("S20");
  });
});

describe("S21, a replacement that waits", () => {
  it.each([
    ["podReplacementPolicy Failed", { podReplacementPolicy: "Failed" }, "S21"],
    ["a podFailurePolicy", { podFailurePolicy: {} }, "S21"],
    ["neither", {}, "S20"],
  ])("with %s", (_, spec, kind) => {
    expect(look(waits(spec), HOUR)?.kind).toBe(kind);
  });

  it("is silent about a suspended Job, which wants no replacement", () => {
    expect(look(waits({ podReplacementPolicy: "Failed", suspend: true }), HOUR)?.kind).toBe("S07");
  });
});

describe("S22 and S23, decided and never written", () => {
  it("counts from the end of the last grace period", () => {
    const scene = { job: decided("FailureTarget", { terminating: 1 }), pods: [ending] };
    expect(look(scene, 39)).toBeUndefined();
    expect(verdictIn(scene, 12).dueAt).toBe(Date.parse(time(40)));
    expect(look(scene, 340)).toMatchObject({
      kind: "S22",
      reason: "PodsTerminating",
      since: time(40),
      state: "stuck",
      cause: "node worker-1",
    });
  });

  it.each([
    ["FailureTarget", "S22"],
    ["SuccessCriteriaMet", "S23"],
  ])("tells %s with uncounted pods apart", (type, kind) => {
    const subject = decided(type, { uncountedTerminatedPods: { failed: ["a"] } });
    expect(look({ job: subject }, 310)).toMatchObject({ kind, reason: "PodsUncounted" });
  });
});

describe("S26, an orphan tracking finalizer", () => {
  it("waits for the garbage collector to delete a pod whose Job is gone", () => {
    const pod = endedPod(5, { metadata: { finalizers: ["batch.kubernetes.io/job-tracking"] } });
    expect(look({ subject: "pod", pods: [pod] }, DAY)).toBeUndefined();
  });

  it("leaves pods of other controllers alone", () => {
    const ownerReferences = [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "r", uid: "r", controller: true }];
    const pod = podOf({ metadata: { ownerReferences, deletionTimestamp: time(40) } });
    expect(look({ subject: "pod", pods: [pod] }, DAY)).toBeUndefined();
  });

  it("sees a pod that has lost its owner and kept the finalizer", () => {
    const metadata = {
      ownerReferences: [],
      deletionTimestamp: time(40),
      finalizers: ["batch.kubernetes.io/job-tracking"],
    };
    expect(look({ subject: "pod", pods: [podOf({ metadata })] }, HOUR)).toMatchObject({
      kind: "S26",
      reason: "JobGone",
    });
  });
});

describe("S27 and S28, a deletion that hangs", () => {
  it("shows the children that are left, with their finalizers", () => {
    const pods = [endedPod(10, { metadata: { finalizers: ["batch.kubernetes.io/job-tracking"] } })];
    const found = look({ job: deleted("foregroundDeletion"), pods }, HOUR);
    expect(found).toMatchObject({ kind: "S27", reason: "ForegroundDeletion" });
    expect(found?.evidence.at(-1)).toBe(
      "Pod shop/export-1-x: phase Succeeded, finalizers batch.kubernetes.io/job-tracking",
    );
  });

  it("names the node of a child that does not end", () => {
    expect(look({ job: deleted("foregroundDeletion"), pods: [ending] }, HOUR)).toMatchObject({
      since: time(40),
      cause: "node worker-1",
    });
  });

  it("is S28 as soon as the orphan finalizer is among them", () => {
    expect(look({ job: deleted("foregroundDeletion", "orphan") }, HOUR)?.kind).toBe("S28");
  });

  it("is silent about a deleted Job without finalizers: it is gone in the next moment", () => {
    expect(look({ job: deleted() }, DAY)).toBeUndefined();
  });
});

describe("S29, a TTL that is not honoured", () => {
  it("asks at the moment when the TTL is over", () => {
    const subject = job({ spec: { ttlSecondsAfterFinished: 60 }, status: { conditions: [condition("Failed", 100)] } });
    expect(verdictIn({ job: subject }, 110)).toEqual({
      finding: undefined,
      dueAt: Date.parse(time(160)),
      isWhole: true,
    });
    expect(look({ job: subject }, 460)).toMatchObject({
      kind: "S29",
      sinceSource: "Job condition Failed + spec.ttlSecondsAfterFinished",
    });
  });

  it("comes before a finalizer that is left on a pod", () => {
    const subject = job({ spec: { ttlSecondsAfterFinished: 0 }, status: { conditions: [condition("Complete", 100)] } });
    const pods = [endedPod(90, { metadata: { finalizers: ["batch.kubernetes.io/job-tracking"] } })];
    expect(look({ job: subject, pods }, HOUR)?.kind).toBe("S29");
  });
});
