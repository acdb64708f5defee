import { describe, expect, test } from "vitest";
import { sleep } from "../../src/base/index.ts";
import { VirtualClock } from "../../src/testing/index.ts";

describe("time", () => {
  test("stands still by itself, and moves exactly as far as it is told", async () => {
    const clock = new VirtualClock({ startMs: 1_000_000 });
    const started = clock.monotonic();
    await new Promise((resolve) => setImmediate(resolve));
    expect(clock.monotonic()).toBe(started);
    await clock.advance(1_234);
    expect(clock.monotonic()).toBe(started + 1_234);
    expect(clock.now()).toBe(1_001_234);
  });

  test("a shifted wall clock leaves timers and the monotonic scale alone", async () => {
    const clock = new VirtualClock({ startMs: 1_000_000 });
    const started = clock.monotonic();
    let fired = false;
    clock.setTimer(() => (fired = true), 100);
    clock.shiftWall(-60_000);
    expect(clock.now()).toBe(940_000);
    expect(clock.monotonic()).toBe(started);
    await clock.advance(99);
    expect(fired).toBe(false);
    await clock.advance(1);
    expect(fired).toBe(true);
  });
});

describe("timers", () => {
  test("fire in the order of their times, at their times", async () => {
    const clock = new VirtualClock();
    const started = clock.monotonic();
    const story: string[] = [];
    for (const delay of [30, 10, 20]) {
      clock.setTimer(() => story.push(`${delay} at ${clock.monotonic() - started}`), delay);
    }
    await clock.advance(100);
    expect(story).toEqual(["10 at 10", "20 at 20", "30 at 30"]);
  });

  test("one that is not due does not fire; a cancelled one never does", async () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    clock.setTimer(() => fired.push("late"), 101);
    clock.setTimer(() => fired.push("cancelled"), 50).cancel();
    await clock.advance(100);
    expect(fired).toEqual([]);
    expect(clock.waitingTimers).toBe(1);
  });

  test("between two timers, everything that can go on has gone on", async () => {
    const clock = new VirtualClock();
    const story: string[] = [];
    const chain = async (name: string): Promise<void> => {
      await sleep(clock, 10);
      for (let step = 0; step < 5; step += 1) await Promise.resolve();
      story.push(`${name} slept`);
      await sleep(clock, 10);
      story.push(`${name} slept again at ${clock.monotonic()}`);
    };
    const started = clock.monotonic();
    void chain("a");
    clock.setTimer(() => story.push("timer"), 11);
    await clock.advance(20);
    expect(story).toEqual(["a slept", "timer", `a slept again at ${started + 20}`]);
  });

  test("a timer without delay fires although no time passes", async () => {
    const clock = new VirtualClock();
    let fired = false;
    clock.setTimer(() => (fired = true), 0);
    await clock.advance(0);
    expect(fired).toBe(true);
  });

  test("timers without delay that never end are an error, not a hang", async () => {
    const clock = new VirtualClock();
    const again = (): void => void clock.setTimer(again, 0);
    again();
    await expect(clock.advance(1)).rejects.toMatchObject({ code: "TIME_STANDS_STILL" });
  });

  test("calls of advance follow each other", async () => {
    const clock = new VirtualClock();
    const started = clock.monotonic();
    await Promise.all([clock.advance(10), clock.advance(10)]);
    expect(clock.monotonic()).toBe(started + 20);
  });
});
