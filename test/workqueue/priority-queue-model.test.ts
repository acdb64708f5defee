import * as fc from "fast-check";
import { expect, test } from "vitest";
import { PriorityQueue, type TriggerKind } from "../../src/workqueue/index.ts";
import { SteppedClock } from "./harness.ts";

interface Entry {
  key: string;
  priority: number;
  triggers: string[];
  requeue: number | undefined;
  /** Set while the key waits for its time. */
  due: number | undefined;
  /** Its place among those that could be handed out. */
  order: number;
}

/** The contract of the priority queue without ageing, written down as naively as possible: one list, searched from end to end. */
class NaivePriorityQueue {
  entries: Entry[] = [];
  running: string[] = [];
  superseded: number[] = [];
  now = 0;
  #orders = 0;

  add(key: string, trigger: string, priority: number): void {
    const entry = this.#entry(key, priority);
    if (entry.due !== undefined) {
      this.superseded.push(entry.requeue as number);
      entry.due = undefined;
      entry.requeue = undefined;
      entry.order = this.#orders++;
    }
    if (!entry.triggers.includes(trigger)) entry.triggers.push(trigger);
  }

  addAfter(key: string, delay: number, asked: number, priority: number): void {
    const due = this.now + Math.max(delay, 0);
    const known = this.entries.some((entry) => entry.key === key);
    const entry = this.#entry(key, priority);
    if (known && (entry.due === undefined || entry.due <= due)) return void this.superseded.push(asked);
    if (known) this.superseded.push(entry.requeue as number);
    entry.requeue = asked;
    entry.due = due;
    if (due <= this.now) this.#ready(entry);
  }

  take(): Entry | undefined {
    const best = this.entries
      .filter((entry) => entry.due === undefined && !this.running.includes(entry.key))
      .toSorted((a, b) => b.priority - a.priority || a.order - b.order)[0];
    if (!best) return undefined;
    this.entries = this.entries.filter((entry) => entry !== best);
    this.running.push(best.key);
    return best;
  }

  done(key: string): void {
    this.running = this.running.filter((other) => other !== key);
    const entry = this.entries.find((other) => other.key === key && other.due === undefined);
    if (entry) entry.order = this.#orders++;
  }

  advance(ms: number): void {
    this.now += ms;
    const due = this.entries.filter((entry) => entry.due !== undefined && entry.due <= this.now);
    for (const entry of due.toSorted((a, b) => (a.due as number) - (b.due as number) || a.order - b.order)) {
      this.#ready(entry);
    }
  }

  #entry(key: string, priority: number): Entry {
    let entry = this.entries.find((other) => other.key === key);
    if (!entry) {
      entry = { key, priority, triggers: [], requeue: undefined, due: undefined, order: this.#orders++ };
      this.entries.push(entry);
    }
    entry.priority = Math.max(entry.priority, priority);
    return entry;
  }

  #ready(entry: Entry): void {
    entry.due = undefined;
    entry.order = this.#orders++;
    if (!entry.triggers.includes("requeue")) entry.triggers.push("requeue");
  }
}

const key = fc.constantFrom("a", "b", "c", "d", "e", "f");
const priority = fc.constantFrom(0, 0, -100, 3);
const kind = fc.constantFrom("add" as const, "update" as const, "resync" as const);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant("add" as const), key, kind, priority }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("addAfter" as const),
      key,
      ms: fc.integer({ min: -5, max: 60 }),
      priority,
    }),
  },
  { weight: 5, arbitrary: fc.record({ type: fc.constant("take" as const) }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("done" as const), nth: fc.nat(5) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("advance" as const), ms: fc.integer({ min: 1, max: 40 }) }) },
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** The queue and the model side by side. A trigger's time serves as the name of a wish to come later. */
class Comparison {
  readonly #clock = new SteppedClock();
  readonly #model = new NaivePriorityQueue();
  readonly #ended: Record<"fired" | "superseded" | "dropped", number[]> = { fired: [], superseded: [], dropped: [] };
  readonly #queue = new PriorityQueue({
    name: "model",
    agingMs: Number.MAX_VALUE,
    onSuperseded: (_, { trigger }) => this.#ended.superseded.push(trigger.at),
    onDropped: (_, { trigger }) => this.#ended.dropped.push(trigger.at),
    env: { clock: this.#clock },
  });
  readonly #running: string[] = [];
  #asked = 0;

  play(step: Step): void {
    if (step.type === "add") this.#add(step.key, step.kind, step.priority);
    else if (step.type === "addAfter") this.#addAfter(step.key, step.ms, step.priority);
    else if (step.type === "take") this.#take();
    else if (step.type === "done") this.#done(step.nth);
    else {
      this.#clock.advance(step.ms);
      this.#model.advance(step.ms);
    }
    expect(this.#ended.superseded).toEqual(this.#model.superseded);
    expect(this.#queue.status().waiting).toBe(this.#model.entries.filter(({ due }) => due !== undefined).length);
  }

  end(): void {
    this.#queue.shutDown();
    expect(
      Object.values(this.#ended)
        .flat()
        .toSorted((a, b) => a - b),
    ).toEqual(Array.from({ length: this.#asked }, (_, index) => index + 1));
    for (const key of this.#running) this.#queue.done(key);
    expect(this.#queue.status()).toMatchObject({ depth: 0, waiting: 0, running: 0 });
  }

  #add(key: string, kind: TriggerKind, priority: number): void {
    this.#queue.add(key, { trigger: { kind, at: -1 }, priority });
    this.#model.add(key, kind, priority);
  }

  #addAfter(key: string, ms: number, priority: number): void {
    this.#asked += 1;
    this.#queue.addAfter(key, ms, { trigger: { kind: "requeue", at: this.#asked }, priority });
    this.#model.addAfter(key, ms, this.#asked, priority);
  }

  #take(): void {
    const real = this.#queue.tryGet();
    const expected = this.#model.take();
    expect(
      real && [real.key, real.priority, real.requeue?.trigger.at, ...real.triggers.map(({ kind }) => kind)],
    ).toEqual(expected && [expected.key, expected.priority, expected.requeue, ...expected.triggers]);
    if (!real) return;
    if (real.requeue) this.#ended.fired.push(real.requeue.trigger.at);
    expect(this.#running).not.toContain(real.key);
    this.#running.push(real.key);
  }

  #done(nth: number): void {
    const [key] = this.#running.splice(nth % Math.max(this.#running.length, 1), 1);
    if (key === undefined) return;
    this.#queue.done(key);
    this.#model.done(key);
  }
}

test("behaves as the naive model does, and every delayed add ends exactly once", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const comparison = new Comparison();
      for (const step of steps) comparison.play(step);
      comparison.end();
    }),
    { numRuns: 2_000 },
  );
});
