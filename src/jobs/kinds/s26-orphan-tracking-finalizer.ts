import { oneLine } from "../../base/index.ts";
import { controllerOf, type DeepReadonly, isFinishedPod, type Job, type Pod } from "../../resources/index.ts";
import { finishedSince, isDeleting } from "../job-state.ts";
import { byName, endOf, inGraceUntil, isTracked, TRACKING_FINALIZER } from "../pod-state.ts";
import { latestOf, type Since, sinceOf } from "../since.ts";
import type { KindPage, StuckKind } from "../stuck-kind.ts";
import { command, cut, nameOf } from "../words.ts";

const page: KindPage = {
  id: "S26",
  name: "orphan-tracking-finalizer",
  sees: `a pod that has ended or is deleted keeps the finalizer ${TRACKING_FINALIZER}, while its Job has finished or is gone`,
  lookAlike: "the few syncs that the Job controller needs to take the finalizer away",
  means:
    "Only the Job controller removes this finalizer, and it has lost sight of the pod. The pod can never be deleted; it keeps its name, its place in quotas, and its namespace from being deleted.",
  remedy: [
    "See whether kube-controller-manager has a leader and is not refused when it updates pods.",
    "When the Job is finished or gone, the finalizer has no more use: remove it by hand.",
  ],
  limits: { warningMs: 5 * 60_000, criticalMs: 30 * 60_000 },
  source: [
    "https://github.com/kubernetes/kubernetes/issues/109429",
    "https://github.com/kubernetes/kubernetes/issues/121828",
    "https://github.com/kubernetes/kubernetes/issues/108297",
    "https://github.com/kubernetes/kubernetes/issues/114366",
    "https://github.com/kubernetes/kubernetes/issues/127917",
    "https://github.com/kubernetes/enhancements/tree/master/keps/sig-apps/2307-job-tracking-without-lingering-pods",
  ],
  reasons: ["JobFinished", "JobGone"],
};

/** Seen from a finished Job. */
export const trackingFinalizerLeft: StuckKind<Job> = {
  ...page,
  look(job, world) {
    const left = world
      .podsOf(job.metadata.uid)
      .filter((pod) => isTracked(pod) && (isFinishedPod(pod) || isDeleting(pod)));
    const [first] = left.toSorted(byName);
    if (!first) return undefined;
    const since = latestOf(finishedSince(job), ...left.map(endSince));
    return (
      since && {
        reason: "JobFinished",
        ...since,
        message: `${nameOf("Job", job)} has finished and ${left.length} of its pods keep the finalizer ${TRACKING_FINALIZER}`,
        evidence: cut(left.toSorted(byName).map(podLine)),
        next: nextFor(first),
      }
    );
  },
};

/** Seen from a pod whose Job is gone. Until the garbage collector deletes it, it is only waiting for that. */
export const orphanTrackingFinalizer: StuckKind<Pod> = {
  ...page,
  startsAt: (pod, _, now) => inGraceUntil([pod], now),
  look(pod, _, now) {
    const since = deletedSince(pod);
    if (!since || since.sinceMs > now || !isTracked(pod)) return undefined;
    const owner = oneLine(controllerOf(pod)?.name ?? "");
    return {
      reason: "JobGone",
      ...since,
      message: `${nameOf("Pod", pod)} is deleted, its Job ${owner} is gone, and the finalizer ${TRACKING_FINALIZER} keeps it`,
      evidence: [podLine(pod)],
      next: nextFor(pod),
    };
  },
};

function endSince(pod: DeepReadonly<Pod>): Since | undefined {
  return latestOf(deletedSince(pod), isFinishedPod(pod) ? endOf(pod) : undefined);
}

function deletedSince({ metadata }: DeepReadonly<Pod>): Since | undefined {
  return sinceOf(metadata.deletionTimestamp, "pod metadata.deletionTimestamp");
}

function podLine(pod: DeepReadonly<Pod>): string {
  const { deletionTimestamp, finalizers = [] } = pod.metadata;
  const deleted = deletionTimestamp === undefined ? "not deleted" : `deleted ${oneLine(deletionTimestamp)}`;
  return `${nameOf("Pod", pod)}: phase ${oneLine(pod.status.phase ?? "absent")}, ${deleted}, finalizers ${oneLine(finalizers.join(" "))}`;
}

function nextFor({ metadata: { namespace = "", name } }: DeepReadonly<Pod>): readonly string[] {
  return [
    command`kubectl -n ${namespace} get pod ${name} -o jsonpath={.metadata.finalizers}`,
    command`kubectl -n ${namespace} patch pod ${name} --type=merge -p ${'{"metadata":{"finalizers":null}}'}`,
  ];
}
