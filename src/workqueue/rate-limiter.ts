import type { Clock } from "../base/index.ts";

/** How long to wait before a key is tried again. Called by a queue's `addRateLimited`, `forget` and `numRequeues`. */
export interface RateLimiter<K> {
  /** The delay in milliseconds; each call counts as one more failure of `key`. */
  when(key: K): number;
  /** The key has succeeded, or is gone: its failures no longer count. Keys that are never forgotten stay in memory. */
  forget(key: K): void;
  /** Failures of `key` since it was last forgotten. */
  numRequeues(key: K): number;
}

/** `baseMs` doubling with every failure of the key, up to `maxMs`. */
export class ExponentialLimiter<K> implements RateLimiter<K> {
  readonly #failures: Map<K, number> = new Map();
  readonly #baseMs: number;
  readonly #maxMs: number;

  constructor(baseMs: number, maxMs: number) {
    this.#baseMs = baseMs;
    this.#maxMs = maxMs;
  }

  when(key: K): number {
    const failures = this.numRequeues(key);
    this.#failures.set(key, failures + 1);
    return Math.min(this.#baseMs * 2 ** failures, this.#maxMs);
  }

  forget(key: K): void {
    this.#failures.delete(key);
  }

  numRequeues(key: K): number {
    return this.#failures.get(key) ?? 0;
  }
}

/** One bucket of tokens for all keys: `burst` at once, then `qps` a second. Each call reserves the next free token. */
export class BucketLimiter<K> implements RateLimiter<K> {
  readonly #qps: number;
  readonly #burst: number;
  readonly #clock: Clock;
  /** Below zero: so many tokens are reserved that are not there yet. */
  #tokens: number;
  #filledAt: number;

  constructor(qps: number, burst: number, clock: Clock) {
    this.#qps = qps;
    this.#burst = burst;
    this.#clock = clock;
    this.#tokens = burst;
    this.#filledAt = clock.monotonic();
  }

  when(_key: K): number {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#tokens + ((now - this.#filledAt) / 1_000) * this.#qps, this.#burst) - 1;
    this.#filledAt = now;
    return Math.max((-this.#tokens / this.#qps) * 1_000, 0);
  }

  forget(): void {}

  numRequeues(): number {
    return 0;
  }
}

/** The longest delay and the most failures of several limiters; every one of them counts each failure. */
export class MaxOfLimiter<K> implements RateLimiter<K> {
  readonly #limiters: readonly RateLimiter<K>[];

  constructor(...limiters: readonly RateLimiter<K>[]) {
    this.#limiters = limiters;
  }

  when(key: K): number {
    return Math.max(0, ...this.#limiters.map((limiter) => limiter.when(key)));
  }

  forget(key: K): void {
    for (const limiter of this.#limiters) limiter.forget(key);
  }

  numRequeues(key: K): number {
    return Math.max(0, ...this.#limiters.map((limiter) => limiter.numRequeues(key)));
  }
}

/** client-go's default for controllers: 5 ms doubling to 1000 s for each key, and 10 a second (burst 100) for all together. */
export function clientGoLimiter<K>(clock: Clock): RateLimiter<K> {
  return new MaxOfLimiter(new ExponentialLimiter<K>(5, 1_000_000), new BucketLimiter<K>(10, 100, clock));
}

/** controller-runtime's default with its priority queue: 5 ms doubling to 1000 s for each key, nothing shared. */
export function controllerRuntimeLimiter<K>(): RateLimiter<K> {
  return new ExponentialLimiter<K>(5, 1_000_000);
}
