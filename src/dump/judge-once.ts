import {
  type Finding,
  type FindingGroup,
  Findings,
  groupsOf,
  type LimitRules,
  ObjectCounts,
  type Snapshot,
} from "../jobs/index.ts";
import { keyOf } from "../resources/index.ts";
import { noopMeter } from "../telemetry/index.ts";
import type { KindsInFiles } from "./kinds-in-files.ts";

export interface JudgeOnceOptions {
  readonly kinds: KindsInFiles;
  /** Wall time in milliseconds, as of which everything is judged. */
  readonly now: number;
  readonly rules: LimitRules;
  /** Judge only what is in these; all when empty. What is in others is looked at all the same. */
  readonly namespaces: readonly string[];
  /** Also what is only watched. */
  readonly all: boolean;
}

/** What a snapshot says of Jobs, in the shape of `/api/v1/jobs`. */
export interface JudgedOnce {
  /** How many objects were looked at, by resource. */
  readonly objects: Readonly<Record<string, number>>;
  /** Jobs without a listed finding. */
  readonly healthy: number;
  /** Worst first, then oldest. */
  readonly findings: readonly Finding[];
  readonly groups: readonly FindingGroup[];
}

/** Judges each object once. */
export function judgeOnce(snapshot: Snapshot, { kinds, now, rules, namespaces, all }: JudgeOnceOptions): JudgedOnce {
  const isInScope = (namespace = ""): boolean => namespaces.length === 0 || namespaces.includes(namespace);
  const findings = new Findings({ meter: noopMeter }, rules);
  for (const { resource, verdict } of kinds.judged) {
    const known = findings.of(resource);
    for (const object of snapshot.list(resource)) {
      if (!isInScope(object.metadata.namespace)) continue;
      known.set(keyOf(object.metadata), verdict(object, snapshot, now, rules).finding);
    }
  }
  const listed = findings.list(now, { all });
  const counts = new ObjectCounts();
  for (const resource of kinds.kept) {
    const inScope = [...snapshot.list(resource)].filter(({ metadata }) => isInScope(metadata.namespace));
    if (inScope.length > 0) counts.add(resource, inScope.length);
  }
  return {
    objects: counts.byPlural(),
    healthy: counts.healthyJobs(listed),
    findings: listed,
    groups: groupsOf(listed),
  };
}
