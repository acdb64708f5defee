import type { Item } from "./item.ts";

/**
 * The items that a worker could have, most urgent first: the higher priority, then the one offered earlier. A binary heap that
 * keeps each item's place in the item itself: no look-up by key and no allocation on the way of every entry.
 */
export class OfferHeap<K> {
  readonly #items: Item<K>[] = [];

  get size(): number {
    return this.#items.length;
  }

  get first(): Item<K> | undefined {
    return this.#items[0];
  }

  push(item: Item<K>): void {
    this.#items.push(item);
    this.#rise(item, this.#items.length - 1);
  }

  /** Call after its priority was raised. */
  raised(item: Item<K>): void {
    this.#rise(item, item.heapIndex);
  }

  remove(item: Item<K>): void {
    const last = this.#items.pop();
    if (!last || last === item) return;
    const hole = item.heapIndex;
    this.#rise(last, hole);
    if (last.heapIndex === hole) this.#sink(last, hole);
  }

  #rise(item: Item<K>, from: number): void {
    let at = from;
    while (at > 0) {
      const up = (at - 1) >> 1;
      const parent = this.#items[up] as Item<K>;
      if (!before(item, parent)) break;
      this.#put(parent, at);
      at = up;
    }
    this.#put(item, at);
  }

  #sink(item: Item<K>, from: number): void {
    let at = from;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= this.#items.length) break;
      let down = this.#items[left] as Item<K>;
      const right = this.#items[left + 1];
      if (right && before(right, down)) down = right;
      if (!before(down, item)) break;
      const next = down.heapIndex;
      this.#put(down, at);
      at = next;
    }
    this.#put(item, at);
  }

  #put(item: Item<K>, at: number): void {
    this.#items[at] = item;
    item.heapIndex = at;
  }
}

function before<K>(a: Item<K>, b: Item<K>): boolean {
  return a.priority > b.priority || (a.priority === b.priority && a.sequence < b.sequence);
}
