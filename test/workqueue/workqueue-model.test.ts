import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ExponentialLimiter, Workqueue } from "../../src/workqueue/index.ts";
import { SteppedClock } from "./harness.ts";

/** client-go's semantics written down as naively as possible. */
class NaiveQueue {
  queue: string[] = [];
  dirty: string[] = [];
  processing: string[] = [];
  delayed: { key: string; due: number }[] = [];
  failures: string[] = [];
  down = false;
  now = 0;

  add(key: string): void {
    if (this.down || this.dirty.includes(key)) return;
    this.dirty.push(key);
    if (!this.processing.includes(key)) this.queue.push(key);
  }

  addAfter(key: string, delay: number): void {
    if (this.down) return;
    if (delay <= 0) return this.add(key);
    const due = this.now + delay;
    const waiting = this.delayed.find((other) => other.key === key);
    if (!waiting) this.delayed.push({ key, due });
    else waiting.due = Math.min(waiting.due, due);
  }

  addRateLimited(key: string): void {
    const failures = this.failures.filter((other) => other === key).length;
    this.failures.push(key);
    this.addAfter(key, Math.min(10 * 2 ** failures, 50));
  }

  forget(key: string): void {
    this.failures = this.failures.filter((other) => other !== key);
  }

  take(): string | undefined {
    const key = this.queue.shift();
    if (key === undefined) return undefined;
    this.dirty = this.dirty.filter((other) => other !== key);
    this.processing.push(key);
    return key;
  }

  done(key: string): void {
    if (!this.processing.includes(key)) return;
    this.processing = this.processing.filter((other) => other !== key);
    if (this.dirty.includes(key)) this.queue.push(key);
  }

  advance(ms: number): void {
    this.now += ms;
    const due = this.delayed.filter((waiting) => waiting.due <= this.now);
    this.delayed = this.delayed.filter((waiting) => waiting.due > this.now);
    for (const { key } of due.toSorted((a, b) => a.due - b.due)) this.add(key);
  }

  shutDown(): void {
    this.down = true;
    this.delayed = [];
  }
}

const key = fc.constantFrom("a", "b", "c", "d", "e");
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant("add" as const), key }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant("addAfter" as const), key, ms: fc.integer({ min: -5, max: 60 }) }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("addRateLimited" as const), key }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("forget" as const), key }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constant("take" as const) }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("done" as const), key }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("advance" as const), ms: fc.integer({ min: 0, max: 40 }) }) },
);

test("behaves as the naive model does, over random histories", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), fc.integer({ min: 0, max: 200 }), (steps, stopAt) => {
      const clock = new SteppedClock();
      const real = new Workqueue<string>({ limiter: new ExponentialLimiter(10, 50), env: { clock } });
      const model = new NaiveQueue();
      const withWorkers = new Set<string>();
      for (const [index, step] of steps.entries()) {
        if (index === stopAt) {
          real.shutDown();
          model.shutDown();
        }
        if (step.type === "advance") {
          clock.advance(step.ms);
          model.advance(step.ms);
        } else if (step.type === "take") {
          const taken = real.tryGet();
          expect(taken).toBe(model.take());
          if (taken !== undefined) {
            expect(withWorkers.has(taken)).toBe(false);
            withWorkers.add(taken);
          }
        } else if (step.type === "addAfter") {
          real.addAfter(step.key, step.ms);
          model.addAfter(step.key, step.ms);
        } else {
          real[step.type](step.key);
          model[step.type](step.key);
          if (step.type === "done") withWorkers.delete(step.key);
        }
        expect(real.size).toBe(model.queue.length);
      }
      expect(["a", "b", "c", "d", "e"].map((key) => real.numRequeues(key))).toEqual(
        ["a", "b", "c", "d", "e"].map((key) => model.failures.filter((other) => other === key).length),
      );
    }),
    { numRuns: 2_000 },
  );
});
