import { type Clock, sleep } from "../base/index.ts";

/** A token bucket over calls: `burst` at once, then `qps` a second, in the order in which they asked. 0 qps: no limit. */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #msPerToken: number;
  readonly #burst: number;
  /** When the bucket is, or will be, full again (monotonic). Each token taken moves it on by one token's time. */
  #fullAt: number;

  constructor(options: { qps: number; burst: number; clock: Clock }) {
    this.#clock = options.clock;
    this.#msPerToken = options.qps > 0 ? 1_000 / options.qps : 0;
    this.#burst = Math.max(options.burst, 1);
    this.#fullAt = options.clock.monotonic();
  }

  /** Resolves with the milliseconds waited; rejects with the signal's reason. A token asked for is spent either way. */
  async take(signal?: AbortSignal): Promise<number> {
    if (this.#msPerToken === 0) return 0;
    const now = this.#clock.monotonic();
    this.#fullAt = Math.max(this.#fullAt, now) + this.#msPerToken;
    const delayMs = this.#fullAt - this.#burst * this.#msPerToken - now;
    if (delayMs <= 0) return 0;
    await sleep(this.#clock, delayMs, signal);
    return delayMs;
  }
}
