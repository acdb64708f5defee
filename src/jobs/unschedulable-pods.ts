import { compareText } from "../base/index.ts";
import type { Condition, DeepReadonly, Job, Pod } from "../resources/index.ts";
import { isDeleting } from "./job-state.ts";
import { bySince, type Since, sinceOf } from "./since.ts";
import type { World } from "./world.ts";

/** A pod that the scheduler has tried to place and could not. */
export interface UnschedulablePod extends Since {
  readonly pod: DeepReadonly<Pod>;
  readonly condition: DeepReadonly<Condition>;
}

/** The oldest first. */
export function unschedulablePods(job: DeepReadonly<Job>, world: World): readonly UnschedulablePod[] {
  return world
    .podsOf(job.metadata.uid)
    .flatMap((pod) => {
      const condition = pod.status.conditions?.find(({ type }) => type === "PodScheduled");
      const since = sinceOf(condition?.lastTransitionTime, "pod condition PodScheduled");
      if (condition?.status !== "False" || condition.reason !== "Unschedulable" || !since || isDeleting(pod)) return [];
      return { pod, condition, ...since };
    })
    .toSorted((a, b) => bySince(a, b) || compareText(a.pod.metadata.name, b.pod.metadata.name));
}

/**
 * What the scheduler says of a volume claim that stands in the way. A claim that only waits for its first consumer does not: the
 * scheduler places such a pod, and the claim is bound on the way.
 */
export function claimTrouble({ message = "" }: DeepReadonly<Condition>): "ClaimUnbound" | "ClaimMissing" | undefined {
  if (message.includes("unbound immediate PersistentVolumeClaims")) return "ClaimUnbound";
  return /persistentvolumeclaim "[^"]*" (?:not found|is being deleted|bound to non-existent)/.test(message)
    ? "ClaimMissing"
    : undefined;
}
