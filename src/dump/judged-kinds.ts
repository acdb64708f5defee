import { jobOrder, type LimitRules, type Stage, type Verdict, verdictOn, type World } from "../jobs/index.ts";
import { type DeepReadonly, type KubeObject, type Resource, resources } from "../resources/index.ts";

/** A kind whose objects are judged, whatever its type is. */
export interface JudgedKind {
  readonly resource: Resource;
  readonly verdict: (object: DeepReadonly<KubeObject>, world: World, now: number, rules: LimitRules) => Verdict;
}

/** Each kind that has an order of decision: the same that a live sidecar judges by. */
export const judgedKinds: readonly JudgedKind[] = [judged(resources.jobs, jobOrder)];

/** What the judges look at: in files, nothing else is kept. */
export const keptKinds: readonly Resource[] = [
  ...judgedKinds.map(({ resource }) => resource),
  resources.pods,
  resources.cronJobs,
  resources.leases,
  resources.events,
];

function judged<T extends KubeObject>(resource: Resource<T>, order: readonly Stage<T>[]): JudgedKind {
  return {
    resource,
    verdict: (object, world, now, rules) => {
      return verdictOn({ resource, object: object as DeepReadonly<T>, order }, world, now, rules);
    },
  };
}
