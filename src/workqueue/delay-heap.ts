import { type Clock, KeyedHeap, type Timer } from "../base/index.ts";

/**
 * Keys that wait for their time, with one timer for all of them. A key leaves when `release` (which the timer calls too) finds it
 * due, earliest first, or when it is deleted. Timers are not moved back when the earliest key is deleted: one fires for nothing.
 */
export class DelayHeap<K> {
  readonly #clock: Clock;
  readonly #onDue: (key: K, now: number) => void;
  #heap: KeyedHeap<K> = new KeyedHeap();
  #timer: Timer | undefined;
  #timerAt: number = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, onDue: (key: K, now: number) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  get size(): number {
    return this.#heap.size;
  }

  dueAt(key: K): number | undefined {
    return this.#heap.orderOf(key);
  }

  /** Lets `key` wait until `dueAt` (monotonic milliseconds), whatever it waited for before. */
  set(key: K, dueAt: number): void {
    this.#heap.set(key, dueAt);
    this.#arm();
  }

  delete(key: K): void {
    this.#heap.delete(key);
  }

  /** Hands every key that is due to `onDue`. Cheap when none is. */
  release(now: number): void {
    for (let first = this.#heap.peek(); first && first.order <= now; first = this.#heap.peek()) {
      this.#heap.delete(first.key);
      this.#onDue(first.key, now);
    }
  }

  clear(): void {
    this.#timer?.cancel();
    this.#timerAt = Number.POSITIVE_INFINITY;
    this.#heap = new KeyedHeap();
  }

  #arm(): void {
    const first = this.#heap.peek();
    if (!first || first.order >= this.#timerAt) return;
    this.#timer?.cancel();
    this.#timerAt = first.order;
    this.#timer = this.#clock.setTimer(() => this.#fire(), first.order - this.#clock.monotonic());
  }

  #fire(): void {
    this.#timerAt = Number.POSITIVE_INFINITY;
    this.release(this.#clock.monotonic());
    this.#arm();
  }
}
