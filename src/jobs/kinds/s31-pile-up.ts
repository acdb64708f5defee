import { compareText } from "../../base/index.ts";
import { type CronJob, type DeepReadonly, isFinishedJob, type Job } from "../../resources/index.ts";
import { finishedSince, isSuspended } from "../job-state.ts";
import { bySince, type Since, sinceOf } from "../since.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, cut, nameOf } from "../words.ts";

/** What Kubernetes keeps unless told otherwise. */
const KEPT = { successful: 3, failed: 1 };

const TIMES_AS_MANY = 3;

interface Pile {
  readonly reason: "JobsDoNotStart" | "HistoryNotPruned";
  readonly jobs: readonly (Since & { readonly job: DeepReadonly<Job> })[];
}

export const pileUp: StuckKind<CronJob> = {
  id: "S31",
  name: "pile-up",
  sees: "a CronJob has more than three times as many Jobs that do not get going, or finished ones, as its history limits keep",
  lookAlike:
    "many runs that overlap by design (concurrencyPolicy Allow) and whose pods are ready; fewer Jobs than three times the history limits",
  means:
    "Each time that the CronJob is due it adds a Job, and none of them ends or goes away. Only finished Jobs count for the history limits, so Jobs whose pods never start stay for ever and fill the namespace and etcd.",
  remedy: [
    "Look at one of the Jobs: what keeps one keeps all of them.",
    "Suspend the CronJob until that is corrected, then delete the Jobs that are left.",
    "Set concurrencyPolicy Forbid and an activeDeadlineSeconds, so that it cannot pile up again.",
  ],
  limits: { warningMs: 60_000, criticalMs: 24 * 3_600_000 },
  source: [
    "https://github.com/kubernetes/kubernetes/issues/58748",
    "https://github.com/kubernetes/kubernetes/issues/93783",
  ],
  reasons: ["JobsDoNotStart", "HistoryNotPruned"],
  look(cronJob, world) {
    const { successfulJobsHistoryLimit = KEPT.successful, failedJobsHistoryLimit = KEPT.failed } = cronJob.spec;
    const most = TIMES_AS_MANY * Math.max(1, successfulJobsHistoryLimit + failedJobsHistoryLimit);
    const jobs = world.jobsOf(cronJob.metadata.uid);
    if (jobs.length <= most) return undefined;
    const pile = [waiting(jobs), finished(jobs)].find((one) => one.jobs.length > most);
    const first = pile?.jobs[most];
    if (!pile || !first) return undefined;
    const { namespace = "" } = cronJob.metadata;
    const what = pile.reason === "JobsDoNotStart" ? "unfinished Jobs without a ready pod" : "finished Jobs";
    return {
      reason: pile.reason,
      sinceMs: first.sinceMs,
      sinceSource: first.sinceSource,
      message: `${nameOf("CronJob", cronJob)} has more than ${most} ${what}; its history limits keep ${successfulJobsHistoryLimit} successful and ${failedJobsHistoryLimit} failed ones`,
      evidence: cut(pile.jobs.map(({ job }) => nameOf("Job", job))),
      next: [
        command`kubectl -n ${namespace} describe job ${first.job.metadata.name}`,
        command`kubectl -n ${namespace} patch cronjob ${cronJob.metadata.name} -p ${'{"spec":{"suspend":true}}'}`,
      ],
    };
  },
};

function waiting(jobs: readonly DeepReadonly<Job>[]): Pile {
  const some = jobs.filter((job) => !isFinishedJob(job) && !isSuspended(job) && (job.status.ready ?? 0) === 0);
  return { reason: "JobsDoNotStart", jobs: dated(some, createdSince) };
}

function createdSince({ metadata }: DeepReadonly<Job>): Since | undefined {
  return sinceOf(metadata.creationTimestamp, "Job metadata.creationTimestamp");
}

function finished(jobs: readonly DeepReadonly<Job>[]): Pile {
  return { reason: "HistoryNotPruned", jobs: dated(jobs.filter(isFinishedJob), finishedSince) };
}

/** The oldest first: the first one too many says since when there are too many. */
function dated(jobs: readonly DeepReadonly<Job>[], time: (job: DeepReadonly<Job>) => Since | undefined): Pile["jobs"] {
  return jobs
    .flatMap((job) => {
      const since = time(job);
      return since ? { ...since, job } : [];
    })
    .toSorted((a, b) => bySince(a, b) || compareText(a.job.metadata.name, b.job.metadata.name));
}
