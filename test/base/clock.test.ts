import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { sleep, systemClock } from "../../src/base/index.ts";
import { settle, SteppedClock } from "../workqueue/harness.ts";

describe("sleep", () => {
  test("ends when its time is over", async () => {
    const clock = new SteppedClock();
    let over = false;
    const slept = sleep(clock, 1_000).then(() => (over = true));
    clock.advance(999);
    await settle();
    expect(over).toBe(false);
    clock.advance(1);
    await slept;
  });

  test("fails with the signal's reason, and leaves no timer", async () => {
    const clock = new SteppedClock();
    const stop = new AbortController();
    const slept = sleep(clock, 1_000, stop.signal);
    const reason = new Error("told to stop");
    stop.abort(reason);
    await expect(slept).rejects.toBe(reason);
    expect(clock.timers).toBe(0);
  });

  test("does not begin when the signal has aborted before", async () => {
    const clock = new SteppedClock();
    await expect(sleep(clock, 1_000, AbortSignal.abort("stop"))).rejects.toBe("stop");
    expect(clock.timers).toBe(0);
  });
});

describe("the system's clock", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("fires a timer once, after its delay", () => {
    const run = vi.fn();
    systemClock.setTimer(run, 1_000);
    vi.advanceTimersByTime(999);
    expect(run).not.toHaveBeenCalled();
    vi.advanceTimersByTime(10_000);
    expect(run).toHaveBeenCalledOnce();
  });

  test("fires at once for a delay below zero", () => {
    const run = vi.fn();
    systemClock.setTimer(run, -5);
    vi.advanceTimersByTime(0);
    expect(run).toHaveBeenCalledOnce();
  });

  test("keeps delays that Node would cut to a millisecond", () => {
    const run = vi.fn();
    const days = 40 * 86_400_000;
    systemClock.setTimer(run, days);
    vi.advanceTimersByTime(days - 1);
    expect(run).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(run).toHaveBeenCalledOnce();
  });

  test.each([1_000, 40 * 86_400_000])("does not fire a timer of %d ms that was cancelled", (delay) => {
    const run = vi.fn();
    const timer = systemClock.setTimer(run, delay);
    vi.advanceTimersByTime(delay - 1);
    timer.cancel();
    timer.cancel();
    vi.advanceTimersByTime(delay);
    expect(run).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});
