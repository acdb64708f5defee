import { oneLine } from "../../base/index.ts";
import type { Job } from "../../resources/index.ts";
import { controllerCause } from "../controller-cause.ts";
import { isManagedElsewhere, isSuspended, isUntouched } from "../job-state.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, nameOf } from "../words.ts";

/**
 * The Job controller writes `status.startTime` in its first sync of a Job, before any pod is made. A status that stays empty means
 * that it is down, or not the leader, or so far behind that it has not come to this Job.
 */
export const controllerHasNotTouchedIt: StuckKind<Job> = {
  id: "S01",
  name: "controller-has-not-touched-it",
  sees: "status is empty and there are no pods, while the Job grows older",
  lookAlike: "a Job of less than a minute; a suspended one; one that spec.managedBy gives to another controller",
  means:
    "The Job controller writes status.startTime in its first sync of a Job. A status that stays empty means that no controller works: kube-controller-manager is down, has no leader, or is far behind. Nothing else will start the Job.",
  remedy: [
    "See whether kube-controller-manager has a leader that renews its lease.",
    "Read its log for errors of the job controller.",
    'If only some Jobs are affected, compare workqueue_depth{name="job"} with what it usually is.',
  ],
  limits: { warningMs: 60_000, criticalMs: 5 * 60_000 },
  source: [
    "https://github.com/kubernetes/kubernetes/issues/126510",
    "https://github.com/kubernetes/kubernetes/issues/80397",
    "https://github.com/ministryofjustice/cloud-platform/issues/1086",
    "https://github.com/hjacobs/kube-job-cleaner/pull/9",
  ],
  reasons: ["StatusEmpty"],
  look(job, world) {
    const pods = world.podsOf(job.metadata.uid);
    if (!isUntouched(job) || pods.length > 0 || isSuspended(job) || isManagedElsewhere(job)) return undefined;
    const { name, namespace = "" } = job.metadata;
    const creationTimestamp = oneLine(job.metadata.creationTimestamp ?? "");
    return {
      reason: "StatusEmpty",
      sinceMs: Date.parse(creationTimestamp),
      sinceSource: "Job metadata.creationTimestamp",
      message: `No controller has touched ${nameOf("Job", job)} since it was created at ${creationTimestamp}: its status is empty and it has no pods`,
      evidence: [`${nameOf("Job", job)}: status {}, 0 pods`],
      next: [
        command`kubectl -n ${namespace} get events --field-selector involvedObject.name=${name}`,
        "kubectl -n kube-system get lease kube-controller-manager -o yaml",
        "kubectl -n kube-system logs -l component=kube-controller-manager --tail=100",
      ],
      cause: controllerCause.job,
    };
  },
};
