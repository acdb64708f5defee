import { describe, expect, test } from "vitest";
import {
  BucketLimiter,
  clientGoLimiter,
  controllerRuntimeLimiter,
  ExponentialLimiter,
  MaxOfLimiter,
} from "../../src/workqueue/index.ts";
import { SteppedClock } from "./harness.ts";

const times = (count: number, run: () => number): number[] => Array.from({ length: count }, run);

describe("exponential", () => {
  test("doubles for each failure of the key up to the maximum", () => {
    const limiter = new ExponentialLimiter<string>(100, 1_000);
    expect(times(6, () => limiter.when("a"))).toEqual([100, 200, 400, 800, 1_000, 1_000]);
    expect(limiter.numRequeues("a")).toBe(6);
  });

  test("counts each key apart and forgets", () => {
    const limiter = new ExponentialLimiter<string>(100, 1_000);
    limiter.when("a");
    expect(limiter.when("b")).toBe(100);
    limiter.forget("a");
    expect(limiter.numRequeues("a")).toBe(0);
    expect(limiter.when("a")).toBe(100);
    expect(limiter.when("b")).toBe(200);
  });

  test("stays at the maximum after thousands of failures", () => {
    const limiter = new ExponentialLimiter<string>(5, 1_000_000);
    expect(times(3_000, () => limiter.when("a")).at(-1)).toBe(1_000_000);
  });
});

describe("token bucket", () => {
  test("lets a burst through, then spaces all keys evenly", () => {
    const limiter = new BucketLimiter<string>(10, 3, new SteppedClock());
    expect(["a", "b", "c", "d", "e", "f"].map((key) => limiter.when(key))).toEqual([0, 0, 0, 100, 200, 300]);
    expect(limiter.numRequeues()).toBe(0);
  });

  test("fills again with time, never beyond the burst", () => {
    const clock = new SteppedClock();
    const limiter = new BucketLimiter<string>(10, 2, clock);
    times(4, () => limiter.when("a"));
    clock.advance(300);
    expect(limiter.when("a")).toBe(0);
    expect(limiter.when("a")).toBe(100);
    clock.advance(60_000);
    expect(times(3, () => limiter.when("a"))).toEqual([0, 0, 100]);
  });
});

test("the longest of several counts, and each of them counts", () => {
  const slow = new ExponentialLimiter<string>(1_000, 1_000);
  const growing = new ExponentialLimiter<string>(400, 10_000);
  growing.when("a");
  const limiter = new MaxOfLimiter(slow, growing);
  expect(times(3, () => limiter.when("a"))).toEqual([1_000, 1_600, 3_200]);
  expect(limiter.numRequeues("a")).toBe(4);
  limiter.forget("a");
  expect([slow.numRequeues("a"), growing.numRequeues("a")]).toEqual([0, 0]);
});

describe("defaults", () => {
  test("client-go's starts at 5 ms and shares 10 a second after a burst of 100", () => {
    const limiter = clientGoLimiter<number>(new SteppedClock());
    expect(limiter.when(0)).toBe(5);
    for (let key = 1; key < 100; key += 1) limiter.when(key);
    expect(limiter.when(100)).toBe(100);
    expect(limiter.when(101)).toBe(200);
  });

  test("controller-runtime's shares nothing and ends at 1000 s", () => {
    const limiter = controllerRuntimeLimiter<number>();
    for (let key = 1; key < 1_000; key += 1) limiter.when(key);
    expect(limiter.when(1_000)).toBe(5);
    expect(times(20, () => limiter.when(1_000)).at(-1)).toBe(1_000_000);
  });
});
