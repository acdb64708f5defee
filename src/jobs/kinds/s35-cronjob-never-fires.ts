import { compareText } from "../../base/index.ts";
import type { CronJob, DeepReadonly, Event } from "../../resources/index.ts";
import { controllerCause } from "../controller-cause.ts";
import { CONTROLLER_GRACE_MS, dueAt, lastRun, overdueOf, type Overdue } from "../cronjob-state.ts";
import { lastSeen } from "../event-times.ts";
import { type AgeLimits, rfc3339, type Symptom } from "../finding.ts";
import { Schedule } from "../schedule.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, nameOf, quoted } from "../words.ts";
import type { World } from "../world.ts";
import { neverFiresPage } from "./s35-page.ts";

export const cronJobNeverFires: StuckKind<CronJob> = {
  ...neverFiresPage,
  startsAt(cronJob) {
    const due = dueAt(cronJob);
    return due && due + CONTROLLER_GRACE_MS;
  },
  look(cronJob, world, now) {
    const parsed = Schedule.parse(cronJob.spec.schedule ?? "", cronJob.spec.timeZone);
    if (!("schedule" in parsed)) return wrong(cronJob, parsed.reason, parsed.why);
    const isDueLater = (dueAt(cronJob) ?? 0) > now;
    if (!isDueLater && parsed.schedule.next(now) === undefined) {
      return wrong(cronJob, "InvalidSchedule", "there is no such time within five years");
    }
    const overdue = overdueOf(cronJob, now - CONTROLLER_GRACE_MS);
    return overdue && late(cronJob, overdue, world, now);
  },
};

function wrong(cronJob: DeepReadonly<CronJob>, reason: string, why: string): Symptom | undefined {
  // It worked when it last started a run.
  const since = lastRun(cronJob);
  if (!since) return undefined;
  const { namespace = "", name } = cronJob.metadata;
  const { schedule, timeZone } = cronJob.spec;
  return {
    reason,
    ...since,
    message: `${nameOf("CronJob", cronJob)} never runs: schedule "${quoted(schedule)}"${timeZone === undefined ? "" : `, time zone "${quoted(timeZone)}"`}: ${quoted(why)}`,
    evidence: [
      `spec.schedule "${quoted(schedule)}", spec.timeZone ${timeZone === undefined ? "not set" : `"${quoted(timeZone)}"`}`,
    ],
    next: [
      command`kubectl -n ${namespace} edit cronjob ${name}`,
      command`kubectl -n ${namespace} describe cronjob ${name}`,
    ],
  };
}

function late(cronJob: DeepReadonly<CronJob>, overdue: Overdue, world: World, now: number): Symptom {
  const { namespace = "", name } = cronJob.metadata;
  const { since } = overdue;
  const limits = limitsOf(cronJob, overdue);
  // A run that is a little late is not worth a read.
  const events = now < since.sinceMs + limits.warningMs ? [] : (world.eventsAbout(cronJob) ?? []);
  const refusal = newestRefusal(events, since.sinceMs);
  const why = refusal ? `its Job is refused: ${quoted(refusal.message)}` : "nobody has started it";
  return {
    reason: refusal ? "RunRefused" : "RunNotStarted",
    ...since,
    limits,
    message: `${nameOf("CronJob", cronJob)} had a run due at ${rfc3339(since.sinceMs)}, and ${why}`,
    evidence: [
      `schedule "${quoted(cronJob.spec.schedule)}", lastScheduleTime ${cronJob.status.lastScheduleTime ?? "not set"}`,
      ...(refusal ? [`event ${quoted(refusal.reason)}: ${quoted(refusal.message)}`] : []),
    ],
    next: [
      command`kubectl -n ${namespace} describe cronjob ${name}`,
      refusal
        ? command`kubectl -n ${namespace} get events --field-selector=involvedObject.name=${name}`
        : "kubectl -n kube-system get lease kube-controller-manager -o yaml",
    ],
    ...(refusal ? {} : { cause: controllerCause.cronJob }),
  };
}

function newestRefusal(events: readonly DeepReadonly<Event>[], after: number): DeepReadonly<Event> | undefined {
  return events
    .filter((event) => event.reason === "FailedCreate" && timeOf(event) >= after)
    .toSorted((a, b) => timeOf(b) - timeOf(a) || compareText(a.metadata.name, b.metadata.name))[0];
}

function timeOf(event: DeepReadonly<Event>): number {
  return lastSeen(event)?.sinceMs ?? 0;
}

/** A run with a deadline may be lost for good, and nothing is wrong before the next one is late too. */
function limitsOf({ spec }: DeepReadonly<CronJob>, { since, secondMs, thirdMs }: Overdue): AgeLimits {
  const { warningMs } = neverFiresPage.limits;
  const age = (dueMs: number | undefined): number => (dueMs ?? Number.POSITIVE_INFINITY) - since.sinceMs;
  const first = spec.startingDeadlineSeconds === undefined ? warningMs : age(secondMs) + warningMs;
  return { warningMs: first, criticalMs: Math.max(first, age(thirdMs)) };
}
