import type { Clock, Random, Timer } from "../base/index.ts";

export interface ResyncOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly periodMs: number;
  readonly keys: () => Iterable<string>;
  readonly sync: (keys: readonly string[]) => void;
}

/** No more than this many turns a second, however many objects there are. */
const SHORTEST_STEP_MS = 1_000;

/**
 * Walks over all keys once a period, each time a period of 90 to 110 %, evenly: 50 000 objects in ten minutes are 83 a second, not
 * 50 000 at once. One timer. A key that is new during a walk waits for the next.
 */
export class Resync {
  readonly #options: ResyncOptions;
  #timer: Timer | undefined;
  #keys: readonly string[] = [];
  #done = 0;
  #beganAt = 0;
  #lengthMs = 0;

  constructor(options: ResyncOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, random, periodMs, keys } = this.#options;
    this.#keys = [...keys()];
    this.#done = 0;
    this.#beganAt = clock.monotonic();
    this.#lengthMs = periodMs * (0.9 + 0.2 * random());
    this.#arm();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** For when the next key is due, but not sooner than the shortest step; the walk's end when there is none. */
  #arm(): void {
    const { clock } = this.#options;
    const gapMs = this.#lengthMs / Math.max(this.#keys.length, 1);
    const dueAt = this.#beganAt + Math.min((this.#done + 1) * gapMs, this.#lengthMs);
    const waitMs = Math.max(dueAt - clock.monotonic(), Math.min(SHORTEST_STEP_MS, this.#lengthMs));
    this.#timer = clock.setTimer(() => this.#step(), waitMs);
  }

  #step(): void {
    const elapsed = (this.#options.clock.monotonic() - this.#beganAt) / this.#lengthMs;
    const due = Math.floor(Math.min(elapsed, 1) * this.#keys.length);
    if (due > this.#done) this.#options.sync(this.#keys.slice(this.#done, due));
    this.#done = due;
    if (elapsed >= 1) this.start();
    else this.#arm();
  }
}
