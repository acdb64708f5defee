import type { DelayedAdd } from "./queue-entry.ts";
import type { Trigger } from "./trigger.ts";

/** Everything the priority queue knows of one key, from its first add until no worker has it and nothing is left to do. */
export interface Item<K> {
  readonly key: K;
  /** What is next for the key: nothing, an add whose time has not come, or work now. */
  next: "nothing" | "waiting" | "work";
  running: boolean;
  /** Monotonic milliseconds; only while running. */
  startedAt: number;
  priority: number;
  triggers: Trigger[];
  moreTriggers: number;
  addedAt: number;
  readyAt: number;
  /** The delayed add that is waited for, or whose time came. */
  delayed: DelayedAdd | undefined;
  /** Only while a worker could have it: since when, and its place in the order of becoming so. */
  offeredAt: number;
  sequence: number;
  heapIndex: number;
  /** Neighbours in the one list that it is in: offered, or running. */
  newer: Item<K> | undefined;
  older: Item<K> | undefined;
}

export function newItem<K>(key: K): Item<K> {
  return {
    key,
    next: "nothing",
    running: false,
    startedAt: 0,
    priority: 0,
    triggers: [],
    moreTriggers: 0,
    addedAt: 0,
    readyAt: 0,
    delayed: undefined,
    offeredAt: 0,
    sequence: 0,
    heapIndex: 0,
    newer: undefined,
    older: undefined,
  };
}

/** Items in the order in which they were put in. The links are the items' own, so that any of them leaves in constant time. */
export class ItemList<K> {
  #oldest: Item<K> | undefined;
  #newest: Item<K> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get oldest(): Item<K> | undefined {
    return this.#oldest;
  }

  append(item: Item<K>): void {
    item.older = this.#newest;
    item.newer = undefined;
    if (this.#newest) this.#newest.newer = item;
    else this.#oldest = item;
    this.#newest = item;
    this.#size += 1;
  }

  remove(item: Item<K>): void {
    if (item.older) item.older.newer = item.newer;
    else this.#oldest = item.newer;
    if (item.newer) item.newer.older = item.older;
    else this.#newest = item.older;
    item.older = undefined;
    item.newer = undefined;
    this.#size -= 1;
  }

  *[Symbol.iterator](): Generator<Item<K>> {
    for (let item = this.#oldest; item; item = item.newer) yield item;
  }
}
