import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Verdict } from "../../../src/jobs/index.ts";
import type { CronJob, Event, Job } from "../../../src/resources/index.ts";
import { cronJob, eventAbout, finishedRun, iso, judge, LAST_MS, run } from "./scene.ts";

const RUNS = { numRuns: 600 };
const HOUR = 3_600_000;
/** Seconds around the last run, with the moments at which something is due among them. */
const moments = fc.oneof(
  fc.integer({ min: 0, max: 30 * 3_600 }).map((s) => LAST_MS + s * 1_000),
  fc.integer({ min: 0, max: 30 }).map((h) => LAST_MS + h * HOUR),
);

const schedules = fc.constantFrom("0 * * * *", "*/5 * * * *", "30 1 * * *", "0 0 30 2 *", "61 * * * *", "@every 90m");
const names = fc.constantFrom("export-0", "export-1", "export-2");

const jobs: fc.Arbitrary<readonly Job[]> = fc.uniqueArray(
  fc
    .tuple(names, fc.constantFrom("running", "waiting", "Complete", "Failed"), fc.integer({ min: 0, max: 600 }))
    .map(([name, how, minutes]): Job => {
      const start = LAST_MS - minutes * 60_000;
      if (how === "Complete" || how === "Failed") return finishedRun(name, start, LAST_MS, how);
      return run(name, {
        metadata: { creationTimestamp: iso(start) },
        status: { startTime: iso(start), active: 1, ready: how === "running" ? 1 : 0 },
      });
    }),
  { selector: ({ metadata }) => metadata.name, maxLength: 3 },
);

const cronJobs: fc.Arbitrary<CronJob> = fc
  .record({
    schedule: schedules,
    timeZone: fc.constantFrom(undefined, "Europe/Berlin", "Nowhere/Land"),
    concurrencyPolicy: fc.constantFrom("Allow", "Forbid", "Replace"),
    suspend: fc.boolean(),
    startingDeadlineSeconds: fc.constantFrom(undefined, 60, 100_000),
    active: fc.uniqueArray(names, { maxLength: 2 }),
  })
  .map(({ active, timeZone, startingDeadlineSeconds, ...spec }) =>
    cronJob({
      spec: {
        ...spec,
        ...(timeZone === undefined ? {} : { timeZone }),
        ...(startingDeadlineSeconds === undefined ? {} : { startingDeadlineSeconds }),
      },
      status: { active: active.map((name) => ({ kind: "Job", name, uid: `uid-of-${name}` })) },
    }),
  );

const events: fc.Arbitrary<readonly Event[]> = fc
  .subarray(["TooManyMissedTimes", "FailedCreate", "JobAlreadyActive"])
  .map((reasons) =>
    reasons.map((reason) =>
      eventAbout(cronJob(), reason, { firstTimestamp: iso(LAST_MS + HOUR), lastTimestamp: iso(LAST_MS + 20 * HOUR) }),
    ),
  );

function told({ finding }: Verdict) {
  return finding && { ...finding, ageSeconds: 0 };
}

describe("a verdict on a CronJob", () => {
  it("does not depend on the order of anything", () => {
    fc.assert(
      fc.property(cronJobs, jobs, events, moments, (object, some, about, now) => {
        const turned: CronJob = {
          ...object,
          status: { ...object.status, active: (object.status.active ?? []).toReversed() },
        };
        const one = judge(object, { jobs: some, events: about }, now);
        const other = judge(turned, { jobs: some.toReversed(), events: about.toReversed() }, now);
        expect(other).toEqual(one);
      }),
      RUNS,
    );
  });

  it("changes with time alone only when it said that it would", () => {
    fc.assert(
      fc.property(cronJobs, jobs, events, moments, fc.double({ min: 0, max: 1, noNaN: true }), (...given) => {
        const [object, some, about, now, share] = given;
        const around = { jobs: some, events: about };
        const { dueAt = now + 40 * HOUR, ...verdict } = judge(object, around, now);
        expect(dueAt).toBeGreaterThan(now);
        const meanwhile = Math.min(dueAt - 1, now + Math.floor(share * (dueAt - now)));
        expect(told(judge(object, around, now, meanwhile))).toEqual(told({ ...verdict, dueAt }));
      }),
      RUNS,
    );
  });

  it("is the same after a restart, but for what was only observed", () => {
    fc.assert(
      fc.property(cronJobs, jobs, moments, moments, (object, some, earlier, now) => {
        fc.pre(earlier < now);
        const running = judge(object, { jobs: some }, earlier, now);
        fc.pre(running.finding?.sinceSource !== "observed");
        const restarted = judge(object, { jobs: some }, now);
        fc.pre(restarted.finding?.sinceSource !== "observed");
        expect(restarted).toEqual(running);
      }),
      RUNS,
    );
  });
});
