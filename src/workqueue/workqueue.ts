import type { Clock } from "../base/index.ts";
import { type Env, resolveEnv } from "../telemetry/index.ts";
import { DelayHeap } from "./delay-heap.ts";
import { Fifo } from "./fifo.ts";
import { QueueMetrics, type RunningWork } from "./queue-metrics.ts";
import { clientGoLimiter, type RateLimiter } from "./rate-limiter.ts";
import { Waiters } from "./waiters.ts";

export interface WorkqueueOptions<K> {
  /** Label of its metrics. A queue without a name measures nothing. */
  name?: string;
  /** client-go's default for controllers unless given. */
  limiter?: RateLimiter<K>;
  env?: Partial<Env>;
}

/**
 * A queue of keys with client-go's semantics (https://pkg.go.dev/k8s.io/client-go/util/workqueue).
 *
 * Promises: a key is in it at most once and with at most one worker; a key added while a worker has it is handed out again after
 * `done`; first in, first out. Delayed keys are apart: the earlier of two times wins, an immediate add does not take the delayed
 * one away, and neither `size` nor the depth counts them. Does not remember why a key was added: `PriorityQueue` does.
 * Called by event handlers (`add`) and by workers, each of which loops over `tryGet` or `get`, work, `forget` or
 * `addRateLimited`, and `done`.
 */
export class Workqueue<K extends {} = string> {
  readonly #clock: Clock;
  readonly #limiter: RateLimiter<K>;
  readonly #metrics: QueueMetrics | undefined;
  readonly #queue: Fifo<K> = new Fifo();
  /** Needs work, and since when; in the queue, or with a worker and to be queued again. */
  readonly #dirty: Map<K, number> = new Map();
  /** With a worker, and since when. */
  readonly #processing: Map<K, number> = new Map();
  readonly #delayed: DelayHeap<K>;
  readonly #waiters: Waiters = new Waiters();
  #shuttingDown = false;
  #drained: (() => void)[] = [];

  constructor(options: WorkqueueOptions<K> = {}) {
    const { clock, meter } = resolveEnv(options.env);
    this.#clock = clock;
    this.#limiter = options.limiter ?? clientGoLimiter(clock);
    this.#delayed = new DelayHeap(clock, (key) => this.add(key));
    if (options.name) {
      this.#metrics = new QueueMetrics({ name: options.name, controller: options.name }, meter, () => this.#running());
    }
  }

  /** Keys that a worker could have now. */
  get size(): number {
    return this.#queue.size;
  }

  get shuttingDown(): boolean {
    return this.#shuttingDown;
  }

  add(key: K): void {
    if (this.#shuttingDown || this.#dirty.has(key)) return;
    this.#dirty.set(key, this.#now());
    this.#metrics?.added();
    if (!this.#processing.has(key)) this.#push(key);
  }

  /** Adds `key` once `delayMs` are over, at once if that is not above 0. */
  addAfter(key: K, delayMs: number): void {
    if (this.#shuttingDown) return;
    this.#metrics?.retried();
    if (!(delayMs > 0)) return this.add(key);
    const dueAt = this.#clock.monotonic() + delayMs;
    const before = this.#delayed.dueAt(key);
    if (before === undefined || dueAt < before) this.#delayed.set(key, dueAt);
  }

  /** Adds `key` after the limiter's delay for its number of failures. */
  addRateLimited(key: K): void {
    this.addAfter(key, this.#limiter.when(key));
  }

  /** Sets the failures of `key` to none. Does not take it out of the queue. */
  forget(key: K): void {
    this.#limiter.forget(key);
  }

  numRequeues(key: K): number {
    return this.#limiter.numRequeues(key);
  }

  /** The next key if there is one now. Each key taken must be given back with `done`. */
  tryGet(): K | undefined {
    const key = this.#queue.shift();
    if (key === undefined) return undefined;
    const now = this.#now();
    this.#metrics?.got(now - (this.#dirty.get(key) ?? now));
    this.#dirty.delete(key);
    this.#processing.set(key, now);
    return key;
  }

  /** Waits for the next key. Undefined when the queue is shut down and empty, or as soon as `signal` aborts. */
  async get(signal?: AbortSignal): Promise<K | undefined> {
    const aborted = (): boolean => signal?.aborted === true;
    while (!aborted()) {
      const key = this.tryGet();
      if (key !== undefined || this.#shuttingDown) return key;
      await this.#waiters.wait(signal);
    }
    // It may have been woken for a key that it no longer takes.
    if (this.size > 0) this.#waiters.wakeOne();
    return undefined;
  }

  /** The worker has finished with `key`; it is queued again if it was added meanwhile. Nothing happens if no worker has it. */
  done(key: K): void {
    const startedAt = this.#processing.get(key);
    if (startedAt === undefined) return;
    this.#processing.delete(key);
    this.#metrics?.finished(this.#now() - startedAt);
    if (this.#dirty.has(key)) this.#push(key);
    if (this.#processing.size > 0 || !this.#shuttingDown) return;
    this.#endDrain();
    if (this.size === 0) this.#metrics?.close();
  }

  /** Takes no more keys; what is queued is still handed out, what is delayed is lost. Ends the wait of `shutDownWithDrain`. */
  shutDown(): void {
    this.#stop();
    this.#endDrain();
  }

  /** As `shutDown`, and resolves once no worker has a key, or when `shutDown` is called. */
  shutDownWithDrain(): Promise<void> {
    this.#stop();
    if (this.#processing.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  [Symbol.dispose](): void {
    this.shutDown();
  }

  #push(key: K): void {
    this.#queue.push(key);
    this.#waiters.wakeOne();
  }

  #stop(): void {
    if (this.#shuttingDown) return;
    this.#shuttingDown = true;
    this.#delayed.clear();
    this.#waiters.wakeAll();
    if (this.#processing.size === 0 && this.size === 0) this.#metrics?.close();
  }

  #endDrain(): void {
    for (const resolve of this.#drained) resolve();
    this.#drained = [];
  }

  /** Times are needed for the metrics only. */
  #now(): number {
    return this.#metrics ? this.#clock.monotonic() : 0;
  }

  #running(): RunningWork {
    const now = this.#now();
    let totalMs = 0;
    let longestMs = 0;
    for (const startedAt of this.#processing.values()) {
      totalMs += now - startedAt;
      longestMs = Math.max(longestMs, now - startedAt);
    }
    return { totalMs, longestMs };
  }
}
