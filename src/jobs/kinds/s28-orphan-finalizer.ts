import { oneLine } from "../../base/index.ts";
import type { Job } from "../../resources/index.ts";
import { sinceOf } from "../since.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, nameOf } from "../words.ts";

/** What a deletion with propagationPolicy Orphan leaves, until the garbage collector has set the children free. */
const ORPHAN = "orphan";

export const orphanFinalizer: StuckKind<Job> = {
  id: "S28",
  name: "orphan-finalizer",
  sees: "the Job has a deletionTimestamp and the finalizer orphan",
  lookAlike: "the seconds that the garbage collector needs to take the Job out of its pods' owner references",
  means:
    "The Job was deleted with its pods to be kept, and only the garbage collector removes this finalizer. It is down, behind, or does not know the kind, so deleted Jobs pile up.",
  remedy: [
    "See whether kube-controller-manager has a leader and its garbage collector has synced: its log names kinds that it cannot list.",
    "Remove the finalizer by hand once the pods are no longer wanted or have no owner reference.",
  ],
  limits: { warningMs: 10 * 60_000, criticalMs: 60 * 60_000 },
  source: ["https://github.com/kubernetes/kubernetes/issues/59676"],
  reasons: ["OrphanFinalizer"],
  look(job, world) {
    const { finalizers = [], deletionTimestamp, namespace = "", name } = job.metadata;
    const since = sinceOf(deletionTimestamp, "Job metadata.deletionTimestamp");
    if (!since || !finalizers.includes(ORPHAN)) return undefined;
    return {
      reason: "OrphanFinalizer",
      ...since,
      message: `${nameOf("Job", job)} is deleted and the garbage collector has not removed its finalizer ${ORPHAN}`,
      evidence: [
        `${nameOf("Job", job)}: finalizers ${oneLine(finalizers.join(" "))}, ${world.podsOf(job.metadata.uid).length} pods still refer to it`,
      ],
      next: [
        command`kubectl -n ${namespace} get job ${name} -o yaml`,
        "kubectl -n kube-system logs -l component=kube-controller-manager --tail=100",
      ],
      cause: `finalizer ${ORPHAN}`,
    };
  },
};
