import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatDuration, parseDuration } from "../../src/base/index.ts";

describe("a duration is read", () => {
  test.each([
    ["0", 0],
    ["-0", 0],
    ["30s", 30_000],
    ["10m", 600_000],
    ["1h30m", 5_400_000],
    ["1.5h", 5_400_000],
    ["300ms", 300],
    ["1m0.5s", 60_500],
    ["-5s", -5_000],
    ["+5s", 5_000],
    [" 5s ", 5_000],
    ["0s", 0],
  ])("%j is %d ms", (text, ms) => {
    expect(parseDuration(text) + 0).toBe(ms);
  });

  test.each(["", " ", "5", "10 m", "1d", "5S", "s", "1h-30m", "--5s", ".5s", "1.s", "1e3s", "five seconds"])(
    "%j is refused by name",
    (text) => {
      expect(() => parseDuration(text)).toThrow(
        expect.objectContaining({
          code: "BAD_DURATION",
          message: `"${text}" is not a duration: write it as "30s", "10m" or "1h30m"`,
        }),
      );
    },
  );
});

describe("a duration is written", () => {
  test.each([
    [0, "0ms"],
    [350, "350ms"],
    [999, "999ms"],
    [1_000, "1s"],
    [1_500, "1.5s"],
    [9_949, "9.9s"],
    [41_000, "41s"],
    [41_499, "41s"],
    [59_999, "1m"],
    [60_000, "1m"],
    [725_000, "12m5s"],
    [3_600_000, "1h"],
    [12_000_000, "3h20m"],
    [86_400_000, "1d"],
    [187_200_000, "2d4h"],
    [-41_000, "-41s"],
  ])("%d ms is %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});

test("whole seconds below an hour survive writing and reading", () => {
  fc.assert(
    fc.property(fc.integer({ min: -3_599, max: 3_599 }), (seconds) => {
      expect(parseDuration(formatDuration(seconds * 1_000)) + 0).toBe(seconds * 1_000);
    }),
  );
});

test("what is written is never off by more than the last unit shown", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 86_399_000 }), (ms) => {
      const unit = ms < 1_000 ? 1 : ms < 10_000 ? 100 : ms < 3_600_000 ? 1_000 : 60_000;
      expect(Math.abs(parseDuration(formatDuration(ms)) - ms)).toBeLessThanOrEqual(unit);
    }),
  );
});
