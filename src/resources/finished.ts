import type { Job } from "./job.ts";
import type { DeepReadonly } from "./meta.ts";
import type { Pod } from "./pod.ts";

/** The Job controller will do no more for it: it is Complete or Failed. A Job that is only about to be (FailureTarget) is not. */
export function isFinishedJob(job: DeepReadonly<Job>): boolean {
  const { conditions = [] } = job.status;
  return conditions.some(({ type, status }) => status === "True" && (type === "Complete" || type === "Failed"));
}

/** All its containers have ended for good. A pod that is being deleted still runs until then. */
export function isFinishedPod(pod: DeepReadonly<Pod>): boolean {
  const { phase } = pod.status;
  return phase === "Succeeded" || phase === "Failed";
}
