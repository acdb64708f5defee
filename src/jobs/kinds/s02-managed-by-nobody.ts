import { oneLine } from "../../base/index.ts";
import type { Job } from "../../resources/index.ts";
import { isManagedElsewhere, isUntouched } from "../job-state.ts";
import { sinceOf } from "../since.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, nameOf } from "../words.ts";

/**
 * A Job whose spec.managedBy is not the built-in value is left alone by the Job controller, without an event or a condition: a value
 * that is misspelt, or whose controller is not installed, leaves no trace but a line in its log (KEP-4368).
 */
export const managedByNobody: StuckKind<Job> = {
  id: "S02",
  name: "managed-by-nobody",
  sees: "spec.managedBy names another controller, which has written no status, and there are no pods",
  lookAlike: "a Job that runs in another cluster: its status moves; one that waits in Kueue: it is suspended",
  means:
    "spec.managedBy tells the built-in Job controller to leave the Job alone. The controller that it names is not installed, is down, or the name is misspelt. The field cannot be changed afterwards, so nothing will ever start this Job.",
  remedy: [
    "Compare the value with what the controller's documentation says, to the letter.",
    "See whether that controller is installed and runs.",
    "Delete the Job and create it anew with the right value: the field is immutable.",
  ],
  limits: { warningMs: 10 * 60_000, criticalMs: 60 * 60_000 },
  source: [
    "https://github.com/kubernetes/enhancements/tree/master/keps/sig-apps/4368-support-managed-by-for-batch-jobs",
    "https://github.com/kubernetes-sigs/kueue/issues/1787",
  ],
  reasons: ["NoStatusWritten"],
  look(job, world) {
    const since = sinceOf(job.metadata.creationTimestamp, "Job metadata.creationTimestamp");
    if (!since || !isManagedElsewhere(job) || !isUntouched(job)) return undefined;
    if (world.podsOf(job.metadata.uid).length > 0) return undefined;
    const { namespace = "", name } = job.metadata;
    const manager = oneLine(job.spec.managedBy ?? "");
    return {
      reason: "NoStatusWritten",
      ...since,
      message: `${nameOf("Job", job)} is managed by "${manager}", which has never written its status; the built-in Job controller leaves it alone`,
      evidence: [`${nameOf("Job", job)}: spec.managedBy ${manager}, status {}, 0 pods`],
      next: [
        command`kubectl -n ${namespace} get job ${name} -o jsonpath={.spec.managedBy}`,
        "kubectl get deployments -A",
      ],
      cause: `manager ${manager}`,
    };
  },
};
