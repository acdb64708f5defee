import {
  cronJobOrder,
  evidenceKinds,
  jobOrder,
  leaseOrder,
  type LimitRules,
  NODE_LEASES,
  parentOrder,
  parentResource,
  type Parents,
  podOrder,
  type Stage,
  type Verdict,
  verdictOn,
  workloadOrder,
  type World,
} from "../jobs/index.ts";
import { type DeepReadonly, type KubeObject, type Resource, resources } from "../resources/index.ts";

/** A kind whose objects are judged, whatever its type is. */
export interface JudgedKind {
  readonly resource: Resource;
  readonly verdict: (object: DeepReadonly<KubeObject>, world: World, now: number, rules: LimitRules) => Verdict;
}

/** What judges of Jobs look at. */
export interface KindsInFiles {
  readonly judged: readonly JudgedKind[];
  /** Those, and what is only evidence. In files, nothing else is kept. */
  readonly kept: readonly Resource[];
}

/** Each kind that has an order of decision, and the part of it that a live sidecar judges. */
export function kindsInFiles({ parents = [], genericParents = false }: Partial<Parents> = {}): KindsInFiles {
  const kinds = [
    judged(resources.jobs, jobOrder),
    judged(resources.pods, podOrder),
    judged(resources.cronJobs, cronJobOrder),
    judged(resources.leases, leaseOrder, ({ metadata }) => metadata.namespace !== NODE_LEASES),
    judged(evidenceKinds.workloads, workloadOrder),
    ...parents.map((rules) => judged(parentResource(rules), parentOrder(rules))),
  ];
  const ofParents = parents.length > 0 || genericParents ? [evidenceKinds.namespaces] : [];
  const evidence = [resources.events, evidenceKinds.nodes, ...ofParents];
  return { judged: kinds, kept: [...kinds.map(({ resource }) => resource), ...evidence] };
}

const HEALTHY: Verdict = { finding: undefined, dueAt: undefined, isWhole: true };

function judged<T extends KubeObject>(
  resource: Resource<T>,
  order: readonly Stage<T>[],
  isJudged: (object: DeepReadonly<KubeObject>) => boolean = () => true,
): JudgedKind {
  return {
    resource,
    verdict: (object, world, now, rules) => {
      if (!isJudged(object)) return HEALTHY;
      return verdictOn({ resource, object: object as DeepReadonly<T>, order }, world, now, rules);
    },
  };
}
