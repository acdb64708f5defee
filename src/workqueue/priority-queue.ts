import type { Clock } from "../base/index.ts";
import { type Env, resolveEnv } from "../telemetry/index.ts";
import { DelayHeap } from "./delay-heap.ts";
import { type Item, ItemList, newItem } from "./item.ts";
import { Offers } from "./offers.ts";
import type { DelayedAdd, QueueEntry, QueueStatus, WaitingEntry } from "./queue-entry.ts";
import { QueueMetrics, type RunningWork } from "./queue-metrics.ts";
import { controllerRuntimeLimiter, type RateLimiter } from "./rate-limiter.ts";
import { mergeTrigger, type Trigger } from "./trigger.ts";
import { Waiters } from "./waiters.ts";

/** For work that may wait: objects of the initial list and of a resync. Everything else is 0. */
export const LOW_PRIORITY = -100;

export interface PriorityQueueOptions<K> {
  /** Label of its metrics. */
  name: string;
  /** The controller that it belongs to; `name` unless given. */
  controller?: string;
  /** controller-runtime's default unless given. */
  limiter?: RateLimiter<K>;
  /** Milliseconds after which an entry is aged: handed out in its turn although more urgent ones wait. 10 s unless given. */
  agingMs?: number;
  /** A delayed add will not happen: an immediate add, or a delayed one that is due earlier, covers it. */
  onSuperseded?: (key: K, delayed: DelayedAdd) => void;
  /** A delayed add will not be worked on: the queue was shut down first. */
  onDropped?: (key: K, delayed: DelayedAdd) => void;
  env?: Partial<Env>;
}

export interface AddOptions {
  readonly trigger: Trigger;
  /** Any integer, the higher the sooner; 0 unless given. */
  readonly priority?: number;
}

/**
 * A controller's queue, after controller-runtime's priority queue: one entry a key, with everything that was merged into it.
 *
 * Promises: a key is with one worker at most; what is added meanwhile is handed out after `done`, as one entry. Higher priority
 * first, then the one ready earlier; no entry waits for ever (see `Offers`). An immediate add absorbs the key's delayed one, of
 * two delayed ones the earlier stays, and each absorbed one is told to `onSuperseded`: it is no cause of what follows, so its
 * trigger is not merged, but its priority is, since adding a key again raises its priority and never lowers it.
 * Every delayed add ends in exactly one of: handed out as an entry's `requeue`, `onSuperseded`, `onDropped`.
 * Does not promise that adds within one turn of the event loop are handed out one by one: they merge.
 * Called by event handlers (`add`) and by workers, each of which loops over `tryGet` or `get`, a pass, `forget`, `addAfter` or
 * `addRateLimited`, and `done`.
 */
export class PriorityQueue<K = string> {
  readonly name: string;
  readonly controller: string;
  readonly #clock: Clock;
  readonly #limiter: RateLimiter<K>;
  readonly #metrics: QueueMetrics;
  readonly #onSuperseded: (key: K, delayed: DelayedAdd) => void;
  readonly #onDropped: (key: K, delayed: DelayedAdd) => void;
  readonly #items: Map<K, Item<K>> = new Map();
  readonly #offers: Offers<K>;
  readonly #running: ItemList<K> = new ItemList();
  readonly #delays: DelayHeap<K>;
  readonly #waiters: Waiters = new Waiters();
  #shutDown = false;

  constructor(options: PriorityQueueOptions<K>) {
    const { clock, meter } = resolveEnv(options.env);
    this.name = options.name;
    this.controller = options.controller ?? options.name;
    this.#clock = clock;
    this.#limiter = options.limiter ?? controllerRuntimeLimiter();
    this.#onSuperseded = options.onSuperseded ?? (() => {});
    this.#onDropped = options.onDropped ?? (() => {});
    this.#offers = new Offers(options.agingMs ?? 10_000);
    this.#delays = new DelayHeap(clock, (key, now) => this.#due(key, now));
    const labels = { name: this.name, controller: this.controller };
    this.#metrics = new QueueMetrics(labels, meter, () => this.#runningWork());
  }

  /** Keys that a worker could have now. */
  get size(): number {
    return this.#offers.size;
  }

