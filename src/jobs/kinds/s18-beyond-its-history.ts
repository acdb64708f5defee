import { formatDuration, oneLine } from "../../base/index.ts";
import { controllerOf, type DeepReadonly, type Job } from "../../resources/index.ts";
import type { AgeLimits } from "../finding.ts";
import { conditionOf } from "../job-state.ts";
import { sinceOf } from "../since.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, nameOf } from "../words.ts";
import type { World } from "../world.ts";

/** As many as a CronJob keeps unless told otherwise (successfulJobsHistoryLimit): fewer are no history. */
const FEWEST_RUNS = 3;

const TIMES_AS_LONG = { warning: 3, critical: 10 };

/** Short runs vary by more than their own length. */
const LEAST = { warningMs: 15 * 60_000, criticalMs: 60 * 60_000 };

interface History {
  readonly runs: number;
  readonly p95Ms: number;
  readonly limits: AgeLimits;
}

export const beyondItsHistory: StuckKind<Job> = {
  id: "S18",
  name: "beyond-its-history",
  sees: "the Job runs for longer than three times the 95th percentile of its owner's earlier runs, and has no deadline",
  lookAlike:
    "a first run, of which there is no history; a run with more to do, which is why it takes three times as long and 15 minutes at least",
  means:
    "The Job's pods run and nothing is wrong with them from outside, but earlier runs of the same owner were done long before. It hangs, or has much more to do than ever.",
  remedy: [
    "Look at the pod's log and CPU: does it still do something?",
    "If it hangs, delete the pod: the Job starts another.",
    "Give the Job an activeDeadlineSeconds that fits its history.",
  ],
  limits: LEAST,
  source: ["https://github.com/samber/awesome-prometheus-alerts/issues/157"],
  reasons: ["LongerThanHistory"],
  startsAt(job, world) {
    const since = runningSince(job);
    const history = since && historyOf(job, world);
    return history && since.sinceMs + history.limits.warningMs;
  },
  look(job, world, now) {
    const since = runningSince(job);
    if (!since || now - since.sinceMs < LEAST.warningMs) return undefined;
    const history = historyOf(job, world);
    if (!history || now - since.sinceMs < history.limits.warningMs) return undefined;
    const { namespace = "", name } = job.metadata;
    const owner = controllerOf(job);
    const usual = formatDuration(history.p95Ms);
    return {
      reason: "LongerThanHistory",
      ...since,
      limits: history.limits,
      message: `${nameOf("Job", job)} runs for more than ${formatDuration(history.limits.warningMs)}; ${history.runs} earlier runs of ${oneLine(`${owner?.kind} ${owner?.name}`)} were done within ${usual} (p95), and there is no activeDeadlineSeconds`,
      evidence: [
        `${nameOf("Job", job)}: startTime ${oneLine(job.status.startTime ?? "")}, active ${job.status.active}, ready ${job.status.ready}`,
        `${history.runs} earlier runs: p95 ${usual}`,
      ],
      next: [
        command`kubectl -n ${namespace} logs ${`job/${name}`} --tail=50`,
        command`kubectl -n ${namespace} get jobs --sort-by=.status.startTime`,
      ],
    };
  },
};

function runningSince({ spec, status }: DeepReadonly<Job>): ReturnType<typeof sinceOf> {
  const { active = 0, ready = 0, startTime } = status;
  if (spec.activeDeadlineSeconds !== undefined || active === 0 || ready === 0) return undefined;
  return sinceOf(startTime, "Job status.startTime");
}

/** How long the successful runs of the same owner took. */
function historyOf(job: DeepReadonly<Job>, world: World): History | undefined {
  const owner = controllerOf(job);
  const durations = (owner ? world.jobsOf(owner.uid) : []).flatMap(durationOf).sort((a, b) => a - b);
  const p95Ms = durations[Math.ceil(durations.length * 0.95) - 1];
  if (p95Ms === undefined || durations.length < FEWEST_RUNS) return undefined;
  return {
    runs: durations.length,
    p95Ms,
    limits: {
      warningMs: Math.max(LEAST.warningMs, TIMES_AS_LONG.warning * p95Ms),
      criticalMs: Math.max(LEAST.criticalMs, TIMES_AS_LONG.critical * p95Ms),
    },
  };
}

function durationOf(job: DeepReadonly<Job>): number | [] {
  const { startTime = "", completionTime = "" } = job.status;
  const ms = Date.parse(completionTime) - Date.parse(startTime);
  return conditionOf(job, "Complete") && ms >= 0 ? ms : [];
}
