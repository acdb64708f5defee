import type { Job } from "../../resources/index.ts";
import { inGraceUntil } from "../pod-state.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { type Ending, unfinishedEnding, unfinishedReasons } from "../unfinished-ending.ts";

const FAILURE: Ending = { interim: "FailureTarget", terminal: "Failed" };

export const failureTargetNeverFailed: StuckKind<Job> = {
  id: "S22",
  name: "failure-target-never-failed",
  sees: "condition FailureTarget is True, Failed is absent, and no pod is within its grace period",
  lookAlike: "pods within their grace period: the Job is Failed when the last one has ended",
  means:
    "The Job has failed, but that is written only when none of its pods is ending any more and all are counted. Until then whoever waits for the Failed condition, alerts included, sees a running Job.",
  remedy: [
    "Find the pod that does not end, and its node.",
    "If no pod is left, see whether kube-controller-manager has a leader and can write the Job's status.",
  ],
  limits: { warningMs: 5 * 60_000, criticalMs: 20 * 60_000 },
  source: [
    "https://github.com/kubernetes/kubernetes/issues/125909",
    "https://github.com/karmada-io/karmada/issues/7844",
  ],
  reasons: unfinishedReasons,
  startsAt: (job, world, now) => inGraceUntil(world.podsOf(job.metadata.uid), now),
  look: (job, world, now) => unfinishedEnding(job, world, now, FAILURE),
};
