import { isFinishedPod, type Job, type Pod } from "../../resources/index.ts";

/** The pods of a Job by what they mean to it. */
export interface PodCount {
  readonly active: readonly Pod[];
  readonly terminating: number;
  readonly ready: number;
  /** Finished, and not yet counted into the status. */
  readonly uncounted: readonly Pod[];
}

export function countPods(pods: readonly Pod[]): PodCount {
  const active = pods.filter((pod) => !isFinishedPod(pod) && !pod.metadata.deletionTimestamp);
  return {
    active,
    terminating: pods.filter((pod) => !isFinishedPod(pod) && pod.metadata.deletionTimestamp).length,
    ready: active.filter((pod) => pod.status.conditions?.some(isReady)).length,
    uncounted: pods.filter((pod) => isFinishedPod(pod) && pod.metadata.finalizers?.includes(TRACKING_FINALIZER)),
  };
}

const isReady = ({ type, status }: { type: string; status: string }): boolean => type === "Ready" && status === "True";

/** Keeps a finished pod until the Job has counted it (KEP-2307). */
export const TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking";

export interface Decision {
  readonly interim: "SuccessCriteriaMet" | "FailureTarget";
  readonly final: "Complete" | "Failed";
  readonly reason: string;
  readonly message: string;
}

const completed: Decision = {
  interim: "SuccessCriteriaMet",
  final: "Complete",
  reason: "CompletionsReached",
  message: "Reached expected number of succeeded pods",
};
const overBackoffLimit: Decision = {
  interim: "FailureTarget",
  final: "Failed",
  reason: "BackoffLimitExceeded",
  message: "Job has reached the specified backoff limit",
};
const overDeadline: Decision = {
  interim: "FailureTarget",
  final: "Failed",
  reason: "DeadlineExceeded",
  message: "Job was active longer than specified deadline",
};

/** Whether a Job is over, and why: failure first, as the Job controller decides. */
export function decide(job: Job, active: number, now: number): Decision | undefined {
  const { succeeded = 0, failed = 0 } = job.status;
  const { completions, backoffLimit = 6 } = job.spec;
  if (failed > backoffLimit) return overBackoffLimit;
  if (deadlineLeftMs(job, now) <= 0) return overDeadline;
  const enough = completions === undefined ? succeeded > 0 && active === 0 : succeeded >= completions;
  return enough ? completed : undefined;
}

/** Milliseconds until activeDeadlineSeconds has passed; infinite without one, or while suspended. */
export function deadlineLeftMs(job: Job, now: number): number {
  const { activeDeadlineSeconds, suspend } = job.spec;
  const { startTime } = job.status;
  if (activeDeadlineSeconds === undefined || suspend || !startTime) return Number.POSITIVE_INFINITY;
  return Date.parse(startTime) + activeDeadlineSeconds * 1_000 - now;
}

/** How many pods are to be active now. */
export function wantedActive(job: Job): number {
  const { suspend, parallelism = 1, completions } = job.spec;
  if (suspend) return 0;
  const { succeeded = 0 } = job.status;
  if (completions === undefined) return succeeded > 0 ? 0 : parallelism;
  return Math.min(parallelism, completions - succeeded);
}

/** The pause before another pod after `failures` of them: 10 s doubling to 10 min. */
export function failureBackoffMs(failures: number): number {
  return failures === 0 ? 0 : Math.min(10_000 * 2 ** (failures - 1), 600_000);
}
