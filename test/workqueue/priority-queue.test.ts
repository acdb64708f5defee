import { describe, expect, test } from "vitest";
import {
  type DelayedAdd,
  ExponentialLimiter,
  LOW_PRIORITY,
  MAX_TRIGGERS,
  PriorityQueue,
  type Trigger,
  type TriggerKind,
} from "../../src/workqueue/index.ts";
import { ScrapedMeter, settle, SteppedClock } from "./harness.ts";

/** Writes down the delayed adds that it is told of. */
function tell(list: string[]) {
  return (key: string, { trigger, delayMs }: DelayedAdd): void => {
    list.push(`${key} ${trigger.interval ?? trigger.kind} ${delayMs}`);
  };
}

function setUp(options: { controller?: string } = {}) {
  const clock = new SteppedClock();
  const meter = new ScrapedMeter();
  const superseded: string[] = [];
  const dropped: string[] = [];
  const queue = new PriorityQueue<string>({
    name: "orders",
    limiter: new ExponentialLimiter(1_000, 5_000),
    onSuperseded: tell(superseded),
    onDropped: tell(dropped),
    env: { clock, meter },
    ...options,
  });
  const on = (kind: TriggerKind, extra: Partial<Trigger> = {}): { trigger: Trigger } => ({
    trigger: { kind, at: clock.monotonic(), ...extra },
  });
  /** A requeue of an interval. */
  const after = (interval: string): { trigger: Trigger } => on("requeue", { interval });
  const take = (): string[] => {
    const keys: string[] = [];
    for (let entry = queue.tryGet(); entry; entry = queue.tryGet()) keys.push(entry.key);
    return keys;
  };
  return { clock, meter, queue, superseded, dropped, on, after, take };
}

const span = (id: string) => ({ traceId: "0".repeat(32), spanId: id, traceFlags: 1 });

describe("an entry", () => {
  test("says why, since when, and how long it was in the queue", () => {
    const { clock, queue, on } = setUp();
    clock.advance(50);
    queue.add("a", on("add"));
    clock.advance(10);
    queue.add("a", on("update"));
    clock.advance(20);
    expect(queue.tryGet()).toEqual({
      key: "a",
      priority: 0,
      triggers: [
        { kind: "add", at: 50 },
        { kind: "update", at: 60 },
      ],
      moreTriggers: 0,
      addedAt: 50,
      readyAt: 50,
      queueMs: 30,
      requeue: undefined,
    });
  });

  test("merges equal triggers and keeps each trace", () => {
    const { queue, on } = setUp();
    for (const id of ["1", "2", "1", "3"]) queue.add("a", on("update", { span: span(id) }));
    queue.add("a", on("update"));
    queue.add("a", on("requeue", { interval: "Approval" }));
    queue.add("a", on("requeue", { interval: "Drift" }));
    const { triggers } = queue.tryGet() ?? {};
    expect(triggers?.map(({ kind, interval, span }) => `${kind} ${interval ?? span?.spanId}`)).toEqual([
      "update 1",
      "update 2",
      "update 3",
      "requeue Approval",
      "requeue Drift",
    ]);
  });

  test("holds a bounded number of traces, and every kind and interval", () => {
    const { queue, on } = setUp();
    for (let id = 0; id < 1_000; id += 1) queue.add("a", on("update", { span: span(String(id)) }));
    queue.add("a", on("delete", { span: span("last") }));
    const entry = queue.tryGet();
    expect(entry?.triggers).toHaveLength(MAX_TRIGGERS + 1);
    expect(entry?.moreTriggers).toBe(1_000 - MAX_TRIGGERS);
    expect(entry?.triggers.at(-1)).toMatchObject({ kind: "delete" });
  });

  test("begins anew once handed out", () => {
    const { queue, on } = setUp();
    for (let id = 0; id < 40; id += 1) queue.add("a", on("update", { span: span(String(id)) }));
    queue.tryGet();
    queue.add("a", { ...on("resync"), priority: LOW_PRIORITY });
    queue.done("a");
    expect(queue.tryGet()).toMatchObject({ priority: LOW_PRIORITY, triggers: [{ kind: "resync" }], moreTriggers: 0 });
  });

  test("is not with two workers: what comes meanwhile follows after done, as one", () => {
    const { clock, queue, on } = setUp();
    queue.add("a", on("add"));
    queue.tryGet();
    clock.advance(100);
    queue.add("a", on("update"));
    queue.add("a", on("delete"));
    expect(queue.size).toBe(0);
    expect(queue.tryGet()).toBeUndefined();
    clock.advance(100);
    queue.done("a");
    const entry = queue.tryGet();
    expect(entry).toMatchObject({ addedAt: 100, readyAt: 100, queueMs: 100 });
    expect(entry?.triggers.map(({ kind }) => kind)).toEqual(["update", "delete"]);
    queue.done("a");
    queue.done("a");
    expect(queue.tryGet()).toBeUndefined();
  });
});

