import type { Controller } from "../../controller/index.ts";
import { controllerOf, type DeepReadonly, resources } from "../../resources/index.ts";
import { evidenceKinds, type Workload } from "../evidence-kinds.ts";
import { workloadOrder } from "../workload-order.ts";
import { jobsIn, within } from "./cached-kinds.ts";
import { type JudgeInterval, type JudgeOptions, judgingController } from "./judging-controller.ts";

/** Judges the Workloads of a cluster with Kueue. What a suspended Job waits for is in its Workload, so each change calls for the Job. */
export function workloadsController(
  options: JudgeOptions,
  jobs: Pick<Controller<never>, "enqueue">,
): Controller<Workload, JudgeInterval> {
  const { namespace } = options;
  const workloads = { resource: evidenceKinds.workloads, scope: within(namespace) };
  const onPass = (workload: DeepReadonly<Workload>): void => {
    const owner = controllerOf(workload);
    const { namespace: of = "" } = workload.metadata;
    if (owner?.kind === resources.jobs.kind) jobs.enqueue({ namespace: of, name: owner.name });
  };
  return judgingController({ ...workloads, order: workloadOrder, follows: [jobsIn(namespace)], onPass }, options);
}
