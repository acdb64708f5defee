import { oneLine } from "../../base/index.ts";
import { type DeepReadonly, isFinishedJob, type Job } from "../../resources/index.ts";
import { controllerCause } from "../controller-cause.ts";
import { rfc3339 } from "../finding.ts";
import { isFinishing, isSuspended } from "../job-state.ts";
import { inGraceUntil } from "../pod-state.ts";
import { afterSince, type Since, sinceOf } from "../since.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, nameOf } from "../words.ts";

/**
 * The Job controller ends a Job at `status.startTime` + `spec.activeDeadlineSeconds` from a timer in memory, decided inside a sync:
 * a lost timer or a controller that is down leaves the Job running. The clock stands while the Job is suspended, and startTime
 * is set anew when it resumes.
 */
export const deadlineNotEnforced: StuckKind<Job> = {
  id: "S19",
  name: "deadline-not-enforced",
  sees: "status.startTime + spec.activeDeadlineSeconds has passed and there is no Failed or FailureTarget condition",
  lookAlike: "a suspended Job, whose clock stands; pods that were told to end and are within their grace period",
  means:
    "The deadline is enforced by a timer in the memory of kube-controller-manager and decided inside a sync. When the timer was lost or the controller is down, the Job runs on.",
  remedy: [
    "See whether kube-controller-manager has a leader that renews its lease.",
    "Any change of the Job, such as an annotation, starts a sync that ends it.",
    "Delete the Job if its work must stop now.",
  ],
  limits: { warningMs: 2 * 60_000, criticalMs: 10 * 60_000 },
  source: [
    "https://github.com/kubernetes/kubernetes/issues/32149",
    "https://github.com/kubernetes/kubernetes/issues/62134",
    "https://github.com/kubernetes/kubernetes/issues/105572",
    "https://github.com/kubernetes/kubernetes/issues/110239",
  ],
  reasons: ["DeadlinePassed"],
  startsAt(job, world, now) {
    const deadline = deadlineOf(job)?.sinceMs;
    return deadline === undefined || now < deadline ? deadline : inGraceUntil(world.podsOf(job.metadata.uid), now);
  },
  look(job, world, now) {
    const pods = world.podsOf(job.metadata.uid);
    const deadline = deadlineOf(job);
    if (!deadline || now < deadline.sinceMs || isFinishedJob(job) || isFinishing(job)) return undefined;
    if (inGraceUntil(pods, now) !== undefined) return undefined;
    const { name, namespace = "" } = job.metadata;
    const { startTime = "", active = 0 } = job.status;
    const seconds = String(job.spec.activeDeadlineSeconds);
    return {
      reason: "DeadlinePassed",
      ...deadline,
      message: `${nameOf("Job", job)} should have failed at ${rfc3339(deadline.sinceMs)}, ${seconds} s after its start, and has neither a FailureTarget nor a Failed condition`,
      evidence: [
        `${nameOf("Job", job)}: startTime ${oneLine(startTime)}, activeDeadlineSeconds ${seconds}, active ${active}, ${pods.length} pods`,
      ],
      next: [
        command`kubectl -n ${namespace} describe job ${name}`,
        "kubectl -n kube-system get lease kube-controller-manager -o yaml",
      ],
      cause: controllerCause.job,
    };
  },
};

function deadlineOf(job: DeepReadonly<Job>): Since | undefined {
  const { activeDeadlineSeconds } = job.spec;
  if (activeDeadlineSeconds === undefined || isSuspended(job)) return undefined;
  const started = sinceOf(job.status.startTime, "Job status.startTime");
  return afterSince(started, activeDeadlineSeconds * 1_000, "spec.activeDeadlineSeconds");
}
