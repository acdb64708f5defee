import { compareText } from "../base/index.ts";
import { type CronJob, type DeepReadonly, isFinishedJob, type Job, type ObjectReference } from "../resources/index.ts";
import { Schedule } from "./schedule.ts";
import { type Since, sinceOf } from "./since.ts";
import type { World } from "./world.ts";

/** The controller acts within a second of a due time; a status that trails by this much is no trouble. */
export const CONTROLLER_GRACE_MS = 10_000;

/** The runs that came due since the last one that was started. */
export interface Overdue {
  /** When the first of them was due. */
  readonly since: Since;
  /** When the second and the third are due, or were; undefined: there is none. */
  readonly secondMs: number | undefined;
  readonly thirdMs: number | undefined;
}

/** What a CronJob last did by its schedule, or else its creation. The controller counts missed runs from here. */
export function lastRun({ metadata, status }: DeepReadonly<CronJob>): Since | undefined {
  return (
    sinceOf(status.lastScheduleTime, "CronJob status.lastScheduleTime") ??
    sinceOf(metadata.creationTimestamp, "CronJob metadata.creationTimestamp")
  );
}

/** Undefined for a line or a zone that cannot be read. */
export function scheduleOf({ spec }: DeepReadonly<CronJob>): Schedule | undefined {
  const parsed = Schedule.parse(spec.schedule ?? "", spec.timeZone);
  return "schedule" in parsed ? parsed.schedule : undefined;
}

/** When the next run is due after the last that was started; undefined: never, or nobody can say. */
export function dueAt(cronJob: DeepReadonly<CronJob>): number | undefined {
  const last = lastRun(cronJob);
  return last && scheduleOf(cronJob)?.next(last.sinceMs);
}

/** Undefined: no run is due. */
export function overdueOf(cronJob: DeepReadonly<CronJob>, now: number): Overdue | undefined {
  const schedule = scheduleOf(cronJob);
  const last = lastRun(cronJob);
  const firstMs = last && schedule?.next(last.sinceMs);
  if (!last || !schedule || firstMs === undefined || firstMs > now) return undefined;
  const secondMs = schedule.next(firstMs);
  return {
    since: { sinceMs: firstMs, sinceSource: `${last.sinceSource} + spec.schedule` },
    secondMs,
    thirdMs: secondMs === undefined ? undefined : schedule.next(secondMs),
  };
}

/** An entry of status.active, and the unfinished Job that it stands for. */
export interface ActiveRun {
  readonly entry: DeepReadonly<ObjectReference>;
  /** Undefined: there is none any more. */
  readonly job: DeepReadonly<Job> | undefined;
}

/** By name: the order of the list means nothing. */
export function activeRuns(cronJob: DeepReadonly<CronJob>, world: World): readonly ActiveRun[] {
  const { active = [] } = cronJob.status;
  if (active.length === 0) return [];
  const jobs = new Map(world.jobsOf(cronJob.metadata.uid).map((job) => [job.metadata.uid, job]));
  return active
    .toSorted((a, b) => compareText(a.name ?? "", b.name ?? ""))
    .map((entry) => ({ entry, job: jobs.get(entry.uid ?? "") }));
}

/** The run has ended, or its Job does not exist any more. */
export function isGhost({ job }: ActiveRun): boolean {
  return job === undefined || isFinishedJob(job);
}

export function forbidsOverlap({ spec }: DeepReadonly<CronJob>): boolean {
  return spec.concurrencyPolicy === "Forbid";
}
