import {
  cronJobOrder,
  type Finding,
  type LimitRules,
  Snapshot,
  type Verdict,
  verdictOn,
} from "../../../src/jobs/index.ts";
import { type CronJob, type Event, type Job, type ObjectMeta, resources } from "../../../src/resources/index.ts";
import { CREATED, meta } from "../objects.ts";

/** Due each full hour; its last run was the one of `LAST`. */
const LAST = "2026-01-02T03:00:00Z";
export const LAST_MS: number = Date.parse(LAST);

export function cronJob(
  more: {
    metadata?: Partial<ObjectMeta>;
    spec?: CronJob["spec"];
    status?: CronJob["status"];
  } = {},
): CronJob {
  return {
    metadata: meta("export", { creationTimestamp: "2026-01-01T00:00:00Z", ...more.metadata }),
    spec: { schedule: "0 * * * *", concurrencyPolicy: "Allow", suspend: false, ...more.spec },
    status: { lastScheduleTime: LAST, ...more.status },
  };
}

/** A Job that `cronJob()` has made. */
export function run(
  name: string,
  more: { metadata?: Partial<ObjectMeta>; spec?: Job["spec"]; status?: Job["status"] } = {},
): Job {
  return {
    metadata: meta(name, {
      ownerReferences: [
        { apiVersion: "batch/v1", kind: "CronJob", name: "export", uid: "uid-of-export", controller: true },
      ],
      ...more.metadata,
    }),
    spec: { parallelism: 1, completions: 1, suspend: false, ...more.spec },
    status: more.status ?? { startTime: CREATED, active: 1, ready: 1 },
  };
}

export function finishedRun(name: string, from: number, to: number, type: "Complete" | "Failed" = "Complete"): Job {
  const completionTime = iso(to);
  return run(name, {
    status: {
      startTime: iso(from),
      conditions: [{ type, status: "True", lastTransitionTime: completionTime }],
      ...(type === "Complete" ? { completionTime } : {}),
    },
  });
}

export function active(...names: readonly string[]): CronJob["status"] {
  return { active: names.map((name) => ({ kind: "Job", namespace: "shop", name, uid: `uid-of-${name}` })) };
}

export function eventAbout(object: { metadata: ObjectMeta }, reason: string, more: Partial<Event> = {}): Event {
  return {
    metadata: meta(`${object.metadata.name}.${reason}`),
    involvedObject: { name: object.metadata.name, uid: object.metadata.uid },
    reason,
    type: "Warning",
    ...more,
  };
}

/** The API's form of a time. */
export function iso(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

interface Around {
  readonly jobs?: readonly Job[];
  readonly events?: readonly Event[];
  readonly limits?: LimitRules;
}

/** Judged at each of these times, in one and the same world; the last verdict. */
export function judge(object: CronJob, around: Around, ...times: readonly number[]): Verdict {
  const world = new Snapshot();
  for (const job of around.jobs ?? []) world.set(resources.jobs, job);
  for (const event of around.events ?? []) world.set(resources.events, event);
  const subject = { resource: resources.cronJobs, object, order: cronJobOrder };
  return times.map((now) => verdictOn(subject, world, now, around.limits)).at(-1) as Verdict;
}

export function look(object: CronJob, around: Around, ...times: readonly number[]): Finding | undefined {
  return judge(object, around, ...times).finding;
}
