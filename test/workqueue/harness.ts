import type { Clock, Timer } from "../../src/base/index.ts";
import { RecordingMeter } from "../controller/recording.ts";

interface SetTimer {
  readonly at: number;
  readonly run: () => void;
}

/** A clock that moves only in `advance`, timer by timer, and synchronously. */
export class SteppedClock implements Clock {
  #now = 0;
  #timers: SetTimer[] = [];

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  setTimer(run: () => void, delayMs: number): Timer {
    const timer = { at: this.#now + Math.max(delayMs, 0), run };
    this.#timers.push(timer);
    return { cancel: () => this.#remove(timer) };
  }

  get timers(): number {
    return this.#timers.length;
  }

  advance(ms: number): void {
    const target = this.#now + ms;
    for (;;) {
      const [next] = this.#timers.toSorted((a, b) => a.at - b.at);
      if (!next || next.at > target) break;
      this.#remove(next);
      this.#now = next.at;
      next.run();
    }
    this.#now = target;
  }

  /** Time passes and no timer fires: the event loop is busy. */
  block(ms: number): void {
    this.#now += ms;
  }

  #remove(timer: SetTimer): void {
    this.#timers = this.#timers.filter((other) => other !== timer);
  }
}

/** A recording meter that is scraped by `collect`. */
export class ScrapedMeter extends RecordingMeter {
  readonly #updates: Set<() => void> = new Set();

  override onCollect(update: () => void = () => {}): () => void {
    this.#updates.add(update);
    return () => this.#updates.delete(update);
  }

  get collecting(): number {
    return this.#updates.size;
  }

  collect(): void {
    for (const update of this.#updates) update();
  }
}

/** Runs the promise callbacks that are due now. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
