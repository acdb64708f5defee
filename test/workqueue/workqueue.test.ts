import { describe, expect, test } from "vitest";
import { ExponentialLimiter, Workqueue } from "../../src/workqueue/index.ts";
import { ScrapedMeter, settle, SteppedClock } from "./harness.ts";

function setUp(options: { name?: string } = {}) {
  const clock = new SteppedClock();
  const meter = new ScrapedMeter();
  const queue = new Workqueue<string>({
    ...options,
    limiter: new ExponentialLimiter(1_000, 5_000),
    env: { clock, meter },
  });
  return { clock, meter, queue };
}

function take(queue: Workqueue): string[] {
  const taken: string[] = [];
  for (let key = queue.tryGet(); key !== undefined; key = queue.tryGet()) taken.push(key);
  return taken;
}

describe("keys", () => {
  test("leave in the order they came, each once however often it was added", () => {
    const { queue } = setUp();
    for (const key of ["b", "a", "b", "c", "a"]) queue.add(key);
    expect(queue.size).toBe(3);
    expect(take(queue)).toEqual(["b", "a", "c"]);
    expect(queue.size).toBe(0);
  });

  test("added while a worker has them come again after done, once", () => {
    const { queue } = setUp();
    queue.add("a");
    queue.tryGet();
    queue.add("a");
    queue.add("a");
    expect(queue.size).toBe(0);
    expect(queue.tryGet()).toBeUndefined();
    queue.done("a");
    expect(take(queue)).toEqual(["a"]);
  });

  test("that were not added meanwhile do not come again", () => {
    const { queue } = setUp();
    queue.add("a");
    queue.tryGet();
    queue.done("a");
    expect(take(queue)).toEqual([]);
  });

  test("that no worker has are not queued twice by a stray done", () => {
    const { queue } = setUp();
    queue.add("a");
    queue.done("a");
    queue.done("never seen");
    expect(take(queue)).toEqual(["a"]);
  });

  test("beyond those whose records are kept are handled alike", () => {
    const { queue } = setUp();
    const keys = Array.from({ length: 20_000 }, (_, index) => `key-${index}`);
    for (let round = 0; round < 2; round += 1) {
      for (const key of keys) queue.add(key);
      const taken = take(queue);
      for (const key of taken) queue.done(key);
      expect(taken).toEqual(keys);
    }
  });
});

describe("get", () => {
  test("waits for a key, and the longest waiting worker has it", async () => {
    const { queue } = setUp();
    const got: string[] = [];
    void queue.get().then((key) => got.push(`first ${key}`));
    void queue.get().then((key) => got.push(`second ${key}`));
    await settle();
    expect(got).toEqual([]);
    queue.add("a");
    await settle();
    expect(got).toEqual(["first a"]);
    queue.add("b");
    await settle();
    expect(got).toEqual(["first a", "second b"]);
  });

  test("gives up when its signal aborts, and leaves the key to another", async () => {
    const { queue } = setUp();
    const stop = new AbortController();
    const first = queue.get(stop.signal);
    const second = queue.get();
    queue.add("a");
    // The first was woken for the key already, and stops before it could take it.
    stop.abort();
    expect(await first).toBeUndefined();
    expect(await second).toBe("a");
    expect(await queue.get(stop.signal)).toBeUndefined();
  });
});

describe("a delayed key", () => {
  test("is not in the queue before its time", async () => {
    const { clock, queue } = setUp();
    queue.addAfter("a", 1_000);
    clock.advance(999);
    expect(queue.size).toBe(0);
    clock.advance(1);
    expect(take(queue)).toEqual(["a"]);
  });

  test.each([
    ["later, then earlier", [5_000, 1_000]],
    ["earlier, then later", [1_000, 5_000]],
  ])("keeps the earlier time (%s) and comes once", (_, delays) => {
    const { clock, queue } = setUp();
    for (const delay of delays) queue.addAfter("a", delay);
    clock.advance(1_000);
    expect(take(queue)).toEqual(["a"]);
    queue.done("a");
    clock.advance(10_000);
    expect(take(queue)).toEqual([]);
  });

  test("still comes after it was added at once", () => {
    const { clock, queue } = setUp();
    queue.addAfter("a", 1_000);
    queue.add("a");
    expect(take(queue)).toEqual(["a"]);
    queue.done("a");
    clock.advance(1_000);
    expect(take(queue)).toEqual(["a"]);
  });

  test("merges when the key is queued at its time", () => {
    const { clock, queue } = setUp();
    queue.addAfter("a", 1_000);
    queue.add("a");
    clock.advance(1_000);
    expect(take(queue)).toEqual(["a"]);
  });

  test.each([0, -1, Number.NaN])("with delay %d comes at once", (delay) => {
    const { queue } = setUp();
    queue.addAfter("a", delay);
    expect(queue.size).toBe(1);
  });

  test("shares one timer with all others", () => {
    const { clock, queue } = setUp();
    for (let index = 0; index < 100; index += 1) queue.addAfter(`key-${index}`, 10_000 - index);
    expect(clock.timers).toBe(1);
    clock.advance(10_000);
    expect(queue.size).toBe(100);
    expect(clock.timers).toBe(0);
  });
});