describe("priority", () => {
  test("goes first; equals leave in the order in which they became ready", () => {
    const { clock, queue, on, take } = setUp();
    queue.add("low-1", { ...on("resync"), priority: LOW_PRIORITY });
    queue.addAfter("late", 10, on("requeue"));
    queue.add("normal-1", on("update"));
    queue.add("high", { ...on("manual"), priority: 7 });
    queue.add("low-2", { ...on("resync"), priority: LOW_PRIORITY });
    queue.add("normal-2", on("update"));
    clock.advance(10);
    queue.add("normal-3", on("update"));
    expect(take()).toEqual(["high", "normal-1", "normal-2", "late", "normal-3", "low-1", "low-2"]);
  });

  test("is raised by a further add, which keeps the place in time, and never lowered", () => {
    const { queue, on, take } = setUp();
    queue.add("a", { ...on("resync"), priority: LOW_PRIORITY });
    queue.add("b", on("update"));
    queue.add("c", { ...on("resync"), priority: LOW_PRIORITY });
    queue.add("a", on("update"));
    queue.add("b", { ...on("resync"), priority: LOW_PRIORITY });
    expect(take()).toEqual(["a", "b", "c"]);
  });

  test("of a delayed add counts too, even if it is absorbed", () => {
    const { queue, on, after, take } = setUp();
    queue.addAfter("a", 1_000, { ...after("Drift"), priority: 5 });
    queue.add("b", on("update"));
    queue.add("a", { ...on("resync"), priority: LOW_PRIORITY });
    expect(take()).toEqual(["a", "b"]);
  });
});

describe("a delayed add", () => {
  test("comes at its time with what was asked", () => {
    const { clock, queue, after, superseded } = setUp();
    clock.advance(5);
    queue.addAfter("a", 1_000, after("Drift"));
    expect([...queue.waiting()]).toEqual([
      { key: "a", priority: 0, trigger: after("Drift").trigger, askedAt: 5, delayMs: 1_000, dueAt: 1_005 },
    ]);
    clock.advance(999);
    expect(queue.tryGet()).toBeUndefined();
    clock.advance(1);
    clock.advance(30);
    const entry = queue.tryGet();
    expect(entry?.requeue).toMatchObject({ askedAt: 5, delayMs: 1_000, dueAt: 1_005, trigger: { interval: "Drift" } });
    expect(entry).toMatchObject({ addedAt: 5, readyAt: 1_005, queueMs: 30, triggers: [{ kind: "requeue" }] });
    expect([...queue.waiting()]).toEqual([]);
    expect(superseded).toEqual([]);
  });

  test("is found due although its timer could not fire yet", () => {
    const { clock, queue, after } = setUp();
    queue.addAfter("a", 1_000, after("Drift"));
    clock.block(1_500);
    expect(queue.tryGet()).toMatchObject({ readyAt: 1_500, requeue: { dueAt: 1_000 } });
    clock.advance(0);
    expect(clock.timers).toBe(0);
  });

  test("is absorbed by an immediate add: told once, and no cause of the pass", () => {
    const { clock, queue, on, after, superseded } = setUp();
    queue.addAfter("a", 1_000, after("Drift"));
    clock.advance(400);
    queue.add("a", on("update"));
    expect(superseded).toEqual(["a Drift 1000"]);
    expect(queue.tryGet()).toMatchObject({ addedAt: 400, triggers: [{ kind: "update" }], requeue: undefined });
    queue.done("a");
    clock.advance(10_000);
    expect(queue.tryGet()).toBeUndefined();
    expect(superseded).toHaveLength(1);
  });

  test("is superseded at once when the key needs work already", () => {
    const { queue, on, after, superseded } = setUp();
    queue.add("ready", on("update"));
    queue.addAfter("ready", 1_000, after("Drift"));
    queue.tryGet();
    queue.add("ready", on("update"));
    queue.addAfter("ready", 2_000, after("Drift"));
    expect(superseded).toEqual(["ready Drift 1000", "ready Drift 2000"]);
  });

  test.each([
    ["an earlier one replaces it", 5_000, 1_000, "a First 5000", "Second"],
    ["a later one is not taken", 1_000, 5_000, "a Second 5000", "First"],
    ["one of the same time is not taken", 1_000, 1_000, "a Second 1000", "First"],
  ])("of two, the earlier stays: %s", (_, first, second, told, stays) => {
    const { clock, queue, after, superseded } = setUp();
    queue.addAfter("a", first, after("First"));
    queue.addAfter("a", second, after("Second"));
    expect(superseded).toEqual([told]);
    clock.advance(1_000);
    expect(queue.tryGet()?.requeue?.trigger.interval).toBe(stays);
    queue.done("a");
    clock.advance(10_000);
    expect(queue.tryGet()).toBeUndefined();
  });

  test("that is due while a worker has the key follows after done", () => {
    const { clock, queue, on, after } = setUp();
    queue.add("a", on("update"));
    queue.tryGet();
    queue.addAfter("a", 100, after("Drift"));
    clock.advance(200);
    expect(queue.tryGet()).toBeUndefined();
    queue.done("a");
    expect(queue.tryGet()).toMatchObject({ readyAt: 100, queueMs: 100, requeue: { dueAt: 100 } });
  });

  test.each([0, -1, Number.NaN])("with delay %d comes at once and is accounted for", (delay) => {
    const { queue, after, superseded } = setUp();
    queue.addAfter("a", 1_000, after("Drift"));
    queue.addAfter("a", delay, after("Now"));
    expect(superseded).toEqual(["a Drift 1000"]);
    expect(queue.tryGet()?.requeue).toMatchObject({ delayMs: 0, trigger: { interval: "Now" } });
  });

  test("that has come is one of several causes when an event follows", () => {
    const { clock, queue, on, after, superseded } = setUp();
    queue.addAfter("a", 100, after("Drift"));
    clock.advance(100);
    queue.add("a", on("update"));
    const entry = queue.tryGet();
    expect(entry?.triggers.map(({ kind }) => kind)).toEqual(["requeue", "update"]);
    expect(entry?.requeue?.dueAt).toBe(100);
    expect(superseded).toEqual([]);
  });

  test("after failures comes after the limiter's delay, until forgotten", () => {
    const { queue, on, take } = setUp();
    const retry = (): number => queue.addRateLimited("a", on("retry"));
    expect([retry(), retry(), retry()]).toEqual([1_000, 2_000, 4_000]);
    expect(queue.numRequeues("a")).toBe(3);
    queue.forget("a");
    expect(retry()).toBe(1_000);
    expect(take()).toEqual([]);
  });
});

