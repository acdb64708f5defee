import { compareText } from "../base/index.ts";
import { type DeepReadonly, isFinishedPod, type Job, type Pod } from "../resources/index.ts";
import { isDeleting } from "./job-state.ts";
import { latestOf, type Since, sinceOf } from "./since.ts";
import type { World } from "./world.ts";

/** The Job controller removes it from a pod once the pod's end is counted in the Job's status. */
export const TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking";

/** By name: the order in which a world lists pods means nothing. */
export function byName({ metadata: a }: DeepReadonly<Pod>, { metadata: b }: DeepReadonly<Pod>): number {
  return compareText(a.name, b.name);
}

/** Pods that run or may still start, those on their way out included. */
export function hasUnfinishedPods(job: DeepReadonly<Job>, world: World): boolean {
  return world.podsOf(job.metadata.uid).some((pod) => !isFinishedPod(pod));
}

/** Told to end and not ended. */
export function isTerminating(pod: DeepReadonly<Pod>): boolean {
  return isDeleting(pod) && !isFinishedPod(pod);
}

/** A pod's deletionTimestamp is when its grace period ends: the API server adds the grace to the time of the deletion. */
export function graceEndOf(pod: DeepReadonly<Pod>): Since | undefined {
  return sinceOf(pod.metadata.deletionTimestamp, "pod metadata.deletionTimestamp, the end of its grace period");
}

/** The latest end of a grace period that some pod is still in. */
export function inGraceUntil(pods: readonly DeepReadonly<Pod>[], now: number): number | undefined {
  const end = latestOf(...pods.filter(isTerminating).map(graceEndOf))?.sinceMs;
  return end !== undefined && end > now ? end : undefined;
}

export function isTracked({ metadata }: DeepReadonly<Pod>): boolean {
  return metadata.finalizers?.includes(TRACKING_FINALIZER) === true;
}

/** When a finished pod ended: its last container, or, where none ever ran (an eviction), its last condition. */
export function endOf({ metadata, status }: DeepReadonly<Pod>): Since | undefined {
  const statuses = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const ended = statuses.map(({ state }) =>
    sinceOf(state?.terminated?.finishedAt, "pod status: end of its containers"),
  );
  const changed = status.conditions?.map(({ lastTransitionTime }) => sinceOf(lastTransitionTime, "pod conditions"));
  return (
    latestOf(...ended) ??
    latestOf(...(changed ?? [])) ??
    sinceOf(metadata.creationTimestamp, "pod metadata.creationTimestamp")
  );
}

/**
 * Ended pods that the Job's status has not taken note of at all. Pods without the finalizer come from old clusters or from files: of
 * those it is only known that there are more than are counted.
 */
export function unnoticedPods(job: DeepReadonly<Job>, world: World): readonly DeepReadonly<Pod>[] {
  const { uncountedTerminatedPods: noted, succeeded = 0, failed = 0 } = job.status;
  const listed = new Set([...(noted?.succeeded ?? []), ...(noted?.failed ?? [])]);
  const ended = world.podsOf(job.metadata.uid).filter((pod) => isFinishedPod(pod) && !listed.has(pod.metadata.uid));
  const tracked = ended.filter(isTracked);
  return tracked.length === 0 && ended.length > succeeded + failed ? ended : tracked;
}
