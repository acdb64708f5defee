import type { CronJob, DeepReadonly } from "../../resources/index.ts";
import { type ActiveRun, activeRuns, dueAt, forbidsOverlap, isGhost, overdueOf } from "../cronjob-state.ts";
import { finishedSince } from "../job-state.ts";
import { bySince, compareText, type Since } from "../since.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, cut, nameOf, quoted } from "../words.ts";
import type { World } from "../world.ts";

type Ghost = Since & { readonly run: ActiveRun };

export const ghostInActive: StuckKind<CronJob> = {
  id: "S33",
  name: "ghost-in-active",
  sees: "status.active names a Job that has finished, or whose UID does not exist any more",
  lookAlike: "the controller takes an entry out within one sync of the Job's end or deletion",
  means:
    "The CronJob believes that a run is active which is over. With concurrencyPolicy Forbid it starts nothing any more. The controller corrects the list in any sync, so none happens, or the list cannot be written.",
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
  reasons: ["JobAbsent", "JobFinished"],
  startsAt: (cronJob) => (forbidsOverlap(cronJob) ? dueAt(cronJob) : undefined),
  look(cronJob, world, now) {
    const ghosts = activeRuns(cronJob, world)
      .filter(isGhost)
      .map((run): Ghost => ({ run, ...ghostSince(cronJob, run, world, now) }))
      .toSorted((a, b) => bySince(a, b) || compareText(a.run.entry.uid ?? "", b.run.entry.uid ?? ""));
    const [first] = ghosts;
    if (!first) return undefined;
    const { namespace = "", name } = cronJob.metadata;
    const effect = forbidsOverlap(cronJob) ? "; concurrencyPolicy is Forbid, so no run starts" : "";
    return {
      reason: first.run.job ? "JobFinished" : "JobAbsent",
      sinceMs: first.sinceMs,
      sinceSource: first.sinceSource,
      message: `${nameOf("CronJob", cronJob)} counts Job ${quoted(first.run.entry.name)} as active, which ${first.run.job ? "has finished" : "does not exist"}${effect}`,
      evidence: cut(ghosts.map(({ run }) => evidenceOf(run))),
      next: [
        command`kubectl -n ${namespace} get cronjob ${name} -o jsonpath={.status.active}`,
        command`kubectl -n ${namespace} annotate cronjob ${name} touched-by-hand=true --overwrite`,
      ],
    };
  },
};

function evidenceOf({ entry, job }: ActiveRun): string {
  const uid = quoted(entry.uid);
  return `status.active: Job ${quoted(entry.name)}, uid ${uid}: ${job ? "finished" : "there is no Job of this CronJob with this uid"}`;
}

/**
 * A deletion leaves no time behind. Where the ghost holds up a run that is due, that run's time is known; else only how long we have
 * seen it.
 */
function ghostSince(cronJob: DeepReadonly<CronJob>, { entry, job }: ActiveRun, world: World, now: number): Since {
  const finished = job && finishedSince(job);
  if (finished) return finished;
  const held = forbidsOverlap(cronJob) ? overdueOf(cronJob, now)?.since : undefined;
  if (held) return held;
  const sinceMs = world.unchangedSince(cronJob, `ghost ${entry.uid}`, "absent", now);
  return { sinceMs, sinceSource: "observed" };
}
