import type { DeepReadonly, Job } from "../../resources/index.ts";
import type { Workload } from "../evidence-kinds.ts";
import { conditionOf } from "../job-state.ts";
import { MULTIKUEUE, workloadAskedFrom, workloadOf } from "../kueue.ts";
import { latestOf, type Since, sinceOf } from "../since.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, nameOf, quoted } from "../words.ts";

/** The copy in the worker cluster is not the one that was sent there. */
const OUT_OF_SYNC = "OutOfSync";

/** Without managedBy the check stays Pending for as long as the Job runs in the worker cluster; then this is its message. */
const RESERVED_THERE = /got reservation on/i;

interface Divergence extends Since {
  readonly reason: "FinishedNotMirrored" | "DispatchPending";
  readonly why: string;
}

export const mirrorDiverges: StuckKind<Job> = {
  id: "S41",
  name: "mirror-diverges",
  sees: "a Job that runs in another cluster is suspended here while its Workload is Finished, or its Workload has quota and the check that sends it to a worker cluster stays Pending",
  lookAlike:
    "the seconds that a mirror is late; a Workload that has no quota yet, or whose check was set back to Retry",
  means:
    "The manager cluster and the worker cluster no longer agree about the Job: its outcome was not copied back, or it was never sent because a Job of the same name stands in the way there. The Job stays suspended for ever.",
  remedy: [
    "Read the admission check's message in the Workload, and the log of Kueue's controller-manager in the manager cluster.",
    "Look in the worker cluster for a Job of the same name without the label kueue.x-k8s.io/multikueue-origin.",
    "Delete the Workload so that the Job is sent anew, once nothing of it runs in a worker cluster.",
  ],
  limits: { warningMs: 5 * 60_000, criticalMs: 30 * 60_000 },
  source: [
    "https://github.com/kubernetes-sigs/kueue/issues/5613",
    "https://github.com/kubernetes-sigs/kueue/issues/1787",
    "https://github.com/kubernetes-sigs/kueue/pull/13087",
    "https://github.com/kubernetes-sigs/kueue/pull/11877",
  ],
  reasons: ["FinishedNotMirrored", "DispatchPending"],
  startsAt: workloadAskedFrom,
  look(job, world, now) {
    const workload = workloadOf(job, world, now);
    const found = workload && (finished(job, workload) ?? pending(job, workload));
    if (!found) return undefined;
    const { namespace = "", name } = job.metadata;
    return {
      reason: found.reason,
      sinceMs: found.sinceMs,
      sinceSource: found.sinceSource,
      message: `${nameOf("Job", job)} is suspended, and ${found.why}`,
      evidence: [
        `${nameOf("Job", job)}: spec.suspend true, managedBy ${quoted(job.spec.managedBy) || "not set"}`,
        `${nameOf("Workload", workload)}: ${found.why}`,
      ],
      next: [
        command`kubectl -n ${namespace} describe workload ${workload.metadata.name}`,
        command`kubectl -n ${namespace} get job ${name} -o yaml`,
      ],
    };
  },
};

/** The Job is to run in another cluster, as the Job or an admission check of its Workload says. */
function isMirrored(job: DeepReadonly<Job>, { status }: DeepReadonly<Workload>): boolean {
  return job.spec.managedBy === MULTIKUEUE || status.admissionChecks?.some(isDispatch) === true;
}

function isDispatch({
  name,
  message = "",
}: NonNullable<DeepReadonly<Workload["status"]>["admissionChecks"]>[number]): boolean {
  return /multikueue/i.test(`${name} ${message}`);
}

function finished(job: DeepReadonly<Job>, workload: DeepReadonly<Workload>): Divergence | undefined {
  const condition = conditionOf(workload, "Finished");
  const since = sinceOf(condition?.lastTransitionTime, "Workload condition Finished");
  if (!condition || !since || !(condition.reason === OUT_OF_SYNC || isMirrored(job, workload))) return undefined;
  const why = `its Workload is Finished (${quoted(condition.reason)})`;
  return { ...since, reason: "FinishedNotMirrored", why };
}

function pending(job: DeepReadonly<Job>, workload: DeepReadonly<Workload>): Divergence | undefined {
  const reserved = conditionOf(workload, "QuotaReserved");
  // Other checks, such as one that waits for new nodes, may take long.
  const check = workload.status.admissionChecks?.find((one) => {
    const isSent = RESERVED_THERE.test(one.message ?? "");
    return one.state === "Pending" && !isSent && (job.spec.managedBy === MULTIKUEUE || isDispatch(one));
  });
  const since = latestOf(
    sinceOf(reserved?.lastTransitionTime, "Workload condition QuotaReserved"),
    sinceOf(check?.lastTransitionTime, "Workload status.admissionChecks"),
  );
  if (!reserved || !check || !since) return undefined;
  const why = `its Workload has quota, but admission check ${quoted(check.name)} is Pending: ${quoted(check.message)}`;
  return { ...since, reason: "DispatchPending", why };
}