  add(key: K, { trigger, priority = 0 }: AddOptions): void {
    if (this.#shutDown) return;
    const now = this.#clock.monotonic();
    this.#delays.release(now);
    const item = this.#itemFor(key, priority);
    const absorbed = item.next === "waiting" ? this.#stopWaiting(item) : undefined;
    item.moreTriggers += mergeTrigger(item.triggers, trigger);
    if (item.next !== "work") this.#needsWork(item, now, now);
    if (absorbed) this.#onSuperseded(key, absorbed);
  }

  /** Adds `key` once `delayMs` are over, at once if that is not above 0. */
  addAfter(key: K, delayMs: number, { trigger, priority = 0 }: AddOptions): void {
    const now = this.#clock.monotonic();
    const delay = delayMs > 0 ? delayMs : 0;
    const delayed: DelayedAdd = { trigger, askedAt: now, delayMs: delay, dueAt: now + delay };
    if (this.#shutDown) return this.#onDropped(key, delayed);
    this.#delays.release(now);
    if (delay > 0) this.#metrics.retried();
    const item = this.#itemFor(key, priority);
    const waiting = item.next === "waiting" ? item.delayed : undefined;
    if (item.next === "work" || (waiting && waiting.dueAt <= delayed.dueAt)) return this.#onSuperseded(key, delayed);
    item.next = "waiting";
    item.delayed = delayed;
    if (delay > 0) this.#delays.set(key, delayed.dueAt);
    else {
      this.#delays.delete(key);
      this.#due(key, now);
    }
    if (waiting) this.#onSuperseded(key, waiting);
  }

  /** Adds `key` after the limiter's delay for its number of failures, and returns that delay in milliseconds. */
  addRateLimited(key: K, options: AddOptions): number {
    const delayMs = this.#limiter.when(key);
    this.addAfter(key, delayMs, options);
    return delayMs;
  }

  /** Sets the failures of `key` to none. Does not take it out of the queue. */
  forget(key: K): void {
    this.#limiter.forget(key);
  }

  numRequeues(key: K): number {
    return this.#limiter.numRequeues(key);
  }

  /** The next entry if there is one now. Each key taken must be given back with `done`. */
  tryGet(): QueueEntry<K> | undefined {
    if (this.#shutDown) return undefined;
    const now = this.#clock.monotonic();
    this.#delays.release(now);
    const item = this.#offers.take(now);
    if (!item) return undefined;
    const { key, priority, triggers, moreTriggers, addedAt, readyAt, delayed: requeue } = item;
    item.next = "nothing";
    item.triggers = [];
    item.moreTriggers = 0;
    item.delayed = undefined;
    item.running = true;
    item.startedAt = now;
    this.#running.append(item);
    this.#metrics.got(now - readyAt, priority);
    return { key, priority, triggers, moreTriggers, addedAt, readyAt, queueMs: now - readyAt, requeue };
  }

  /** Waits for the next entry. Undefined as soon as the queue is shut down or `signal` aborts. */
  async get(signal?: AbortSignal): Promise<QueueEntry<K> | undefined> {
    const stopped = (): boolean => this.#shutDown || signal?.aborted === true;
    while (!stopped()) {
      const entry = this.tryGet();
      if (entry) return entry;
      await this.#waiters.wait(signal);
    }
    // It may have been woken for an entry that it no longer takes.
    if (this.size > 0) this.#waiters.wakeOne();
    return undefined;
  }

  /** The worker has finished with `key`; what was added meanwhile is ready now. Nothing happens if no worker has it. */
  done(key: K): void {
    const item = this.#items.get(key);
    if (!item?.running) return;
    const now = this.#clock.monotonic();
    item.running = false;
    this.#running.remove(item);
    this.#metrics.finished(now - item.startedAt);
    if (item.next === "work") this.#offer(item, now);
    else if (item.next === "nothing") this.#items.delete(key);
    if (this.#shutDown && this.#running.size === 0) this.#metrics.close();
  }

  /** The keys whose time has not come. */
  *waiting(): Generator<WaitingEntry<K>> {
    for (const { key, next, priority, delayed } of this.#items.values()) {
      if (next === "waiting" && delayed) yield { ...delayed, key, priority };
    }
  }

  status(): QueueStatus {
    const now = this.#clock.monotonic();
    const depthByPriority: Record<number, number> = {};
    let depth = 0;
    for (const item of this.#items.values()) {
      if (item.next !== "work") continue;
      depth += 1;
      depthByPriority[item.priority] = (depthByPriority[item.priority] ?? 0) + 1;
    }
    return {
      name: this.name,
      controller: this.controller,
      depth,
      depthByPriority,
      waiting: this.#delays.size,
      running: this.#running.size,
      oldestReadyMs: now - (this.#offers.oldest?.offeredAt ?? now),
      longestRunningMs: this.#runningWork().longestMs,
    };
  }

  /** Takes and hands out nothing more, at once; keys with workers are still to be given back. */
  shutDown(): void {
    if (this.#shutDown) return;
    this.#shutDown = true;
    this.#delays.clear();
    for (const item of this.#items.values()) this.#drop(item);
    if (this.#running.size === 0) this.#metrics.close();
    this.#waiters.wakeAll();
  }

  [Symbol.dispose](): void {
    this.shutDown();
  }

  #itemFor(key: K, priority: number): Item<K> {
    let item = this.#items.get(key);
    if (!item) {
      item = newItem(key);
      this.#items.set(key, item);
    }
    if (item.next === "nothing") item.priority = priority;
    else if (priority > item.priority) this.#raise(item, priority);
    return item;
  }

  #raise(item: Item<K>, priority: number): void {
    const before = item.priority;
    item.priority = priority;
    if (item.next !== "work") return;
    this.#metrics.raised(before, priority);
    if (!item.running) this.#offers.raised(item);
  }

  #stopWaiting(item: Item<K>): DelayedAdd | undefined {
    const { delayed } = item;
    this.#delays.delete(item.key);
    item.next = "nothing";
    item.delayed = undefined;
    return delayed;
  }

  #due(key: K, now: number): void {
    const item = this.#items.get(key);
    if (!item?.delayed) return;
    item.moreTriggers += mergeTrigger(item.triggers, item.delayed.trigger);
    this.#needsWork(item, item.delayed.askedAt, now);
  }

  #needsWork(item: Item<K>, addedAt: number, now: number): void {
    item.next = "work";
    item.addedAt = addedAt;
    item.readyAt = now;
    this.#metrics.added(item.priority);
    if (!item.running) this.#offer(item, now);
  }

  #offer(item: Item<K>, now: number): void {
    this.#offers.add(item, now);
    this.#waiters.wakeOne();
  }

  #drop(item: Item<K>): void {
    const { delayed } = item;
    if (item.next === "work") {
      this.#metrics.dropped(item.priority);
      if (!item.running) this.#offers.remove(item);
    }
    item.next = "nothing";
    item.delayed = undefined;
    if (delayed) this.#onDropped(item.key, delayed);
  }

  #runningWork(): RunningWork {
    const now = this.#clock.monotonic();
    let totalMs = 0;
    for (const item of this.#running) totalMs += now - item.startedAt;
    return { totalMs, longestMs: now - (this.#running.oldest?.startedAt ?? now) };
  }
}
