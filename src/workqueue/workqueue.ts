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

/** What the queue knows of one key. */
interface KeyRecord<K> {
  readonly key: K;
  /** Needs work: it is queued, or with a worker and to be queued again. */
  dirty: boolean;
  /** With a worker. */
  processing: boolean;
  /** Monotonic milliseconds of the add that made it dirty, and since when a worker has it. */
  addedAt: number;
  startedAt: number;
}

/**
 * Keys come back, and finding a record again costs half of making and forgetting one. So this many stay when there is nothing to
 * do for their keys: about 2 MB, also where keys never come back.
 */
const KEPT_RECORDS = 16_384;

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
  readonly #records: Map<K, KeyRecord<K>> = new Map();
  readonly #queue: Fifo<KeyRecord<K>> = new Fifo();
  readonly #processing: Set<KeyRecord<K>> = new Set();
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
    if (this.#shuttingDown) return;
    let record = this.#records.get(key);
    if (!record) {
      record = { key, dirty: false, processing: false, addedAt: 0, startedAt: 0 };
      this.#records.set(key, record);
    }
    if (record.dirty) return;
    record.dirty = true;
    record.addedAt = this.#now();
    this.#metrics?.added();
    if (!record.processing) this.#push(record);
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
    const record = this.#queue.shift();
    if (!record) return undefined;
    record.dirty = false;
    record.processing = true;
    record.startedAt = this.#now();
    this.#processing.add(record);
    this.#metrics?.got(record.startedAt - record.addedAt);
    return record.key;
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
    const record = this.#records.get(key);
    if (!record?.processing) return;
    record.processing = false;
    this.#processing.delete(record);
    this.#metrics?.finished(this.#now() - record.startedAt);
    if (record.dirty) this.#push(record);
    else if (this.#records.size > KEPT_RECORDS) this.#records.delete(key);
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

  #push(record: KeyRecord<K>): void {
    this.#queue.push(record);
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
    for (const { startedAt } of this.#processing) {
      totalMs += now - startedAt;
      longestMs = Math.max(longestMs, now - startedAt);
    }
    return { totalMs, longestMs };
  }
}
