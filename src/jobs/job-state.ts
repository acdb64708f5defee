import type { DeepReadonly, Job, KubeObject } from "../resources/index.ts";

/** The value of spec.managedBy that means the built-in controller (KEP-4368). */
const BUILT_IN_CONTROLLER = "kubernetes.io/job-controller";

function hasCondition(job: DeepReadonly<Job>, ...types: readonly string[]): boolean {
  return job.status.conditions?.some(({ type, status }) => status === "True" && types.includes(type)) === true;
}

/** The controller only works on finalizers any more. */
export function isDeleting(object: DeepReadonly<KubeObject>): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/** Decided, but not written as finished before every pod has ended and is counted. */
export function isFinishing(job: DeepReadonly<Job>): boolean {
  return hasCondition(job, "SuccessCriteriaMet", "FailureTarget");
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
