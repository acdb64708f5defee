import { controllerOf, type DeepReadonly, type Pod, resources } from "../resources/index.ts";
import type { Stage } from "./decision-order.ts";
import { isDeleting } from "./job-state.ts";
import { orphanTerminatingPastGrace } from "./kinds/s20-pod-terminating-past-grace.ts";
import { orphanTrackingFinalizer } from "./kinds/s26-orphan-tracking-finalizer.ts";
import { orphanUnkillableProcess } from "./kinds/s42-unkillable-process.ts";
import { isTracked } from "./pod-state.ts";
import type { World } from "./world.ts";

/** For pods that no Job speaks for any more; what the pods of a Job show is the Job's own matter. */
export const podOrder: readonly Stage<Pod>[] = [
  {
    stage: "deleted, and its Job is gone",
    holds: (pod, world) => isDeleting(pod) && isWithoutJob(pod, world),
    kinds: [orphanTrackingFinalizer, orphanUnkillableProcess, orphanTerminatingPastGrace],
    final: true,
  },
];

function isWithoutJob(pod: DeepReadonly<Pod>, world: World): boolean {
  const owner = controllerOf(pod);
  if (!owner) return isTracked(pod);
  const { namespace = "" } = pod.metadata;
  if (owner.kind !== "Job") return false;
  const job = world.find(resources.jobs, { namespace, name: owner.name });
  return job === null || (job !== undefined && job.metadata.uid !== owner.uid);
}
