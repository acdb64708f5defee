import {
  apiVersionOf,
  controllerOf,
  type DeepReadonly,
  isFinishedJob,
  type Job,
  keyOf,
  type KubeObject,
  type Resource,
  resources,
} from "../resources/index.ts";
import { conditionOf, isDeleting } from "./job-state.ts";
import type { World } from "./world.ts";

export function isRunOfCronJob(job: DeepReadonly<Job>): boolean {
  const owner = controllerOf(job);
  return owner?.kind === resources.cronJobs.kind && owner.apiVersion === apiVersionOf(resources.cronJobs);
}

export function hasSucceeded(job: DeepReadonly<Job>): boolean {
  return conditionOf(job, "Complete") !== undefined;
}

/**
 * The run of the same CronJob that was made after this one and has succeeded: what this one was to do is done, so that nobody need get up
 * for it. Says nothing of a run that has ended or is to go: what is left of it stands in the way whatever came later.
 */
export function laterSuccessOf(
  resource: Pick<Resource, "group" | "kind">,
  object: DeepReadonly<KubeObject>,
  world: Pick<World, "jobsOf">,
): DeepReadonly<Job> | undefined {
  if (resource.kind !== resources.jobs.kind || resource.group !== resources.jobs.group) return undefined;
  const job = object as DeepReadonly<Job>;
  if (isFinishedJob(job) || isDeleting(job) || !isRunOfCronJob(job)) return undefined;
  const made = Date.parse(job.metadata.creationTimestamp ?? "");
  return world
    .jobsOf(controllerOf(job)?.uid ?? "")
    .filter((other) => hasSucceeded(other) && Date.parse(other.metadata.creationTimestamp ?? "") > made)
    .toSorted((a, b) => (keyOf(a.metadata) < keyOf(b.metadata) ? -1 : 1))
    .at(-1);
}
