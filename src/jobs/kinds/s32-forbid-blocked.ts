import { formatDuration } from "../../base/index.ts";
import { type CronJob, type DeepReadonly, type Job } from "../../resources/index.ts";
import { type ActiveRun, activeRuns, CONTROLLER_GRACE_MS, dueAt, forbidsOverlap, overdueOf } from "../cronjob-state.ts";
import { rfc3339 } from "../finding.ts";
import { conditionOf, startedSince } from "../job-state.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, cut, nameOf, quoted } from "../words.ts";
import type { World } from "../world.ts";

export const forbidBlocked: StuckKind<CronJob> = {
  id: "S32",
  name: "forbid-blocked",
  sees: "concurrencyPolicy is Forbid, status.active is not empty, and a run that was due has not been started (event JobAlreadyActive, type Normal)",
  lookAlike: "a run that takes no longer than the longest of the earlier runs that are still kept",
  means:
    "The CronJob starts nothing while a run of it is active. That run hangs, or takes longer than the schedule leaves it; runs are lost without any Warning event.",
  remedy: [
    "Look at the active Job: it has its own reason why it does not end.",
    "Delete it if it hangs; the run that is due starts at once.",
    "Give the Job template an activeDeadlineSeconds that is shorter than the period.",
  ],
  limits: { warningMs: CONTROLLER_GRACE_MS, criticalMs: 2 * 3_600_000 },
  source: [
    "https://github.com/kubernetes/kubernetes/issues/101584",
    "https://github.com/kubernetes/kubernetes/issues/128358",
    "https://github.com/kubernetes/kubernetes/issues/108023",
    "https://github.com/kubernetes/kubernetes/issues/78796",
  ],
  reasons: ["JobAlreadyActive"],
  startsAt(cronJob, world) {
    return isHeld(cronJob, activeRuns(cronJob, world)) ? dueAt(cronJob) : undefined;
  },
  look(cronJob, world, now) {
    const runs = activeRuns(cronJob, world);
    const overdue = isHeld(cronJob, runs) ? overdueOf(cronJob, now) : undefined;
    if (!overdue) return undefined;
    const { since, thirdMs = Number.POSITIVE_INFINITY } = overdue;
    const longest = longestRun(cronJob, world);
    const usualEnd = longest === undefined ? undefined : Math.max(...runs.map(({ job }) => startOf(job))) + longest;
    const warningMs = Math.max(CONTROLLER_GRACE_MS, (usualEnd ?? since.sinceMs) - since.sinceMs);
    const { namespace = "", name } = cronJob.metadata;
    const active = runs.map(({ entry }) => quoted(entry.name));
    return {
      reason: "JobAlreadyActive",
      ...since,
      limits: { warningMs, criticalMs: Math.max(warningMs, thirdMs - since.sinceMs) },
      message: `${nameOf("CronJob", cronJob)} has started no run since the one due at ${rfc3339(since.sinceMs)}: Job ${active[0]} is still active, and concurrencyPolicy is Forbid`,
      evidence: [
        `${nameOf("CronJob", cronJob)}: schedule "${quoted(cronJob.spec.schedule)}", lastScheduleTime ${cronJob.status.lastScheduleTime}`,
        ...cut(active.map((one) => `active: Job ${one}`)),
        longest === undefined
          ? "no earlier run is kept"
          : `longest earlier run that is kept: ${formatDuration(longest)}`,
      ],
      next: [
        command`kubectl -n ${namespace} describe job ${runs[0]?.entry.name ?? ""}`,
        command`kubectl -n ${namespace} describe cronjob ${name}`,
      ],
    };
  },
};

function isHeld(cronJob: DeepReadonly<CronJob>, runs: readonly ActiveRun[]): boolean {
  return forbidsOverlap(cronJob) && runs.length > 0;
}

function startOf(job: DeepReadonly<Job> | undefined): number {
  return (job && startedSince(job)?.sinceMs) ?? Number.NEGATIVE_INFINITY;
}

/** In milliseconds, of the successful ones. */
function longestRun({ metadata }: DeepReadonly<CronJob>, world: World): number | undefined {
  const durations = world.jobsOf(metadata.uid).flatMap((job) => {
    const { startTime = "", completionTime = "" } = job.status;
    const ms = Date.parse(completionTime) - Date.parse(startTime);
    return conditionOf(job, "Complete") && ms >= 0 ? ms : [];
  });
  return durations.length > 0 ? Math.max(...durations) : undefined;
}