describe("get", () => {
  test("merges what is added in the same turn, by priority", async () => {
    const { queue, on } = setUp();
    const got = queue.get();
    await settle();
    queue.add("low", { ...on("resync"), priority: LOW_PRIORITY });
    queue.add("a", on("add"));
    queue.add("a", on("update"));
    expect((await got)?.key).toBe("a");
    expect((await queue.get())?.key).toBe("low");
  });

  test("is woken by a due time and by done", async () => {
    const { clock, queue, on } = setUp();
    queue.addAfter("a", 100, on("requeue"));
    const first = queue.get();
    await settle();
    clock.advance(100);
    expect((await first)?.key).toBe("a");
    queue.add("a", on("update"));
    const second = queue.get();
    await settle();
    queue.done("a");
    expect((await second)?.key).toBe("a");
  });

  test("gives up when its signal aborts, and leaves the entry to another", async () => {
    const { queue, on } = setUp();
    const stop = new AbortController();
    const first = queue.get(stop.signal);
    const second = queue.get();
    queue.add("a", on("add"));
    stop.abort();
    expect(await first).toBeUndefined();
    expect((await second)?.key).toBe("a");
  });
});

describe("shut down", () => {
  test("stops at once: nothing is taken or handed out, and what was asked for is told as dropped", async () => {
    const { clock, queue, on, after, dropped, superseded } = setUp();
    const got = queue.get();
    await settle();
    queue.addAfter("waiting", 1_000, after("Drift"));
    queue.addAfter("due", 0, after("Now"));
    queue.add("ready", on("update"));
    queue.shutDown();
    queue.shutDown();
    expect(await got).toBeUndefined();
    expect(await queue.get()).toBeUndefined();
    expect(queue.tryGet()).toBeUndefined();
    queue.add("b", on("update"));
    queue.addAfter("asked too late", 1_000, after("Drift"));
    expect(dropped).toEqual(["waiting Drift 1000", "due Now 0", "asked too late Drift 1000"]);
    expect(superseded).toEqual([]);
    expect(queue.size).toBe(0);
    expect([...queue.waiting()]).toEqual([]);
    expect(clock.timers).toBe(0);
  });

  test("lets workers give back what they have", () => {
    const { meter, queue, on } = setUp();
    queue.add("a", on("add"));
    queue.tryGet();
    queue.add("a", on("update"));
    queue.shutDown();
    expect(meter.collecting).toBe(1);
    queue.done("a");
    expect(meter.collecting).toBe(0);
    expect(queue.status()).toMatchObject({ depth: 0, running: 0, waiting: 0 });
  });
});

