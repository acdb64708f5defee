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
  const newest = newestSuccess(world.jobsOf(controllerOf(job)?.uid ?? ""));
  return newest && madeMs(newest) > madeMs(job) ? newest : undefined;
}

/** Each run of a CronJob asks for the same, and a world that is held gives each the same list. */
const newestOf: WeakMap<readonly DeepReadonly<Job>[], DeepReadonly<Job> | null> = new WeakMap();

function newestSuccess(runs: readonly DeepReadonly<Job>[]): DeepReadonly<Job> | undefined {
  const known = newestOf.get(runs);
  if (known !== undefined) return known ?? undefined;
  let newest: DeepReadonly<Job> | undefined;
  for (const run of runs)
    if (hasSucceeded(run) && !Number.isNaN(madeMs(run)) && (!newest || isNewer(run, newest))) newest = run;
  newestOf.set(runs, newest ?? null);
  return newest;
}

function isNewer(a: DeepReadonly<Job>, b: DeepReadonly<Job>): boolean {
  return madeMs(a) > madeMs(b) || (madeMs(a) === madeMs(b) && keyOf(a.metadata) > keyOf(b.metadata));
}

/** NaN where nobody knows. */
function madeMs({ metadata }: DeepReadonly<Job>): number {
  return Date.parse(metadata.creationTimestamp ?? "");
}
