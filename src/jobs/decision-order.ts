import { type DeepReadonly, isFinishedJob, type Job } from "../resources/index.ts";
import { isDeleting, isFinishing, isManagedElsewhere, isSuspended } from "./job-state.ts";
import { controllerHasNotTouchedIt } from "./kinds/s01-controller-has-not-touched-it.ts";
import { imageCannotBePulled } from "./kinds/s13-image-cannot-be-pulled.ts";
import { deadlineNotEnforced } from "./kinds/s19-deadline-not-enforced.ts";
import type { JobEvidence, StuckKind } from "./stuck-kind.ts";

/** One question of the order, and the kinds that are asked when the answer is yes. */
export interface Stage {
  readonly stage: string;
  holds(job: DeepReadonly<Job>, evidence: JobEvidence): boolean;
  readonly kinds: readonly StuckKind[];
  /** Later stages do not apply to such a Job at all: whatever its pods look like, that is not why it stands still. */
  readonly final: boolean;
}

/** First match wins, so that one Job has one reason. The order goes from what rules everything else out to what is the least certain. */
export const decisionOrder: readonly Stage[] = [
  { stage: "being deleted", holds: isDeleting, kinds: [], final: true },
  { stage: "finished", holds: isFinishedJob, kinds: [], final: true },
  { stage: "finishing", holds: isFinishing, kinds: [], final: true },
  { stage: "suspended", holds: isSuspended, kinds: [], final: true },
  { stage: "managed elsewhere", holds: isManagedElsewhere, kinds: [], final: true },
  { stage: "no pods", holds: (_, { pods }) => pods.length === 0, kinds: [controllerHasNotTouchedIt], final: false },
  { stage: "pods do not start", holds: (_, { pods }) => pods.length > 0, kinds: [imageCannotBePulled], final: false },
  { stage: "deadline", holds: () => true, kinds: [deadlineNotEnforced], final: false },
];

/** Every kind, in the order in which they are asked. */
export const stuckKinds: readonly StuckKind[] = decisionOrder.flatMap(({ kinds }) => kinds);