describe("metrics", () => {
  const labels = { name: "orders", controller: "shop" };
  const depth = (priority: string) => ({ ...labels, priority });

  test("are controller-runtime's: counted when an entry needs work, by priority", () => {
    const { clock, meter, queue, on } = setUp({ controller: "shop" });
    queue.addAfter("a", 100, on("requeue"));
    expect(meter.value("workqueue_adds_total", labels)).toBe(0);
    expect(meter.total("workqueue_depth")).toBe(0);
    clock.advance(100);
    queue.add("b", { ...on("resync"), priority: LOW_PRIORITY });
    expect(meter.value("workqueue_adds_total", labels)).toBe(2);
    expect(meter.value("workqueue_depth", depth("0"))).toBe(1);
    expect(meter.value("workqueue_depth", depth("-100"))).toBe(1);
    queue.add("b", on("update"));
    expect(meter.value("workqueue_adds_total", labels)).toBe(2);
    expect(meter.value("workqueue_depth", depth("0"))).toBe(2);
    expect(meter.value("workqueue_depth", depth("-100"))).toBe(0);
    clock.advance(500);
    queue.tryGet();
    queue.add("a", on("update"));
    expect(meter.value("workqueue_depth", depth("0"))).toBe(2);
    clock.advance(2_000);
    queue.done("a");
    expect(meter.observed("workqueue_queue_duration_seconds", labels)).toEqual([0.5]);
    expect(meter.observed("workqueue_work_duration_seconds", labels)).toEqual([2]);
    queue.tryGet();
    queue.tryGet();
    expect(meter.total("workqueue_depth")).toBe(0);
  });

  test("count a retry only if it is delayed", () => {
    const { meter, queue, on, after } = setUp({ controller: "shop" });
    queue.addAfter("a", 0, after("Now"));
    expect(meter.value("workqueue_retries_total", labels)).toBe(0);
    queue.addAfter("b", 1, after("Drift"));
    queue.addRateLimited("c", on("retry"));
    expect(meter.value("workqueue_retries_total", labels)).toBe(2);
  });

  test("name 25 priorities and put the rest together", () => {
    const { meter, queue, on } = setUp({ controller: "shop" });
    for (let priority = 0; priority < 30; priority += 1) queue.add(`key-${priority}`, { ...on("add"), priority });
    expect(meter.value("workqueue_depth", depth("24"))).toBe(1);
    expect(meter.value("workqueue_depth", depth("25"))).toBeUndefined();
    expect(meter.value("workqueue_depth", depth("exceeded_cardinality_limit"))).toBe(5);
    while (queue.tryGet());
    expect(meter.value("workqueue_depth", depth("exceeded_cardinality_limit"))).toBe(0);
    expect(meter.total("workqueue_depth")).toBe(0);
  });

  test("show what is being worked on, and nothing ready after shutdown", () => {
    const { clock, meter, queue, on } = setUp({ controller: "shop" });
    for (const key of ["a", "b", "c"]) queue.add(key, on("add"));
    queue.tryGet();
    clock.advance(1_000);
    queue.tryGet();
    clock.advance(2_000);
    meter.collect();
    expect(meter.value("workqueue_unfinished_work_seconds", labels)).toBe(5);
    expect(meter.value("workqueue_longest_running_processor_seconds", labels)).toBe(3);
    queue.done("a");
    meter.collect();
    expect(meter.value("workqueue_longest_running_processor_seconds", labels)).toBe(2);
    queue.shutDown();
    expect(meter.total("workqueue_depth")).toBe(0);
  });
});

test("its status tells what waits, what is ready and what runs", () => {
  const { clock, queue, on, after } = setUp();
  queue.add("running", on("add"));
  queue.tryGet();
  queue.addAfter("waiting", 60_000, after("Drift"));
  clock.advance(100);
  queue.add("running", on("update"));
  queue.add("ready", on("update"));
  queue.add("low", { ...on("resync"), priority: LOW_PRIORITY });
  clock.advance(100);
  expect(queue.status()).toEqual({
    name: "orders",
    controller: "orders",
    depth: 3,
    depthByPriority: { "0": 2, "-100": 1 },
    waiting: 1,
    running: 1,
    oldestReadyMs: 100,
    longestRunningMs: 200,
  });
});
