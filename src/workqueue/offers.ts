import { type Item, ItemList } from "./item.ts";
import { OfferHeap } from "./offer-heap.ts";

/** Every how many hand-outs, at least, one goes to the entry that has waited longest, once that is aged. */
const AGED_SHARE = 10;

/**
 * Who is next: the entry of the highest priority, earliest first. **Ageing** keeps that from starving the rest: while the entry
 * that was offered longest ago has waited `agingMs` or more, it is handed out at the latest as every tenth.
 *
 * So an entry with m older ones before it leaves, once aged, within 10 (m + 1) hand-outs, whatever is added meanwhile; and changes
 * still overtake the thousands of entries of an initial list, which all age together: letting aged entries simply count as
 * priority 0 would put every change behind that whole list, which is what the low priority is there to prevent. A tenth is
 * little enough for urgent work at 90 % load to keep up, and enough for a few low entries under overload to leave within
 * seconds (the starvation of https://github.com/kubernetes-sigs/controller-runtime/issues/3496).
 *
 * All steps cost O(log n) at most.
 */
export class Offers<K> {
  readonly #agingMs: number;
  readonly #byUrgency: OfferHeap<K> = new OfferHeap();
  readonly #byAge: ItemList<K> = new ItemList();
  #sequence = 0;
  /** Hand-outs since the longest waiting entry was last chosen, counted while it is aged. */
  #passedOver = 0;

  constructor(agingMs: number) {
    this.#agingMs = agingMs;
  }

  get size(): number {
    return this.#byAge.size;
  }

  get oldest(): Item<K> | undefined {
    return this.#byAge.oldest;
  }

  add(item: Item<K>, now: number): void {
    item.offeredAt = now;
    item.sequence = this.#sequence++;
    this.#byUrgency.push(item);
    this.#byAge.append(item);
  }

  /** Call after its priority was raised. It keeps its place in time. */
  raised(item: Item<K>): void {
    this.#byUrgency.raised(item);
  }

  take(now: number): Item<K> | undefined {
    const item = this.#choose(now);
    if (item) this.remove(item);
    return item;
  }

  remove(item: Item<K>): void {
    this.#byUrgency.remove(item);
    this.#byAge.remove(item);
  }

  #choose(now: number): Item<K> | undefined {
    const urgent = this.#byUrgency.first;
    const oldest = this.#byAge.oldest;
    if (!oldest || oldest === urgent) {
      this.#passedOver = 0;
      return oldest;
    }
    if (now - oldest.offeredAt < this.#agingMs) return urgent;
    this.#passedOver += 1;
    if (this.#passedOver < AGED_SHARE) return urgent;
    this.#passedOver = 0;
    return oldest;
  }
}