test("rate limited keys come after growing delays until forgotten", () => {
  const { clock, queue } = setUp();
  const comesAfter = (): number => {
    queue.addRateLimited("a");
    for (let ms = 0; ; ms += 1_000) {
      if (queue.tryGet() !== undefined) {
        queue.done("a");
        return ms;
      }
      clock.advance(1_000);
    }
  };
  expect([comesAfter(), comesAfter(), comesAfter(), comesAfter()]).toEqual([1_000, 2_000, 4_000, 5_000]);
  expect(queue.numRequeues("a")).toBe(4);
  queue.forget("a");
  expect(queue.numRequeues("a")).toBe(0);
  expect(comesAfter()).toBe(1_000);
});

describe("shut down", () => {
  test("takes no more keys, hands out what is queued, loses what is delayed", async () => {
    const { clock, queue } = setUp();
    queue.addAfter("late", 1_000);
    queue.add("a");
    queue.shutDown();
    queue.add("b");
    queue.addAfter("c", 0);
    queue.addAfter("d", 1_000);
    expect(queue.shuttingDown).toBe(true);
    expect(await queue.get()).toBe("a");
    expect(await queue.get()).toBeUndefined();
    expect(clock.timers).toBe(0);
    clock.advance(5_000);
    expect(queue.size).toBe(0);
  });

  test("ends the wait of every worker", async () => {
    const { queue } = setUp();
    const gets = [queue.get(), queue.get()];
    await settle();
    queue.shutDown();
    expect(await Promise.all(gets)).toEqual([undefined, undefined]);
  });

  test("hands out again what was added before, while a worker had it", () => {
    const { queue } = setUp();
    queue.add("a");
    queue.tryGet();
    queue.add("a");
    queue.shutDown();
    queue.done("a");
    expect(take(queue)).toEqual(["a"]);
  });

  test("with drain resolves when no worker has a key", async () => {
    const { queue } = setUp();
    queue.add("a");
    queue.add("b");
    take(queue);
    let drained = false;
    const drain = queue.shutDownWithDrain().then(() => (drained = true));
    queue.done("a");
    await settle();
    expect(drained).toBe(false);
    queue.done("b");
    await drain;
  });

  test("with drain resolves at once when no worker has a key", async () => {
    const { queue } = setUp();
    queue.add("a");
    await queue.shutDownWithDrain();
    expect(take(queue)).toEqual(["a"]);
  });

  test("ends an earlier wait for the drain", async () => {
    const { queue } = setUp();
    queue.add("a");
    take(queue);
    const drain = queue.shutDownWithDrain();
    queue.shutDown();
    await drain;
  });

  test("comes with the end of a using block", () => {
    const { queue } = setUp();
    {
      using scoped = queue;
      scoped.add("a");
    }
    expect(queue.shuttingDown).toBe(true);
  });
});

describe("metrics", () => {
  const labels = { name: "orders", controller: "orders" };
  const depthLabels = { ...labels, priority: "" };

  test("are none for a queue without a name", () => {
    const { meter, queue } = setUp();
    queue.add("a");
    expect(meter.value("workqueue_adds_total", labels)).toBeUndefined();
    expect(meter.total("workqueue_adds_total")).toBe(0);
    expect(meter.collecting).toBe(0);
  });

  test("count a key that becomes dirty, also while it is worked on, and no add besides", () => {
    const { clock, meter, queue } = setUp({ name: "orders" });
    queue.add("a");
    queue.add("a");
    expect(meter.value("workqueue_adds_total", labels)).toBe(1);
    expect(meter.value("workqueue_depth", depthLabels)).toBe(1);
    clock.advance(100);
    queue.tryGet();
    expect(meter.value("workqueue_depth", depthLabels)).toBe(0);
    queue.add("a");
    expect(meter.value("workqueue_adds_total", labels)).toBe(2);
    expect(meter.value("workqueue_depth", depthLabels)).toBe(1);
    clock.advance(2_000);
    queue.done("a");
    queue.tryGet();
    expect(meter.value("workqueue_depth", depthLabels)).toBe(0);
    // The second wait includes the rest of the first run.
    expect(meter.observed("workqueue_queue_duration_seconds", labels)).toEqual([0.1, 2]);
    expect(meter.observed("workqueue_work_duration_seconds", labels)).toEqual([2]);
  });

  test("count every delayed add as a retry, and none after shutdown", () => {
    const { meter, queue } = setUp({ name: "orders" });
    queue.addAfter("a", 1_000);
    queue.addAfter("a", 0);
    queue.addRateLimited("b");
    expect(meter.value("workqueue_retries_total", labels)).toBe(3);
    queue.shutDown();
    queue.addAfter("c", 1_000);
    queue.add("d");
    expect(meter.value("workqueue_retries_total", labels)).toBe(3);
    expect(meter.value("workqueue_adds_total", labels)).toBe(1);
  });

  test("tell what is being worked on at each scrape, until the last worker has finished", () => {
    const { clock, meter, queue } = setUp({ name: "orders" });
    const scrape = (): (number | undefined)[] => {
      meter.collect();
      return [
        meter.value("workqueue_unfinished_work_seconds", labels),
        meter.value("workqueue_longest_running_processor_seconds", labels),
      ];
    };
    queue.add("a");
    queue.add("b");
    queue.tryGet();
    clock.advance(1_000);
    queue.tryGet();
    clock.advance(2_000);
    expect(scrape()).toEqual([5, 3]);
    queue.shutDown();
    queue.done("a");
    clock.advance(1_000);
    expect(scrape()).toEqual([3, 3]);
    queue.done("b");
    expect(meter.collecting).toBe(0);
    expect(scrape()).toEqual([0, 0]);
  });
});
