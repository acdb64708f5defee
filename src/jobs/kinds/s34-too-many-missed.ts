import type { CronJob, DeepReadonly, Event } from "../../resources/index.ts";
import { activeRuns, forbidsOverlap, lastRun, scheduleOf } from "../cronjob-state.ts";
import { firstSeen, lastSeen } from "../event-times.ts";
import { bySince, latestOf, type Since } from "../since.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, nameOf, quoted } from "../words.ts";

/** Today's reason, and that of controllers before Kubernetes 1.21. */
const REASONS: ReadonlySet<string> = new Set(["TooManyMissedTimes", "FailedNeedsStart"]);

export const tooManyMissed: StuckKind<CronJob> = {
  id: "S34",
  name: "too-many-missed",
  sees: "a Warning event says that more than 100 start times were missed, and the CronJob has started nothing since",
  lookAlike: "a CronJob that was suspended for long: one such event, then a run, which sets lastScheduleTime",
  means:
    "More than a hundred runs have come due since the last one that was started. Old controllers give up on such a CronJob for good; newer ones start one run and go on, unless something else keeps them from it.",
  remedy: [
    "Read the CronJob's events: what else kept it from starting?",
    "Set spec.startingDeadlineSeconds, so that only the runs within it count as missed.",
    "Where the controller has given up, delete the CronJob and create it anew.",
  ],
  limits: { warningMs: 0, criticalMs: 3_600_000 },
  source: [
    "https://github.com/thoth-station/core/issues/82",
    "https://github.com/kubernetes/kubernetes/issues/36311",
    "https://github.com/kubernetes/website/pull/54073",
  ],
  reasons: ["TooManyMissedTimes"],
  look(cronJob, world, now) {
    const last = lastRun(cronJob);
    if (!last || (forbidsOverlap(cronJob) && activeRuns(cronJob, world).length > 0)) return undefined;
    // Only what the controller itself counts.
    const { startingDeadlineSeconds } = cronJob.spec;
    const windowMs = startingDeadlineSeconds === undefined ? Number.POSITIVE_INFINITY : startingDeadlineSeconds * 1_000;
    const counted = scheduleOf(cronJob)?.missed(Math.max(last.sinceMs, now - windowMs), now);
    if (!counted?.more) return undefined;
    const told = (world.eventsAbout(cronJob) ?? [])
      .filter((event) => REASONS.has(event.reason ?? "") && (lastSeen(event)?.sinceMs ?? 0) > last.sinceMs)
      .flatMap((event) => dated(event, last))
      .toSorted(bySince);
    const [first] = told;
    if (!first) return undefined;
    const { namespace = "", name } = cronJob.metadata;
    return {
      reason: "TooManyMissedTimes",
      sinceMs: first.sinceMs,
      sinceSource: first.sinceSource,
      message: `${nameOf("CronJob", cronJob)} has missed more than 100 runs since ${cronJob.status.lastScheduleTime ?? "its creation"}, as its controller says`,
      evidence: [
        `event ${quoted(first.event.reason)}: ${quoted(first.event.message)}`,
        `schedule "${quoted(cronJob.spec.schedule)}", startingDeadlineSeconds ${startingDeadlineSeconds ?? "not set"}`,
      ],
      next: [
        command`kubectl -n ${namespace} describe cronjob ${name}`,
        command`kubectl -n ${namespace} patch cronjob ${name} -p ${'{"spec":{"startingDeadlineSeconds":600}}'}`,
      ],
    };
  },
};

/** The same event may have been told about an earlier such time too. */
function dated(event: DeepReadonly<Event>, last: Since): (Since & { event: DeepReadonly<Event> }) | [] {
  const since = latestOf(firstSeen(event), last);
  return since ? { ...since, event } : [];
}
