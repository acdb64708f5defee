import type { Controller } from "../../controller/index.ts";
import type { Pod } from "../../resources/index.ts";
import { isDeleting } from "../job-state.ts";
import { podOrder } from "../pod-order.ts";
import { jobsIn, podsOfJobsIn } from "./cached-kinds.ts";
import { type JudgeInterval, type JudgeOptions, judgingController } from "./judging-controller.ts";

/** Judges pods that no Job speaks for any more. A pod that nobody has deleted costs nothing, not even a pass. */
export function podsController(options: JudgeOptions): Controller<Pod, JudgeInterval> {
  const { namespace } = options;
  const pods = podsOfJobsIn(namespace);
  return judgingController({ ...pods, order: podOrder, select: isDeleting, follows: [jobsIn(namespace)] }, options);
}
