import type { Clock, Timer } from "../../src/base/index.ts";

/** A clock that stands still until told otherwise. */
export class ManualClock implements Clock {
  #ms: number;
  #timers: { at: number; run: () => void }[] = [];

  constructor(startMs: number = Date.UTC(2026, 0, 2, 3, 4, 5)) {
    this.#ms = startMs;
  }

  now(): number {
    return this.#ms;
  }

  monotonic(): number {
    return this.#ms - 1_000_000;
  }

  setTimer(run: () => void, delayMs: number): Timer {
    const timer = { at: this.#ms + delayMs, run };
    this.#timers.push(timer);
    return { cancel: () => void (this.#timers = this.#timers.filter((other) => other !== timer)) };
  }

  get pending(): number {
    return this.#timers.length;
  }

  advance(ms: number): void {
    this.#ms += ms;
    const due = this.#timers.filter(({ at }) => at <= this.#ms);
    this.#timers = this.#timers.filter(({ at }) => at > this.#ms);
    for (const { run } of due) run();
  }
}
