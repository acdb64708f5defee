import type { DeepReadonly, Job } from "../resources/index.ts";
import { oneLine } from "../base/index.ts";
import { controllerCause } from "./controller-cause.ts";
import type { Symptom } from "./finding.ts";
import { conditionOf } from "./job-state.ts";
import { lateLine, lateNext, latePods, nodeCause, nodeClause, nodeOf } from "./late-pods.ts";
import { graceEndOf, inGraceUntil, isTerminating } from "./pod-state.ts";
import { latestOf, sinceOf } from "./since.ts";
import type { StuckKind } from "./stuck-kind.ts";
import { command, cut, nameOf } from "./words.ts";
import type { World } from "./world.ts";

/** How a Job ends: decided by the interim condition, and written as the terminal one when no pod ends any more and all are counted. */
interface Ending {
  readonly interim: "FailureTarget" | "SuccessCriteriaMet";
  readonly terminal: "Failed" | "Complete";
}

/** What the kinds of both endings have in common. */
export function endingKind(ending: Ending): Omit<StuckKind<Job>, "id" | "name" | "means" | "source"> {
  const { interim, terminal } = ending;
  return {
    sees: `condition ${interim} is True, ${terminal} is absent, and no pod is within its grace period`,
    lookAlike: `pods within their grace period: the Job is ${terminal} when the last one has ended`,
    remedy: [
      "Find the pod that does not end, and its node.",
      "If no pod is left, see whether kube-controller-manager has a leader and can write the Job's status.",
    ],
    limits: { warningMs: 5 * 60_000, criticalMs: 20 * 60_000 },
    reasons: ["PodsTerminating", "PodsUncounted", "NotWritten"],
    startsAt: (job, world, now) => inGraceUntil(world.podsOf(job.metadata.uid), now),
    look: (job, world, now) => unfinishedEnding(job, world, now, ending),
  };
}

/** Why a decided Job is not written as ended, from when no pod of it was in its grace period any more. */
function unfinishedEnding(
  job: DeepReadonly<Job>,
  world: World,
  now: number,
  { interim, terminal }: Ending,
): Symptom | undefined {
  const decided = conditionOf(job, interim);
  const pods = world.podsOf(job.metadata.uid);
  if (!decided || conditionOf(job, terminal) || inGraceUntil(pods, now) !== undefined) return undefined;
  const since = latestOf(
    sinceOf(decided.lastTransitionTime, `Job condition ${interim}`),
    ...pods.filter(isTerminating).map(graceEndOf),
  );
  if (!since) return undefined;
  const late = latePods(pods, now);
  const [first] = late;
  const { succeeded = [], failed = [] } = job.status.uncountedTerminatedPods ?? {};
  const uncounted = succeeded.length + failed.length;
  const { namespace = "", name } = job.metadata;
  const because = first
    ? `${nameOf("Pod", first.pod)} has not ended, and its grace period is over${nodeClause(nodeOf(first.pod, world))}`
    : `no pod of it is ending, and ${uncounted} are uncounted`;
  return {
    reason: first ? "PodsTerminating" : withoutPods(uncounted),
    ...since,
    message: `${nameOf("Job", job)} has condition ${interim} (${oneLine(decided.reason ?? "no reason")}) and never became ${terminal}: ${because}`,
    evidence: [
      `${nameOf("Job", job)}: ${interim}=True, terminating ${job.status.terminating ?? 0}, uncounted ${uncounted}`,
      ...cut(late.map(lateLine)),
    ],
    next: [...(first ? lateNext(first) : []), command`kubectl -n ${namespace} get job ${name} -o yaml`],
    ...(first ? nodeCause(first.pod) : { cause: controllerCause.job }),
  };
}

function withoutPods(uncounted: number): string {
  return uncounted > 0 ? "PodsUncounted" : "NotWritten";
}
