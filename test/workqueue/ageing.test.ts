import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LOW_PRIORITY, PriorityQueue } from "../../src/workqueue/index.ts";
import { SteppedClock } from "./harness.ts";

const AGING_MS = 10_000;
const SHARE = 10;
const trigger = { kind: "update", at: 0 } as const;

test("no entry waits for ever: once aged, each leaves within ten hand-outs for itself and each older one", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          adds: fc.array(fc.integer({ min: -200, max: 50 }), { maxLength: 4 }),
          raise: fc.option(fc.nat(1_000)),
          ms: fc.integer({ min: 0, max: 1_500 }),
        }),
        { minLength: 50, maxLength: 400 },
      ),
      (turns) => {
        const clock = new SteppedClock();
        const queue = new PriorityQueue({ name: "flood", agingMs: AGING_MS, env: { clock } });
        const waiting = new Map<string, { since: number; leavesBy: number | undefined }>();
        let handOuts = 0;
        let made = 0;
        for (const { adds, raise, ms } of turns) {
          // More comes in, at random priorities, than the one worker takes.
          for (const priority of [...adds, 0]) {
            made += 1;
            queue.add(`key-${made}`, { trigger, priority });
            waiting.set(`key-${made}`, { since: clock.monotonic(), leavesBy: undefined });
          }
          const raised = raise === null ? undefined : [...waiting.keys()][raise];
          if (raised) queue.add(raised, { trigger, priority: 50 });
          clock.advance(ms);
          let older = 0;
          for (const entry of waiting.values()) {
            if (clock.monotonic() - entry.since < AGING_MS) break;
            entry.leavesBy ??= handOuts + SHARE * (older + 1);
            older += 1;
          }
          const key = queue.tryGet()?.key ?? "";
          handOuts += 1;
          expect(waiting.delete(key)).toBe(true);
          queue.done(key);
          const due = [...waiting.values()].filter(({ leavesBy }) => leavesBy !== undefined && leavesBy <= handOuts);
          expect(due).toEqual([]);
        }
      },
    ),
    { numRuns: 100 },
  );
});

/**
 * One worker whose passes take a second; a change of some other object at priority 0 comes every `everyMs`; three objects of an
 * initial list wait at low priority. Returns how long each of the three waited, of those that were served within ten minutes.
 */
function waitsOfLowEntries(everyMs: number, agingMs: number): number[] {
  const clock = new SteppedClock();
  const queue = new PriorityQueue({ name: "overload", agingMs, env: { clock } });
  const waits: number[] = [];
  for (const key of ["low-1", "low-2", "low-3"]) queue.add(key, { trigger, priority: LOW_PRIORITY });
  let changes = 0;
  for (let now = 0; now < 600_000; now += 1_000) {
    for (; changes * everyMs <= now; changes += 1) queue.add(`change-${changes}`, { trigger });
    const entry = queue.tryGet();
    if (entry?.priority === LOW_PRIORITY) waits.push(entry.queueMs);
    clock.advance(1_000);
    if (entry) queue.done(entry.key);
  }
  return waits;
}

describe("low entries under a load of priority 0", () => {
  test("of 105 % are served within a minute", () => {
    const waits = waitsOfLowEntries(1_000 / 1.05, AGING_MS);
    expect(waits).toHaveLength(3);
    expect(Math.max(...waits)).toBeLessThan(60_000);
  });

  test("of 105 % starve without ageing", () => {
    expect(waitsOfLowEntries(1_000 / 1.05, Number.MAX_VALUE)).toEqual([]);
  });

  test("of 90 % are served without ageing too", () => {
    expect(waitsOfLowEntries(1_000 / 0.9, Number.MAX_VALUE)).toHaveLength(3);
  });
});

/** A thousand objects of an initial list, all of which have waited for a minute. */
function agedList() {
  const clock = new SteppedClock();
  const queue = new PriorityQueue({ name: "start", env: { clock } });
  for (let index = 0; index < 1_000; index += 1) {
    queue.add(`listed-${index}`, { trigger, priority: LOW_PRIORITY });
  }
  clock.advance(60_000);
  return queue;
}

describe("a change that comes while a whole initial list has aged", () => {
  test("overtakes the list", () => {
    const queue = agedList();
    for (let taken = 0; taken < 25; taken += 1) queue.tryGet();
    queue.add("change", { trigger });
    const next = [queue.tryGet(), queue.tryGet()].map((entry) => entry?.key);
    expect(next).toContain("change");
  });

  test("leaves the list a tenth of the hand-outs, in order", () => {
    const queue = agedList();
    const listed: (string | undefined)[] = [];
    for (let taken = 0; taken < 100; taken += 1) {
      queue.add(`change-${taken}`, { trigger });
      const entry = queue.tryGet();
      if (entry?.priority === LOW_PRIORITY) listed.push(entry.key);
    }
    expect(listed).toEqual(Array.from({ length: 10 }, (_, index) => `listed-${index}`));
  });
});
