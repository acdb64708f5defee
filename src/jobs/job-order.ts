import { type DeepReadonly, isFinishedJob, isHeartbeat, type Job } from "../resources/index.ts";
import type { Stage } from "./decision-order.ts";
import { isDeleting, isFinishing, isManagedElsewhere, isSuspended } from "./job-state.ts";
import { runaway } from "./kinds/r-runaway.ts";
import { controllerHasNotTouchedIt } from "./kinds/s01-controller-has-not-touched-it.ts";
import { managedByNobody } from "./kinds/s02-managed-by-nobody.ts";
import { quotaRefusesPods } from "./kinds/s03-quota-refuses-pods.ts";
import { admissionRefusesPods } from "./kinds/s04-admission-refuses-pods.ts";
import { noAttemptToCreatePods } from "./kinds/s05-no-attempt-to-create-pods.ts";
import { serviceAccountMissing } from "./kinds/s06-service-account-missing.ts";
import { suspendedAndForgotten } from "./kinds/s07-suspended-and-forgotten.ts";
import { admittedYetSuspended } from "./kinds/s08-admitted-yet-suspended.ts";
import { queued } from "./kinds/s09-queued.ts";
import { podUnschedulable } from "./kinds/s11-pod-unschedulable.ts";
import { volumeNotMounted } from "./kinds/s12-volume-not-mounted.ts";
import { imageCannotBePulled } from "./kinds/s13-image-cannot-be-pulled.ts";
import { configError } from "./kinds/s14-config-error.ts";
import { initContainerHolds } from "./kinds/s15-init-container-holds.ts";
import { sidecarNeverExits } from "./kinds/s16-sidecar-never-exits.ts";
import { endlessCrashLoop } from "./kinds/s17-endless-crash-loop.ts";
import { beyondItsHistory } from "./kinds/s18-beyond-its-history.ts";
import { deadlineNotEnforced } from "./kinds/s19-deadline-not-enforced.ts";
import { podTerminatingPastGrace } from "./kinds/s20-pod-terminating-past-grace.ts";
import { replacementWaits } from "./kinds/s21-replacement-waits.ts";
import { failureTargetNeverFailed } from "./kinds/s22-failure-target-never-failed.ts";
import { successNeverComplete } from "./kinds/s23-success-never-complete.ts";
import { uncountedPods } from "./kinds/s24-uncounted-pods.ts";
import { controllerLag } from "./kinds/s25-controller-lag.ts";
import { trackingFinalizerLeft } from "./kinds/s26-orphan-tracking-finalizer.ts";
import { jobDeletionHangs } from "./kinds/s27-job-deletion-hangs.ts";
import { orphanFinalizer } from "./kinds/s28-orphan-finalizer.ts";
import { ttlNotHonoured } from "./kinds/s29-ttl-not-honoured.ts";
import { indexesBlocked } from "./kinds/s40-indexes-blocked.ts";
import { mirrorDiverges } from "./kinds/s41-mirror-diverges.ts";
import { unkillableProcess } from "./kinds/s42-unkillable-process.ts";
import { hasUnfinishedPods } from "./pod-state.ts";
import type { World } from "./world.ts";

/** First match wins, so that one Job has one reason. The order goes from what rules everything else out to what is the least certain. */
export const jobOrder: readonly Stage<Job>[] = [
  { stage: "heartbeat", holds: isHeartbeat, kinds: [], final: true },
  { stage: "being deleted", holds: isDeleting, kinds: [orphanFinalizer, jobDeletionHangs], final: true },
  { stage: "finished", holds: isFinishedJob, kinds: [ttlNotHonoured, trackingFinalizerLeft], final: true },
  { stage: "finishing", holds: isFinishing, kinds: [failureTargetNeverFailed, successNeverComplete], final: true },
  { stage: "ended pods not counted", holds: hasUncounted, kinds: [uncountedPods], final: false },
  { stage: "old pods not gone", holds: hasTerminating, kinds: [replacementWaits], final: false },
  {
    stage: "suspended",
    holds: isSuspended,
    kinds: [mirrorDiverges, admittedYetSuspended, queued, suspendedAndForgotten],
    final: true,
  },
  { stage: "managed elsewhere", holds: isManagedElsewhere, kinds: [managedByNobody], final: true },
  { stage: "too many pods", holds: hasPods, kinds: [runaway], final: false },
  {
    stage: "no pods",
    holds: (job, world) => !hasUnfinishedPods(job, world),
    kinds: [
      quotaRefusesPods,
      serviceAccountMissing,
      admissionRefusesPods,
      indexesBlocked,
      controllerHasNotTouchedIt,
      noAttemptToCreatePods,
    ],
    final: false,
  },
  {
    stage: "pods do not end",
    holds: hasPods,
    kinds: [unkillableProcess, podTerminatingPastGrace],
    final: false,
  },
  { stage: "containers are not made", holds: hasPods, kinds: [imageCannotBePulled, configError], final: false },
  { stage: "pods are not placed", holds: hasPods, kinds: [volumeNotMounted, podUnschedulable], final: false },
  { stage: "pods do not start", holds: hasPods, kinds: [initContainerHolds], final: false },
  { stage: "pods ended in part", holds: hasPods, kinds: [sidecarNeverExits], final: false },
  { stage: "status does not follow the pods", holds: () => true, kinds: [controllerLag], final: false },
  { stage: "deadline", holds: () => true, kinds: [deadlineNotEnforced], final: false },
  { stage: "crashes", holds: () => true, kinds: [endlessCrashLoop], final: false },
  { stage: "history", holds: () => true, kinds: [beyondItsHistory], final: false },
];

function hasPods(job: DeepReadonly<Job>, world: World): boolean {
  return world.podsOf(job.metadata.uid).length > 0;
}

function hasTerminating(job: DeepReadonly<Job>): boolean {
  return (job.status.terminating ?? 0) > 0;
}

function hasUncounted(job: DeepReadonly<Job>): boolean {
  return job.status.uncountedTerminatedPods !== undefined;
}
