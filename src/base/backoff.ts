import type { Clock } from "./clock.ts";
import type { Random } from "./random.ts";

export interface BackoffOptions {
  /** First delay, milliseconds. */
  baseMs: number;
  /** No delay before jitter is longer than this. */
  maxMs: number;
  /** Growth per step; 2 unless given. */
  factor?: number;
  /** Each delay is multiplied by a random number in [1, 1 + jitter); 0 unless given. */
  jitter?: number;
  /** Start again from `baseMs` when `next()` was not asked for this long. Never, unless given. */
  resetAfterMs?: number;
}

/**
 * Growing delays between tries of one thing. The reflector's values are those of client-go: 800 ms doubling to 30 s, jitter 1,
 * forgotten after two quiet minutes.
 */
export class Backoff {
  readonly #options: BackoffOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  #step = 0;
  #lastAsked: number | undefined;

  constructor(options: BackoffOptions, env: { clock: Clock; random: Random }) {
    this.#options = options;
    this.#clock = env.clock;
    this.#random = env.random;
  }

  /** The next delay in milliseconds; each call counts as one more failure. */
  next(): number {
    const { baseMs, maxMs, factor = 2, jitter = 0, resetAfterMs = Number.POSITIVE_INFINITY } = this.#options;
    const now = this.#clock.monotonic();
    if (this.#lastAsked !== undefined && now - this.#lastAsked > resetAfterMs) this.#step = 0;
    this.#lastAsked = now;
    const delay = Math.min(baseMs * factor ** this.#step, maxMs);
    this.#step += 1;
    return delay * (1 + this.#random() * jitter);
  }

  reset(): void {
    this.#step = 0;
  }
}
