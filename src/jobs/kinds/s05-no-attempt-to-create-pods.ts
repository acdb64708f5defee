import { oneLine } from "../../base/index.ts";
import { type DeepReadonly, isFinishedPod, type Job } from "../../resources/index.ts";
import { controllerCause } from "../controller-cause.ts";
import { lastSeen } from "../event-times.ts";
import { startedSince } from "../job-state.ts";
import { endOf, unnoticedPods } from "../pod-state.ts";
import { attemptsOf, refusalStartsAt } from "../refused-pods.ts";
import { afterSince, latestOf, type Since } from "../since.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, nameOf } from "../words.ts";
import type { World } from "../world.ts";

/** The longest that the Job controller waits after a pod has failed, before it makes the next one. */
const LONGEST_BACKOFF_MS = 10 * 60_000;

/**
 * The Job controller does nothing for a Job while it expects to see creates of its own (for five minutes at most, in memory). A create
 * that timed out, or a sync that never comes back, leaves a started Job without pods and without any attempt.
 */
export const noAttemptToCreatePods: StuckKind<Job> = {
  id: "S05",
  name: "no-attempt-to-create-pods",
  sees: "started, not finished, no pods and none active, and no event of an attempt to create one for longer than any back-off",
  lookAlike:
    "back-off after a failed pod: the next try comes within ten minutes of its end, and the age counts from there",
  means:
    "The Job needs a pod and nobody tries to make one. The Job controller waits for a create that it has lost, hangs in a sync, or is down.",
  remedy: [
    "See whether kube-controller-manager has a leader that renews its lease, and read its log for this Job.",
    "Any change of the Job, such as an annotation, starts a sync.",
    "If other Jobs do not move either, restart kube-controller-manager.",
  ],
  limits: { warningMs: 10 * 60_000, criticalMs: 30 * 60_000 },
  source: ["https://github.com/kubernetes/kubernetes/issues/78796"],
  reasons: ["NoAttempts", "NoPods"],
  startsAt(job, world, now) {
    const askFrom = refusalStartsAt(job, world);
    return askFrom === undefined || now < askFrom ? askFrom : quietSince(job, world, now)?.sinceMs;
  },
  look(job, world, now) {
    const since = quietSince(job, world, now);
    if (!since || since.sinceMs > now) return undefined;
    const attempts = attemptsOf(job, world, now);
    const pods = world.podsOf(job.metadata.uid);
    const { namespace = "", name } = job.metadata;
    const { completions, activeDeadlineSeconds } = job.spec;
    const { startTime = "", succeeded = 0, failed = 0 } = job.status;
    return {
      reason: attempts ? "NoAttempts" : "NoPods",
      ...since,
      message: `${nameOf("Job", job)} needs a pod, has none, and ${attempts ? "no event tells of an attempt to create one" : "its events are not known"}; ${
        activeDeadlineSeconds === undefined
          ? "there is no activeDeadlineSeconds, so it will not fail by itself"
          : `it fails only at its activeDeadlineSeconds of ${activeDeadlineSeconds}`
      }`,
      evidence: [
        `${nameOf("Job", job)}: startTime ${oneLine(startTime)}, active 0, succeeded ${succeeded} of ${completions ?? "any"}, failed ${failed}, ${pods.length} finished pods`,
      ],
      next: [
        command`kubectl -n ${namespace} describe job ${name}`,
        "kubectl -n kube-system get lease kube-controller-manager -o yaml",
        "kubectl -n kube-system logs -l component=kube-controller-manager --tail=100",
      ],
      // Without its events a quota or webhook may be what refuses its pods.
      ...(attempts ? { cause: controllerCause.job } : {}),
    };
  },
};

/** Since when somebody should have made a pod; in the future while a back-off may still last. */
function quietSince(job: DeepReadonly<Job>, world: World, now: number): Since | undefined {
  const askFrom = refusalStartsAt(job, world);
  if (askFrom === undefined || now < askFrom || !needsPods(job) || unnoticedPods(job, world).length > 0)
    return undefined;
  const ended = world.podsOf(job.metadata.uid).filter(isFinishedPod);
  return latestOf(
    startedSince(job),
    ...(attemptsOf(job, world, now) ?? []).map(lastSeen),
    ...ended.map((pod) => afterSince(endOf(pod), LONGEST_BACKOFF_MS, "10m of back-off")),
  );
}

/** Started, with no ended pods still to be counted, and more pods must succeed than have. */
function needsPods({ spec, status }: DeepReadonly<Job>): boolean {
  const { completions = 1, parallelism = 1 } = spec;
  const { startTime, succeeded = 0, uncountedTerminatedPods: uncounted } = status;
  const counting = (uncounted?.succeeded?.length ?? 0) + (uncounted?.failed?.length ?? 0) > 0;
  return startTime !== undefined && !counting && parallelism > 0 && succeeded < completions;
}
