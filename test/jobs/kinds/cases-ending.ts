import type { Job, Pod } from "../../../src/resources/index.ts";
import { CREATED, job } from "../objects.ts";
import type { KindCase } from "./kind-case.ts";
import { condition, endedPod, nodeNamed, podOf, type Scene, time } from "./scene.ts";

const TEN_DAYS = 10 * 86_400;

/** Its grace period ends so many seconds after `CREATED`. */
const ending = (seconds: number): Pod => podOf({ metadata: { deletionTimestamp: time(seconds) } });

const withNode = (pod: Pod, ready: string, more: Partial<Scene> = {}): Scene => ({
  job: job(),
  pods: [pod],
  nodes: [nodeNamed("worker-1", ready)],
  ...more,
});

const replacing: Partial<Scene> = {
  job: job({ spec: { podReplacementPolicy: "Failed" }, status: { startTime: CREATED, terminating: 1 } }),
};

const tracked = ["batch.kubernetes.io/job-tracking"];
const complete = (more: Job["spec"] = {}): Job =>
  job({ spec: more, status: { startTime: CREATED, succeeded: 1, conditions: [condition("Complete", 100)] } });

const deleted = (finalizers: string[], deletionTimestamp = time(20)): Job =>
  job({ metadata: { deletionTimestamp, finalizers } });

const orphan = (finalizers: string[]): Scene => {
  return { subject: "pod", pods: [endedPod(40, { metadata: { deletionTimestamp: time(50), finalizers } })] };
};

const noGrace = "it is still within its grace period";

export const casesEnding: readonly KindCase[] = [
  {
    id: "S20",
    case: "on a node that answers",
    scene: withNode(ending(40), "True"),
    reason: "TerminatingPastGrace",
    since: 40,
    cause: "node worker-1",
    twin: { but: noGrace, scene: withNode(ending(TEN_DAYS), "True") },
  },
  {
    id: "S20",
    case: "on a node that is lost",
    scene: withNode(ending(40), "Unknown"),
    reason: "NodeLost",
    since: 40,
    cause: "node worker-1",
    twin: { but: noGrace, scene: withNode(ending(TEN_DAYS), "Unknown") },
  },
  {
    id: "S20",
    case: "of a Job that is gone",
    scene: { subject: "pod", pods: [ending(40)] },
    reason: "TerminatingPastGrace",
    since: 40,
    cause: "node worker-1",
    twin: { but: "its Job is there and speaks for it", scene: { subject: "pod", job: job(), pods: [ending(40)] } },
  },
  {
    id: "S42",
    scene: withNode(ending(40), "True"),
    reason: "UnkillableProcess",
    since: 40,
    cause: "node worker-1",
    shownFrom: 86_400,
    twin: { but: noGrace, scene: withNode(ending(TEN_DAYS), "True") },
  },
  {
    id: "S42",
    case: "of a Job that is gone",
    scene: withNode(ending(40), "True", {
      subject: "pod",
      job: { ...job(), metadata: { ...job().metadata, uid: "later" } },
    }),
    reason: "UnkillableProcess",
    since: 40,
    cause: "node worker-1",
    shownFrom: 86_400,
    twin: { but: "its Job is there and speaks for it", scene: withNode(ending(40), "True", { subject: "pod" }) },
  },
  {
    id: "S21",
    scene: withNode(ending(40), "True", replacing),
    reason: "TerminatingPastGrace",
    since: 40,
    cause: "node worker-1",
    twin: { but: noGrace, scene: withNode(ending(TEN_DAYS), "True", replacing) },
  },
  {
    id: "S26",
    case: "of a finished Job",
    scene: { job: complete(), pods: [endedPod(90, { metadata: { finalizers: tracked } })] },
    reason: "JobFinished",
    since: 100,
    twin: { but: "the finalizer is gone", scene: { job: complete(), pods: [endedPod(90)] } },
  },
  {
    id: "S26",
    case: "of a Job that is gone",
    scene: orphan(tracked),
    reason: "JobGone",
    since: 50,
    twin: { but: "the finalizer is gone", scene: orphan([]) },
  },
  {
    id: "S27",
    case: "foreground deletion",
    scene: { job: deleted(["foregroundDeletion"]), pods: [] },
    reason: "ForegroundDeletion",
    since: 20,
    twin: {
      but: "a pod of it is within its grace period",
      scene: { job: deleted(["foregroundDeletion"]), pods: [ending(TEN_DAYS)] },
    },
  },
  {
    id: "S27",
    case: "somebody's finalizer",
    scene: { job: deleted(["example.com/archive"]), pods: [] },
    reason: "CustomFinalizer",
    since: 20,
    cause: "finalizer example.com/archive",
    twin: {
      but: "a pod of it is within its grace period",
      scene: { job: deleted(["example.com/archive"]), pods: [ending(TEN_DAYS)] },
    },
  },
  {
    id: "S28",
    scene: { job: deleted(["orphan"]), pods: [podOf()] },
    reason: "OrphanFinalizer",
    since: 20,
    cause: "finalizer orphan",
    twin: { but: "it is not deleted", scene: { job: job({ metadata: { finalizers: ["orphan"] } }), pods: [podOf()] } },
  },
  {
    id: "S29",
    scene: { job: complete({ ttlSecondsAfterFinished: 60 }), pods: [] },
    reason: "TtlPassed",
    since: 160,
    cause: "TTL controller",
    twin: { but: "it may stay for ever", scene: { job: complete(), pods: [] } },
  },
];
