import { oneLine } from "../../base/index.ts";
import type { Job } from "../../resources/index.ts";
import { controllerCause } from "../controller-cause.ts";
import { byName, isTracked } from "../pod-state.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, cut, nameOf } from "../words.ts";

/**
 * The Job controller writes the uids of ended pods here, removes their finalizers, and moves them into the counters: a list that stays
 * the same means that the second or third step fails each time. The API has no time for it.
 */
export const uncountedPods: StuckKind<Job> = {
  id: "S24",
  name: "uncounted-pods",
  sees: "status.uncountedTerminatedPods is not empty and stays the same",
  lookAlike: "a large Job: the list is never empty but changes with every sync",
  means:
    "Pods have ended and the Job controller cannot finish counting them: it is refused when it removes their finalizers or writes the Job's status, or it is down. The Job cannot end before they are counted.",
  remedy: [
    "Read the log of kube-controller-manager for this Job: each try is refused with a reason.",
    "See whether a webhook or policy refuses updates of pods or of the Job's status.",
  ],
  limits: { warningMs: 2 * 60_000, criticalMs: 10 * 60_000 },
  source: [
    "https://github.com/kubernetes/kubernetes/issues/109164",
    "https://github.com/kubernetes/kubernetes/issues/125410",
  ],
  reasons: ["Uncounted"],
  look(job, world, now) {
    const { succeeded = [], failed = [] } = job.status.uncountedTerminatedPods ?? {};
    const uids = [...succeeded, ...failed];
    if (uids.length === 0) return undefined;
    const listed = new Set(uids);
    const pods = world
      .podsOf(job.metadata.uid)
      .filter(({ metadata }) => listed.has(metadata.uid))
      .toSorted(byName);
    const { namespace = "", name } = job.metadata;
    return {
      reason: "Uncounted",
      sinceMs: world.unchangedSince(job, "uncounted pods", uids.toSorted().join(" "), now),
      sinceSource: "observed",
      message: `${uids.length} ended pods of ${nameOf("Job", job)} are not counted in its status and the list does not change: ${succeeded.length} succeeded, ${failed.length} failed`,
      evidence: [
        `${nameOf("Job", job)}: uncounted ${oneLine(uids.toSorted().slice(0, 3).join(" "))}${uids.length > 3 ? " …" : ""}`,
        ...cut(
          pods.map(
            (pod) => `${nameOf("Pod", pod)}: ${isTracked(pod) ? "still has" : "has lost"} its tracking finalizer`,
          ),
        ),
      ],
      next: [
        command`kubectl -n ${namespace} get job ${name} -o jsonpath={.status.uncountedTerminatedPods}`,
        "kubectl -n kube-system logs -l component=kube-controller-manager --tail=100",
      ],
      cause: controllerCause.job,
    };
  },
};
