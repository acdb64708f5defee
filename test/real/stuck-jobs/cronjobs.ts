import { eventually, type Json } from "../harness/index.ts";
import { type Place, timestamp } from "./place.ts";
import type { Scenario } from "./scenario.ts";

const MINUTE = 60_000;

/** A CronJob starts nothing. The first two need the turn of a minute: no schedule is finer. */
export const cronJobs: readonly Scenario[] = [
  {
    name: "forbid-blocked",
    kind: "S32",
    reason: "JobAlreadyActive",
    object: "CronJob/cronjob",
    since: dueAfterLast,
    make: firstRun,
    settle: secondRunRefused,
  },
  {
    name: "ghost-active",
    kind: "S33",
    reason: "JobAbsent",
    object: "CronJob/cronjob",
    since: dueAfterLast,
    make: firstRun,
    settle: secondRunRefused,
    async withoutControllers(place) {
      const [active] = ((await place.cronJob())["status"].active ?? []) as Json["metadata"][];
      await place.deleteJob("Background", active?.name);
    },
  },
  {
    name: "no-such-day",
    kind: "S35",
    reason: "InvalidSchedule",
    object: "CronJob/cronjob",
    since: whenCreated,
    async make(place) {
      await place.createCronJob({ schedule: "0 0 30 2 *" });
    },
  },
  {
    name: "bad-schedule",
    kind: "S35",
    reason: "UnparseableSchedule",
    object: "CronJob/cronjob",
    since: whenCreated,
    make: (place) => place.storeInvalid({ schedule: "every night" }),
  },
  {
    name: "no-such-time-zone",
    kind: "S35",
    reason: "UnknownTimeZone",
    object: "CronJob/cronjob",
    since: whenCreated,
    make: (place) => place.storeInvalid({ timeZone: "Atlantis/Main_Island" }),
  },
];

/** A CronJob that has been there for some minutes starts a run at once, not at the next minute. */
async function firstRun(place: Place): Promise<void> {
  await place.createCronJob({ schedule: "* * * * *", concurrencyPolicy: "Forbid" });
  const lastScheduleTime = timestamp(Date.now() - 3 * MINUTE);
  await place.cluster.raw.patch(`${place.batch}/cronjobs/cronjob/status`, { status: { lastScheduleTime } });
  await place.start(await place.podMade());
}

async function secondRunRefused(place: Place): Promise<void> {
  const refused = async (): Promise<boolean> => (await place.events("JobAlreadyActive")).length > 0;
  await eventually("the next run is refused", refused, { timeoutMs: 90_000, everyMs: 500 });
}

async function whenCreated(place: Place): Promise<string> {
  return (await place.cronJob()).metadata.creationTimestamp;
}

async function dueAfterLast(place: Place): Promise<string> {
  const last = Date.parse((await place.cronJob())["status"].lastScheduleTime as string);
  return timestamp((Math.floor(last / MINUTE) + 1) * MINUTE);
}
