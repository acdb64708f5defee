import type { DeepReadonly } from "../../resources/index.ts";
import { rfc3339 } from "../finding.ts";
import { doesOneOf, isRunning, jobsOfParent } from "../parents/parent-jobs.ts";
import type { ParentRules, ParentSchedule } from "../parents/parent-rules.ts";
import { isPaused, type Parent, textAt, valueAt, waitOf } from "../parents/parent.ts";
import { bySince, type Since, sinceOf } from "../since.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, nameOf, quoted } from "../words.ts";
import type { World } from "../world.ts";
import { neverFiresPage } from "./s35-page.ts";

/** Controllers draw each interval a little longer, so that not all objects are due at once. */
const JITTER = 1.1;

interface Due extends Since {
  readonly schedule: ParentSchedule;
  readonly everyMs: number;
  readonly last: string;
}

/** Of a schedule that the parent's own controller keeps: drift checks, refreshes. */
export function parentScheduleOverdue(rules: ParentRules): StuckKind<Parent> {
  return {
    ...neverFiresPage,
    startsAt(parent) {
      const times = duesOf(parent, rules).map(({ sinceMs }) => sinceMs);
      return times.length > 0 ? Math.min(...times) : undefined;
    },
    look(parent, world, now) {
      if (isPaused(parent) || waitOf(parent, rules)) return undefined;
      const overdue = duesOf(parent, rules).filter(({ sinceMs }) => sinceMs <= now);
      const due =
        overdue.length > 0 ? overdue.find(({ schedule }) => isIdle(parent, schedule, rules, world)) : undefined;
      if (!due) return undefined;
      const { kind } = rules.resource;
      const { namespace = "", name } = parent.metadata;
      const { warningMs } = neverFiresPage.limits;
      return {
        reason: "ScheduleOverdue",
        sinceMs: due.sinceMs,
        sinceSource: due.sinceSource,
        limits: { warningMs, criticalMs: Math.max(warningMs, 2 * due.everyMs) },
        message: `${nameOf(kind, parent)}: the ${due.schedule.name} was due at ${rfc3339(due.sinceMs)} and has not been done`,
        evidence: [`${due.schedule.every} ${due.everyMs / 1_000}, ${due.schedule.last} ${quoted(due.last)}`],
        next: [
          command`kubectl -n ${namespace} describe ${rules.resource.resource} ${name}`,
          command`kubectl -n ${namespace} get jobs --sort-by=.metadata.creationTimestamp`,
        ],
      };
    },
  };
}

/** The longest overdue first. */
function duesOf(parent: DeepReadonly<Parent>, { schedules }: ParentRules): readonly Due[] {
  return schedules.flatMap((schedule) => dueOf(parent, schedule) ?? []).toSorted(bySince);
}

function dueOf(parent: DeepReadonly<Parent>, schedule: ParentSchedule): Due | undefined {
  const seconds = valueAt(parent, schedule.every);
  const last = textAt(parent, schedule.last);
  const done = sinceOf(last, `${schedule.last} + ${schedule.every} and a tenth`);
  const isOn = schedule.enabledBy === undefined || valueAt(parent, schedule.enabledBy) === true;
  if (!isOn || !done || last === undefined || typeof seconds !== "number" || !(seconds > 0)) return undefined;
  const everyMs = seconds * 1_000;
  return { ...done, sinceMs: done.sinceMs + Math.round(everyMs * JITTER), schedule, everyMs, last };
}

/** None of its Jobs is at it. Jobs that are not known may be. */
function isIdle(parent: DeepReadonly<Parent>, { ops }: ParentSchedule, rules: ParentRules, world: World): boolean {
  const jobs = jobsOfParent(parent, rules, world);
  return jobs !== undefined && !jobs.some((job) => isRunning(job) && (ops.length === 0 || doesOneOf(job, ops, rules)));
}
