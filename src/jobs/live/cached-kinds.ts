import type { Scope } from "../../kube/index.ts";
import {
  type Job,
  JOB_NAME_LABEL,
  type KubeObject,
  type Pod,
  type Resource,
  resources,
} from "../../resources/index.ts";

/** A kind and the part of it that is cached. Of one kind the judges of one manager share one cache. */
export interface CachedKind<T extends KubeObject = KubeObject> {
  readonly resource: Resource<T>;
  readonly scope: Scope;
}

export function jobsIn(namespace: string | undefined): CachedKind<Job> {
  return { resource: resources.jobs, scope: within(namespace) };
}

/** Other pods than those that a Job controller makes never reach the cache: it labels each (Kubernetes 1.27 and later). */
export function podsOfJobsIn(namespace: string | undefined): CachedKind<Pod> {
  return { resource: resources.pods, scope: { ...within(namespace), labelSelector: JOB_NAME_LABEL } };
}

/** All of it unless a namespace is given. */
export function within(namespace: string | undefined): Scope {
  return namespace === undefined ? {} : { namespace };
}
