import { compareText } from "../../base/index.ts";
import type { CronJob, DeepReadonly, Job } from "../../resources/index.ts";
import { controllerCause } from "../controller-cause.ts";
import { type ActiveRun, activeRuns, dueAt, forbidsOverlap, isGhost, lastRun, overdueOf } from "../cronjob-state.ts";
import type { Symptom } from "../finding.ts";
import { finishedSince } from "../job-state.ts";
import { bySince, type Since, sinceOf } from "../since.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, cut, nameOf, quoted } from "../words.ts";
import type { World } from "../world.ts";

type Ghost = Since & { readonly run: ActiveRun };

export const ghostInActive: StuckKind<CronJob> = {
  id: "S33",
  name: "ghost-in-active",
  sees: "status.active names a Job that has finished, or whose UID does not exist any more; or the Job of a run exists that the status does not tell of",
  lookAlike:
    "the controller corrects the list within one sync of the Job's start, end or deletion; a Job that somebody made from the CronJob by hand is in no list",
  means:
    "The CronJob believes that a run is active which is over, or does not know of one that it has started. With concurrencyPolicy Forbid it starts nothing any more, or tries again and again to make a Job that exists. The controller corrects the list in any sync, so none happens, or the list cannot be written.",
  remedy: [
    "See whether kube-controller-manager has a leader and what its cronjob controller logs about this CronJob.",
    "Any change of the CronJob, such as an annotation, starts a sync that clears the list.",
    "If the list stays, take the entry out: kubectl edit cronjob NAME --subresource=status.",
  ],
  limits: { warningMs: 2 * 60_000, criticalMs: 10 * 60_000 },
  source: [
    "https://github.com/kubernetes/kubernetes/issues/82753",
    "https://github.com/kubernetes/kubernetes/issues/37957",
    "https://github.com/kubernetes/kubernetes/issues/109287",
    "https://github.com/kubernetes/kubernetes/pull/120649",
  ],
  reasons: ["JobAbsent", "JobFinished", "JobNotListed"],
  startsAt: (cronJob) => (forbidsOverlap(cronJob) ? dueAt(cronJob) : undefined),
  look(cronJob, world, now) {
    const ghosts = activeRuns(cronJob, world)
      .filter(isGhost)
      .map((run): Ghost => ({ run, ...ghostSince(cronJob, run, world, now) }))
      .toSorted((a, b) => bySince(a, b) || compareText(a.run.entry.uid ?? "", b.run.entry.uid ?? ""));
    const [first] = ghosts;
    if (!first) return notListed(cronJob, world);
    const effect = forbidsOverlap(cronJob) ? "; concurrencyPolicy is Forbid, so no run starts" : "";
    return {
      reason: first.run.job ? "JobFinished" : "JobAbsent",
      sinceMs: first.sinceMs,
      sinceSource: first.sinceSource,
      message: `${nameOf("CronJob", cronJob)} counts Job ${quoted(first.run.entry.name)} as active, which ${first.run.job ? "has finished" : "does not exist"}${effect}`,
      evidence: cut(ghosts.map(({ run }) => evidenceOf(run))),
      next: nextFor(cronJob),
      cause: controllerCause.cronJob,
    };
  },
};

function nextFor({ metadata: { namespace = "", name } }: DeepReadonly<CronJob>): readonly string[] {
  return [
    command`kubectl -n ${namespace} get cronjob ${name} -o jsonpath={.status}`,
    command`kubectl -n ${namespace} annotate cronjob ${name} touched-by-hand=true --overwrite`,
  ];
}

function notListed(cronJob: DeepReadonly<CronJob>, world: World): Symptom | undefined {
  const { active = [], lastScheduleTime } = cronJob.status;
  const last = lastRun(cronJob)?.sinceMs ?? 0;
  const listed = new Set(active.map((entry) => entry.uid));
  const unknown = world.jobsOf(cronJob.metadata.uid).flatMap((job) => {
    const dueMs = dueMsOf(job, cronJob);
    if (!(dueMs > last) || listed.has(job.metadata.uid)) return [];
    const since = sinceOf(job.metadata.creationTimestamp, "Job metadata.creationTimestamp");
    return since && dueMs <= since.sinceMs ? { job, ...since } : [];
  });
  const [first] = unknown.toSorted((a, b) => bySince(a, b) || compareText(a.job.metadata.name, b.job.metadata.name));
  if (!first) return undefined;
  return {
    reason: "JobNotListed",
    sinceMs: first.sinceMs,
    sinceSource: first.sinceSource,
    message: `${nameOf("CronJob", cronJob)} has started ${nameOf("Job", first.job)} and its status does not tell of it`,
    evidence: [
      `${nameOf("CronJob", cronJob)}: lastScheduleTime ${quoted(lastScheduleTime) || "not set"}, ${active.length} active`,
      ...cut(unknown.map(({ job }) => nameOf("Job", job))),
    ],
    next: nextFor(cronJob),
    cause: controllerCause.cronJob,
  };
}

/** The controller names a Job after the minute in which its run was due (NaN: this is none of its runs). */
function dueMsOf({ metadata }: DeepReadonly<Job>, { metadata: { name } }: DeepReadonly<CronJob>): number {
  const minute = metadata.name.startsWith(`${name}-`) ? metadata.name.slice(name.length + 1) : "";
  return /^\d{1,9}$/.test(minute) ? Number(minute) * 60_000 : Number.NaN;
}

function evidenceOf({ entry, job }: ActiveRun): string {
  const uid = quoted(entry.uid);
  return `status.active: Job ${quoted(entry.name)}, uid ${uid}: ${job ? "finished" : "there is no Job of this CronJob with this uid"}`;
}

/**
 * A deletion leaves no time behind: how long we have seen the ghost, or since when it holds up a run that is due, whatever is longer.
 */
function ghostSince(cronJob: DeepReadonly<CronJob>, { entry, job }: ActiveRun, world: World, now: number): Since {
  const finished = job && finishedSince(job);
  if (finished) return finished;
  const sinceMs = world.unchangedSince(cronJob, `ghost ${entry.uid}`, "absent", now);
  const held = forbidsOverlap(cronJob) ? overdueOf(cronJob, now)?.since : undefined;
  return held && held.sinceMs <= sinceMs ? held : { sinceMs, sinceSource: "observed" };
}
