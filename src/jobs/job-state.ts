import type { Condition, DeepReadonly, Job, KubeObject } from "../resources/index.ts";
import { type Since, sinceOf } from "./since.ts";

/** The value of spec.managedBy that means the built-in controller (KEP-4368). */
const BUILT_IN_CONTROLLER = "kubernetes.io/job-controller";

/** The condition of one of these types that is True. */
export function conditionOf(
  { status }: DeepReadonly<{ status: { conditions?: Condition[] } }>,
  ...types: readonly string[]
): DeepReadonly<Condition> | undefined {
  return status.conditions?.find((condition) => condition.status === "True" && types.includes(condition.type));
}

/** The controller only works on finalizers any more. */
export function isDeleting(object: DeepReadonly<KubeObject>): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/** Decided, but not written as finished before every pod has ended and is counted. */
export function isFinishing(job: DeepReadonly<Job>): boolean {
  return conditionOf(job, "SuccessCriteriaMet", "FailureTarget") !== undefined;
}

/** Somebody asked it to wait. Neither its deadline nor its pods run meanwhile. */
export function isSuspended(job: DeepReadonly<Job>): boolean {
  return job.spec.suspend === true;
}

/** The built-in controller leaves it alone. */
export function isManagedElsewhere(job: DeepReadonly<Job>): boolean {
  return job.spec.managedBy !== undefined && job.spec.managedBy !== BUILT_IN_CONTROLLER;
}

/** No controller has written anything: the API server itself creates a Job with an empty status. */
export function isUntouched(job: DeepReadonly<Job>): boolean {
  return Object.values(job.status).every((value: unknown) => Array.isArray(value) && value.length === 0);
}

/** Since when it has been Complete or Failed. */
export function finishedSince(job: DeepReadonly<Job>): Since | undefined {
  const finished = conditionOf(job, "Complete", "Failed");
  return sinceOf(finished?.lastTransitionTime, `Job condition ${finished?.type}`);
}

/** Since when it has been suspended; one that was created so and that nobody has touched, since it was created. */
export function suspendedSince(job: DeepReadonly<Job>): Since | undefined {
  const suspended = conditionOf(job, "Suspended");
  return (
    sinceOf(suspended?.lastTransitionTime, "Job condition Suspended") ??
    sinceOf(job.metadata.creationTimestamp, "Job metadata.creationTimestamp")
  );
}

/** Since when it could have made pods: its start, which is set anew when it resumes, or its creation as long as nobody has touched it. */
export function startedSince(job: DeepReadonly<Job>): Since | undefined {
  return (
    sinceOf(job.status.startTime, "Job status.startTime") ??
    sinceOf(job.metadata.creationTimestamp, "Job metadata.creationTimestamp")
  );
}
