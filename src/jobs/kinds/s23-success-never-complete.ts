import type { Job } from "../../resources/index.ts";
import { inGraceUntil } from "../pod-state.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { type Ending, unfinishedEnding, unfinishedReasons } from "../unfinished-ending.ts";

const SUCCESS: Ending = { interim: "SuccessCriteriaMet", terminal: "Complete" };

export const successNeverComplete: StuckKind<Job> = {
  id: "S23",
  name: "success-never-complete",
  sees: "condition SuccessCriteriaMet is True, Complete is absent, and no pod is within its grace period",
  lookAlike: "pods within their grace period: the Job is Complete when the last one has ended",
  means:
    "The Job has succeeded, but that is written only when none of its pods is ending any more and all are counted. Until then whoever waits for it goes on waiting.",
  remedy: [
    "Find the pod that does not end, and its node.",
    "If no pod is left, see whether kube-controller-manager has a leader and can write the Job's status.",
  ],
  limits: { warningMs: 5 * 60_000, criticalMs: 20 * 60_000 },
  source: ["https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/job/job_controller.go"],
  reasons: unfinishedReasons,
  startsAt: (job, world, now) => inGraceUntil(world.podsOf(job.metadata.uid), now),
  look: (job, world, now) => unfinishedEnding(job, world, now, SUCCESS),
};
