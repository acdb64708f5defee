import { isFinishedJob, isHeartbeat, type Job } from "../resources/index.ts";
import type { Stage } from "./decision-order.ts";
import { isDeleting, isFinishing, isManagedElsewhere, isSuspended } from "./job-state.ts";
import { controllerHasNotTouchedIt } from "./kinds/s01-controller-has-not-touched-it.ts";
import { imageCannotBePulled } from "./kinds/s13-image-cannot-be-pulled.ts";
import { deadlineNotEnforced } from "./kinds/s19-deadline-not-enforced.ts";

/** First match wins, so that one Job has one reason. The order goes from what rules everything else out to what is the least certain. */
export const jobOrder: readonly Stage<Job>[] = [
  { stage: "heartbeat", holds: isHeartbeat, kinds: [], final: true },
  { stage: "being deleted", holds: isDeleting, kinds: [], final: true },
  { stage: "finished", holds: isFinishedJob, kinds: [], final: true },
  { stage: "finishing", holds: isFinishing, kinds: [], final: true },
  { stage: "suspended", holds: isSuspended, kinds: [], final: true },
  { stage: "managed elsewhere", holds: isManagedElsewhere, kinds: [], final: true },
  {
    stage: "no pods",
    holds: (job, world) => world.podsOf(job.metadata.uid).length === 0,
    kinds: [controllerHasNotTouchedIt],
    final: false,
  },
  {
    stage: "pods do not start",
    holds: (job, world) => world.podsOf(job.metadata.uid).length > 0,
    kinds: [imageCannotBePulled],
    final: false,
  },
  { stage: "deadline", holds: () => true, kinds: [deadlineNotEnforced], final: false },
];
