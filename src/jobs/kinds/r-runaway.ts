import type { DeepReadonly, Job, Pod } from "../../resources/index.ts";
import { sinceOf } from "../since.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, nameOf } from "../words.ts";

/** How many times as many pods as the spec can explain. */
const TIMES_TOO_MANY = 10;

/** The API server's defaults, for Jobs that come from files. */
const DEFAULTS = { parallelism: 1, backoffLimit: 6 };

export const runaway: StuckKind<Job> = {
  id: "R",
  name: "runaway",
  sees: "more than ten times as many pods that have not succeeded as parallelism and backoffLimit together allow",
  lookAlike: "a large parallelism or many failures that are allowed; pods that have succeeded are not counted",
  means:
    "The Job is not stuck: it makes pods without end. They are lost from view of the Job controller faster than it counts them, so each is replaced by a new one, until the cluster's own limits stop it.",
  remedy: [
    "Suspend the Job at once: spec.suspend true stops new pods.",
    "See whether something deletes, relabels or adopts its pods, or rejects them on a node one after another.",
    "Delete the Job, then its pods in portions.",
  ],
  limits: { warningMs: 60_000, criticalMs: 10 * 60_000 },
  source: ["https://github.com/kubernetes/kubernetes/issues/27997"],
  reasons: ["TooManyPods"],
  look(job, world) {
    const pods = world.podsOf(job.metadata.uid);
    const most = mostPods(job);
    if (pods.length <= most) return undefined;
    const unsuccessful = pods.filter(({ status }) => status.phase !== "Succeeded");
    const tooMany = creationTimes(unsuccessful)[most];
    const since = sinceOf(tooMany, "creationTimestamp of the first pod too many");
    if (!since) return undefined;
    const { namespace = "", name } = job.metadata;
    const { parallelism = DEFAULTS.parallelism, backoffLimit = DEFAULTS.backoffLimit } = job.spec;
    const { active = 0, failed = 0 } = job.status;
    return {
      reason: "TooManyPods",
      ...since,
      message: `${nameOf("Job", job)} has more than ${most} pods that have not succeeded, with parallelism ${parallelism} and backoffLimit ${backoffLimit}`,
      evidence: [`${nameOf("Job", job)}: ${unsuccessful.length} pods, active ${active}, failed ${failed}`],
      next: [
        command`kubectl -n ${namespace} patch job ${name} --type=merge -p ${'{"spec":{"suspend":true}}'}`,
        command`kubectl -n ${namespace} get pods -l ${`batch.kubernetes.io/job-name=${name}`} --sort-by=.metadata.creationTimestamp`,
      ],
    };
  },
};

function mostPods({ spec }: DeepReadonly<Job>): number {
  const { parallelism = DEFAULTS.parallelism, backoffLimit = DEFAULTS.backoffLimit } = spec;
  const perIndex = spec.backoffLimitPerIndex;
  const failures = perIndex === undefined ? backoffLimit : (perIndex + 1) * (spec.completions ?? 1);
  return TIMES_TOO_MANY * (parallelism + failures);
}

function creationTimes(pods: readonly DeepReadonly<Pod>[]): readonly string[] {
  return pods.map(({ metadata }) => metadata.creationTimestamp ?? "").sort();
}
