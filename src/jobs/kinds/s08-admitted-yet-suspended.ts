import { oneLine } from "../../base/index.ts";
import type { Job } from "../../resources/index.ts";
import { conditionOf } from "../job-state.ts";
import { workloadAskedFrom, workloadOf } from "../kueue.ts";
import { sinceOf } from "../since.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, nameOf } from "../words.ts";

export const admittedYetSuspended: StuckKind<Job> = {
  id: "S08",
  name: "admitted-yet-suspended",
  sees: "the Job's Kueue Workload is Admitted and not Finished, while spec.suspend is still true",
  lookAlike: "the seconds between the admission and the start; a Workload that is only queued",
  means:
    "Kueue has given the Job its quota and should have set spec.suspend to false. Its Job reconciler is down, fails, or is refused the change; meanwhile the quota is held and nobody uses it.",
  remedy: [
    "Read the log of Kueue's controller-manager for this Job.",
    "See whether a webhook or a policy refuses changes of the Job.",
    "Evict the Workload (spec.active false, then true) so that it is admitted anew.",
  ],
  limits: { warningMs: 5 * 60_000, criticalMs: 15 * 60_000 },
  source: [
    "https://github.com/kubernetes-sigs/kueue/issues/1726",
    "https://github.com/kubernetes-sigs/kueue/issues/3936",
    "https://github.com/kubernetes-sigs/kueue/issues/3140",
  ],
  reasons: ["AdmittedNotStarted"],
  startsAt: workloadAskedFrom,
  look(job, world, now) {
    const workload = workloadOf(job, world, now);
    if (!workload || conditionOf(workload, "Finished")) return undefined;
    const since = sinceOf(conditionOf(workload, "Admitted")?.lastTransitionTime, "Workload condition Admitted");
    if (!since) return undefined;
    const { namespace = "", name } = job.metadata;
    const clusterQueue = oneLine(workload.status.admission?.clusterQueue ?? "");
    return {
      reason: "AdmittedNotStarted",
      ...since,
      message: `${nameOf("Workload", workload)} of ${nameOf("Job", job)} is admitted${clusterQueue && ` to ClusterQueue ${clusterQueue}`}, and the Job is still suspended`,
      evidence: [`${nameOf("Workload", workload)}: Admitted=True`, `${nameOf("Job", job)}: spec.suspend true`],
      next: [
        command`kubectl -n ${namespace} describe workload ${workload.metadata.name}`,
        command`kubectl -n ${namespace} get events --field-selector involvedObject.name=${name}`,
        "kubectl -n kueue-system logs deployment/kueue-controller-manager --tail=100",
      ],
    };
  },
};
