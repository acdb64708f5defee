import { oneLine } from "../../base/index.ts";
import type { DeepReadonly, Job, Pod } from "../../resources/index.ts";
import { controllerCause } from "../controller-cause.ts";
import type { Symptom } from "../finding.ts";
import { isFinishing } from "../job-state.ts";
import { byName, endOf, hasUnfinishedPods, isTerminating, unnoticedPods } from "../pod-state.ts";
import { latestOf } from "../since.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, cut, nameOf } from "../words.ts";
import type { World } from "../world.ts";

export const controllerLag: StuckKind<Job> = {
  id: "S25",
  name: "controller-lag",
  sees: "the Job's status counts pods as active or terminating that have ended or are gone",
  lookAlike: "the second or so that the Job controller gathers changes of pods before it writes the status",
  means:
    "The pods have come to an end and the Job's status does not say so. The Job controller is behind, is down, or has missed the change; until it looks again the Job neither ends nor gets a new pod.",
  remedy: [
    "See whether kube-controller-manager has a leader, and how far behind its Job and Pod caches are (stalewatch lag).",
    "Any change of the Job, such as an annotation, starts a sync.",
    "If other Jobs do not move either, restart kube-controller-manager.",
  ],
  limits: { warningMs: 60_000, criticalMs: 5 * 60_000 },
  source: [
    "https://github.com/ministryofjustice/cloud-platform/issues/8442",
    "https://github.com/kubernetes/kubernetes/issues/80397",
    "https://github.com/kubernetes/kubernetes/issues/125089",
    "https://github.com/kubernetes/kubernetes/issues/128358",
  ],
  reasons: ["PodsEnded", "PodsGone", "TerminatingPodsGone"],
  look(job, world, now) {
    if (isFinishing(job)) return undefined;
    if (!hasUnfinishedPods(job, world)) {
      const ended = unnoticedPods(job, world).toSorted(byName);
      if (ended.length > 0) return podsEnded(job, ended);
      if ((job.status.active ?? 0) > 0) return podsGone(job, world, now);
    }
    return terminatingGone(job, world, now);
  },
};

function podsEnded(job: DeepReadonly<Job>, ended: readonly DeepReadonly<Pod>[]): Symptom | undefined {
  const since = latestOf(...ended.map(endOf));
  return (
    since && {
      reason: "PodsEnded",
      ...since,
      message: `All pods of ${nameOf("Job", job)} have ended and its status has not noticed ${ended.length} of them`,
      evidence: [
        statusLine(job),
        ...cut(ended.map((pod) => `${nameOf("Pod", pod)}: ${oneLine(pod.status.phase ?? "")}`)),
      ],
      next: nextFor(job),
      cause: controllerCause.job,
    }
  );
}

/** The API does not keep when a pod was deleted. Whatever the controller writes to the Job starts the time anew. */
function podsGone(job: DeepReadonly<Job>, world: World, now: number): Symptom {
  return {
    reason: "PodsGone",
    sinceMs: world.unchangedSince(job, "pods gone", job.metadata.resourceVersion, now),
    sinceSource: "observed",
    message: `The status of ${nameOf("Job", job)} counts ${job.status.active} active pods and there is none`,
    evidence: [
      statusLine(job),
      `${nameOf("Job", job)}: ${world.podsOf(job.metadata.uid).length} pods, none of them active`,
    ],
    next: nextFor(job),
    cause: controllerCause.job,
  };
}

function terminatingGone(job: DeepReadonly<Job>, world: World, now: number): Symptom | undefined {
  const { terminating = 0 } = job.status;
  if (terminating === 0) return undefined;
  const ending = world.podsOf(job.metadata.uid).filter(isTerminating).length;
  if (ending >= terminating) return undefined;
  return {
    reason: "TerminatingPodsGone",
    sinceMs: world.unchangedSince(job, "terminating pods gone", `${job.metadata.resourceVersion} ${ending}`, now),
    sinceSource: "observed",
    message: `The status of ${nameOf("Job", job)} counts ${terminating} terminating pods and there are ${ending}`,
    evidence: [statusLine(job)],
    next: nextFor(job),
    cause: controllerCause.job,
  };
}

function statusLine(job: DeepReadonly<Job>): string {
  const { active = 0, succeeded = 0, failed = 0, terminating = 0 } = job.status;
  return `${nameOf("Job", job)}: active ${active}, succeeded ${succeeded}, failed ${failed}, terminating ${terminating}`;
}

function nextFor(job: DeepReadonly<Job>): readonly string[] {
  const { namespace = "", name } = job.metadata;
  return [
    command`kubectl -n ${namespace} get pods -l ${`batch.kubernetes.io/job-name=${name}`}`,
    "kubectl -n kube-system get lease kube-controller-manager -o yaml",
  ];
}
