import { describe, expect, test } from "vitest";
import { Backoff, type BackoffOptions, seededRandom } from "../../src/base/index.ts";
import { SteppedClock } from "../workqueue/harness.ts";

function setUp(options: Partial<BackoffOptions> = {}, random = () => 0) {
  const clock = new SteppedClock();
  const backoff = new Backoff({ baseMs: 800, maxMs: 30_000, ...options }, { clock, random });
  const next = (count: number): number[] => Array.from({ length: count }, () => backoff.next());
  return { clock, backoff, next };
}

test("doubles up to its maximum", () => {
  const { next } = setUp();
  expect(next(8)).toEqual([800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]);
});

test("grows by another factor if told", () => {
  const { next } = setUp({ baseMs: 100, factor: 3 });
  expect(next(4)).toEqual([100, 300, 900, 2_700]);
});

test("stays at its maximum for ever", () => {
  const { next } = setUp();
  expect(next(5_000).at(-1)).toBe(30_000);
});

test("starts again when reset", () => {
  const { backoff, next } = setUp();
  next(5);
  backoff.reset();
  expect(next(2)).toEqual([800, 1_600]);
});

describe("jitter", () => {
  test("lengthens a delay by less than its share, also the longest", () => {
    const { next } = setUp({ jitter: 1 }, () => 0.5);
    expect(next(7).at(0)).toBe(1_200);
    expect(next(1)).toEqual([45_000]);
  });

  test("spreads delays over the whole range", () => {
    const { next } = setUp({ baseMs: 1_000, maxMs: 1_000, jitter: 0.5 }, seededRandom(7));
    const delays = next(1_000);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(1_000);
    expect(Math.max(...delays)).toBeLessThan(1_500);
    expect(Math.min(...delays)).toBeLessThan(1_020);
    expect(Math.max(...delays)).toBeGreaterThan(1_480);
  });
});

describe("a quiet time", () => {
  test.each([
    [120_000, 3_200],
    [120_001, 800],
  ])("of %d ms: the next delay is %d ms", (quietMs, delay) => {
    const { clock, next } = setUp({ resetAfterMs: 120_000 });
    next(2);
    clock.advance(quietMs);
    expect(next(1)).toEqual([delay]);
  });

  test("does nothing unless told", () => {
    const { clock, next } = setUp();
    next(2);
    clock.advance(1e9);
    expect(next(1)).toEqual([3_200]);
  });
});
