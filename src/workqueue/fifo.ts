/** Freed places at the front are kept up to this many; beyond it they are given up once they are half of all. */
const KEPT_PLACES = 1_024;

/** First in, first out, in amortised constant time (an array's own shift moves every element). */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head] = undefined;
    this.#head += 1;
    if (this.size === 0) {
      this.#items.length = 0;
      this.#head = 0;
    } else if (this.#head > KEPT_PLACES && this.#head > this.size) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
