import { expect, test } from "vitest";
import { Rig } from "./rig.ts";
import { added, deleted, expired, modified, object } from "./scripted-server.ts";

const PERIOD_MS = 600_000;

function many(count: number): ReturnType<typeof object>[] {
  return Array.from({ length: count }, (_, index) => object(`n${index}`, index + 1));
}

test("hands out every object once a period, evenly, with one timer", async () => {
  await using rig = new Rig({ resyncPeriodMs: PERIOD_MS });
  await rig.start();
  await rig.until(() => rig.informer.status().state === "listing");
  rig.server.lastList.answer("9000", many(6_000));
  await rig.until(() => rig.informer.status().state === "watching");
  // One for the walk, one for the watch.
  expect(rig.clock.waitingTimers).toBe(2);
  await rig.clock.advance(PERIOD_MS * 1.1);
  rig.events.length = 0;
  const perTenth: number[] = [];
  for (let tenth = 0; tenth < 10; tenth += 1) {
    const before = rig.events.length;
    await rig.clock.advance(PERIOD_MS / 10);
    perTenth.push(rig.events.length - before);
    expect(rig.clock.waitingTimers).toBe(2);
  }
  expect(Math.min(...perTenth)).toBeGreaterThan(500);
  expect(Math.max(...perTenth)).toBeLessThan(700);
  expect(new Set(rig.events).size).toBeGreaterThan(5_400);
  expect(rig.events[0]).toMatch(/^update (n\d+@\d+) -> \1 \(resync\)$/);
});

test("takes a different time for each period, within ten percent", async () => {
  await using rig = new Rig({ resyncPeriodMs: PERIOD_MS });
  const at: number[] = [];
  rig.informer.addHandler(({ cause }) => cause === "resync" && at.push(rig.clock.monotonic()));
  await rig.started(10, [object("a", 3)]);
  await rig.clock.advance(PERIOD_MS * 20);
  const gaps = at.slice(1).map((time, index) => time - (at[index] ?? 0));
  expect(gaps.length).toBeGreaterThan(15);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(PERIOD_MS * 0.9);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(PERIOD_MS * 1.1);
  expect(Math.max(...gaps) - Math.min(...gaps)).toBeGreaterThan(PERIOD_MS * 0.05);
});

test("gives the present state, skips what is gone, and keeps walking after a list", async () => {
  await using rig = new Rig({ resyncPeriodMs: PERIOD_MS });
  await rig.started(10, [object("a", 1), object("b", 2), object("c", 3)]);
  await rig.clock.advance(PERIOD_MS * 1.1);
  rig.server.lastWatch.send(modified("a", 11), deleted("b", 12), added("d", 13));
  await rig.rest();
  rig.events.length = 0;
  await rig.clock.advance(PERIOD_MS * 1.1);
  expect(rig.events).toContain("update a@11 -> a@11 (resync)");
  expect(rig.events.some((event) => event.includes(" b@"))).toBe(false);
  rig.server.lastWatch.fail(expired());
  await rig.clock.advance(2_000);
  rig.server.lastList.answer("20", [object("a", 11), object("e", 14)]);
  await rig.clock.advance(PERIOD_MS * 2.2);
  expect(rig.events).toContain("update e@14 -> e@14 (resync)");
});

test("is off unless asked for", async () => {
  await using rig = new Rig();
  await rig.started(10, [object("a", 3)]);
  expect(rig.clock.waitingTimers).toBe(1);
  await rig.clock.advance(PERIOD_MS * 100);
  expect(rig.events).toEqual([]);
});
