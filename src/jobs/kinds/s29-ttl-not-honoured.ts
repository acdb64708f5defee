import { oneLine } from "../../base/index.ts";
import type { DeepReadonly, Job } from "../../resources/index.ts";
import { controllerCause } from "../controller-cause.ts";
import { conditionOf, finishedSince, isDeleting } from "../job-state.ts";
import { afterSince, type Since } from "../since.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, nameOf } from "../words.ts";
import { rfc3339 } from "../finding.ts";

export const ttlNotHonoured: StuckKind<Job> = {
  id: "S29",
  name: "ttl-not-honoured",
  sees: "the Job finished longer ago than spec.ttlSecondsAfterFinished and has no deletionTimestamp",
  lookAlike: "clocks that differ by seconds; a Job that is deleted but kept by a finalizer",
  means:
    "The TTL controller should have deleted the Job. It is down, far behind, or refused. Finished Jobs and their pods pile up, and with them everything that lists them becomes slow.",
  remedy: [
    "See whether kube-controller-manager has a leader and its ttl-after-finished controller is not switched off (--controllers).",
    "See whether a webhook or policy refuses its deletions.",
    "Delete the Job by hand.",
  ],
  limits: { warningMs: 5 * 60_000, criticalMs: 60 * 60_000 },
  source: ["https://github.com/kubeflow/trainer/issues/1533"],
  reasons: ["TtlPassed"],
  startsAt: (job) => expiryOf(job)?.sinceMs,
  look(job, _, now) {
    const expiry = expiryOf(job);
    if (!expiry || now < expiry.sinceMs || isDeleting(job)) return undefined;
    const { namespace = "", name } = job.metadata;
    const finished = conditionOf(job, "Complete", "Failed");
    const ttl = job.spec.ttlSecondsAfterFinished ?? 0;
    return {
      reason: "TtlPassed",
      ...expiry,
      message: `${nameOf("Job", job)} should have been deleted at ${rfc3339(expiry.sinceMs)}, ${ttl} s after it was ${finished?.type}`,
      evidence: [
        `${nameOf("Job", job)}: ${finished?.type} since ${oneLine(finished?.lastTransitionTime ?? "")}, ttlSecondsAfterFinished ${ttl}`,
      ],
      next: [
        command`kubectl -n ${namespace} get job ${name} -o yaml`,
        "kubectl -n kube-system get lease kube-controller-manager -o yaml",
      ],
      cause: controllerCause.ttl,
    };
  },
};

function expiryOf(job: DeepReadonly<Job>): Since | undefined {
  const { ttlSecondsAfterFinished } = job.spec;
  if (ttlSecondsAfterFinished === undefined) return undefined;
  return afterSince(finishedSince(job), ttlSecondsAfterFinished * 1_000, "spec.ttlSecondsAfterFinished");
}
