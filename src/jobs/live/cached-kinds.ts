import type { Scope } from "../../kube/index.ts";
import { type Job, type KubeObject, type Pod, type Resource, resources } from "../../resources/index.ts";

/** A kind and the part of it that is cached. Of one kind the judges of one manager share one cache. */
export interface CachedKind<T extends KubeObject = KubeObject> {
  readonly resource: Resource<T>;
  readonly scope: Scope;
}

/** Every pod that a Job controller makes has this label (Kubernetes 1.27 and later), so other pods never reach the cache. */
const MADE_BY_A_JOB = "batch.kubernetes.io/job-name";

export function jobsIn(namespace: string | undefined): CachedKind<Job> {
  return { resource: resources.jobs, scope: within(namespace) };
}

export function podsOfJobsIn(namespace: string | undefined): CachedKind<Pod> {
  return { resource: resources.pods, scope: { ...within(namespace), labelSelector: MADE_BY_A_JOB } };
}

/** All of it unless a namespace is given. */
export function within(namespace: string | undefined): Scope {
  return namespace === undefined ? {} : { namespace };
}
