import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  defineInterval,
  type PastRun,
  RetryBase,
  RetryMax,
  RetryPolicy,
  type RunOutcome,
} from "../../src/requeue/index.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 0, 1);

/** Runs of one op, the last one ended just now, each a minute after the one before. */
function history(...outcomes: RunOutcome[]): PastRun[] {
  return outcomes.map((outcome, nth) => ({
    op: "apply",
    outcome,
    finishedAt: NOW - (outcomes.length - 1 - nth) * MINUTE,
  }));
}

describe("the delay after failures", () => {
  test("doubles from a minute, and from the third on is ten at once: the history keeps no more", () => {
    const retry = new RetryPolicy();
    expect([1, 2, 3, 4, 50].map((failures) => retry.delayMs(failures) / MINUTE)).toEqual([1, 2, 10, 10, 10]);
  });

  test("doubles up to ten minutes where the history is long", () => {
    const retry = new RetryPolicy({ failedLimit: 10 });
    expect([1, 2, 3, 4, 5, 9, 10].map((failures) => retry.delayMs(failures) / MINUTE)).toEqual([
      1, 2, 4, 8, 10, 10, 10,
    ]);
  });

  test("goes by the count alone where the history has no limit", () => {
    expect(new RetryPolicy({ failedLimit: 0 }).delayMs(3) / MINUTE).toBe(4);
  });

  test("is what the user says", () => {
    const base = defineInterval({ name: "Soon", sort: "backoff", duration: "1s" });
    const max = defineInterval({ name: "Later", sort: "backoff", duration: "3s" });
    const retry = new RetryPolicy({ base, max });
    expect(retry.delayMs(2)).toBe(2_000);
    expect(retry.backoff("apply", history("failed"), NOW)?.interval).toBe(base);
    expect(retry.backoff("apply", history("failed", "failed", "failed"), NOW)?.interval).toBe(max);
  });
});

describe("a backoff", () => {
  const retry = new RetryPolicy();

  test.each<[string, RunOutcome[], number]>([
    ["no run", [], 0],
    ["one failure", ["failed"], 1],
    ["two failures", ["failed", "failed"], 2],
    ["three failures", ["failed", "failed", "failed"], 3],
    ["a success clears what failed before", ["failed", "failed", "succeeded"], 0],
    ["a failure after a success", ["failed", "succeeded", "failed"], 1],
    ["an interrupted run does not count", ["failed", "interrupted"], 1],
    ["nor a blocked one", ["failed", "blocked"], 1],
    ["nor one whose plan has changed", ["failed", "plan-changed"], 1],
    ["and none of them clears a failure", ["failed", "interrupted", "blocked", "plan-changed", "failed"], 2],
    ["nor is held against an op by itself", ["interrupted", "blocked", "plan-changed"], 0],
  ])("%s: %j", (_, outcomes, failures) => {
    // The interval is that of the newest *failed* run, so a long history is asked at its end.
    const runs = history(...outcomes);
    const failedAt = runs.findLast(({ outcome }) => outcome === "failed")?.finishedAt ?? NOW;
    const backoff = retry.backoff("apply", runs, failedAt);
    expect(backoff?.failures ?? 0).toBe(failures);
    if (failures > 0) expect(backoff?.until).toBe(failedAt + retry.delayMs(failures));
  });

  test("ends when its time has come", () => {
    expect(retry.backoff("apply", history("failed"), NOW + MINUTE - 1)?.until).toBe(NOW + MINUTE);
    expect(retry.backoff("apply", history("failed"), NOW + MINUTE)).toBeUndefined();
  });

  test("is of one op: another's failures do not hold it back", () => {
    const runs: PastRun[] = [...history("failed", "failed"), { op: "drift", outcome: "failed", finishedAt: NOW }];
    expect(retry.backoff("drift", runs, NOW)?.failures).toBe(1);
    expect(retry.backoff("refresh", runs, NOW)).toBeUndefined();
  });

  test("is the same whatever order the runs come in", () => {
    const runs = history("failed", "succeeded", "failed", "interrupted", "failed");
    const expected = retry.backoff("apply", runs, NOW);
    fc.assert(
      fc.property(fc.shuffledSubarray(runs, { minLength: runs.length }), (shuffled) => {
        expect(retry.backoff("apply", shuffled, NOW)).toEqual(expected);
      }),
    );
  });
});

describe("the clock jumps back one hour", () => {
  const retry = new RetryPolicy();
  const before: PastRun[] = [{ op: "apply", outcome: "failed", finishedAt: NOW + HOUR }];

  test("an op is tried again rather than held back until the clock is there again", () => {
    expect(retry.backoff("apply", before, NOW)).toBeUndefined();
  });

  test("and its next failure is held against it, so nothing spins", () => {
    const next: PastRun = { op: "apply", outcome: "failed", finishedAt: NOW };
    expect(retry.backoff("apply", [...before, next], NOW)).toMatchObject({ failures: 2, until: NOW + 2 * MINUTE });
    const success: PastRun = { op: "apply", outcome: "succeeded", finishedAt: NOW + HOUR };
    expect(retry.backoff("apply", [success, next], NOW)).toMatchObject({ failures: 1, until: NOW + MINUTE });
  });

  test("a few seconds are the difference of two clocks: the backoff holds", () => {
    const skewed: PastRun[] = [{ op: "apply", outcome: "failed", finishedAt: NOW + 5_000 }];
    expect(retry.backoff("apply", skewed, NOW)).toMatchObject({ until: NOW + 5_000 + MINUTE });
  });
});

describe("bad input is refused", () => {
  test.each([
    [{ base: RetryMax, max: RetryBase }, "RetryMax is 600000 ms and RetryBase is 60000 ms"],
    [{ base: { ...RetryBase, ms: 0 } }, "RetryBase is 0 ms"],
    [{ base: { ...RetryBase, ms: Number.NaN } }, "RetryBase is NaN ms"],
    [{ failedLimit: -1 }, "the limit of failed runs is -1"],
    [{ failedLimit: 1.5 }, "the limit of failed runs is 1.5"],
  ])("%j", (options, message) => {
    expect(() => new RetryPolicy(options)).toThrow(
      expect.objectContaining({ code: "BAD_RETRY", message: expect.stringContaining(message) }),
    );
  });

  test("a run that ended at no time", () => {
    const runs: PastRun[] = [{ op: "apply", outcome: "failed", finishedAt: Number.NaN }];
    expect(() => new RetryPolicy().backoff("apply", runs, NOW)).toThrow(/the end of a run of apply is NaN/);
  });
});
