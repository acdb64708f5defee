/**
 * A binary min-heap of keyed entries: one entry a key, whose order can be changed or removed in O(log n).
 * Ties leave in the order they were put in.
 */
export class KeyedHeap<K> {
  readonly #entries: HeapEntry<K>[] = [];
  readonly #positions: Map<K, number> = new Map();
  #sequence = 0;

  get size(): number {
    return this.#entries.length;
  }

  has(key: K): boolean {
    return this.#positions.has(key);
  }

  /** The order that `key` has, or undefined when it is not in the heap. */
  orderOf(key: K): number | undefined {
    const at = this.#positions.get(key);
    return at === undefined ? undefined : this.#entries[at]?.order;
  }

  peek(): { key: K; order: number } | undefined {
    return this.#entries[0];
  }

  /** Puts `key` in, or moves it when it is there already. */
  set(key: K, order: number): void {
    const at = this.#positions.get(key);
    if (at === undefined) {
      this.#entries.push({ key, order, sequence: this.#sequence++ });
      this.#positions.set(key, this.#entries.length - 1);
      this.#rise(this.#entries.length - 1);
      return;
    }
    this.#at(at).order = order;
    this.#rise(at);
    this.#sink(this.#positions.get(key) ?? at);
  }

  pop(): { key: K; order: number } | undefined {
    const first = this.#entries[0];
    if (first) this.delete(first.key);
    return first;
  }

  delete(key: K): boolean {
    const at = this.#positions.get(key);
    if (at === undefined) return false;
    const last = this.#entries.pop();
    this.#positions.delete(key);
    if (last && at < this.#entries.length) {
      this.#entries[at] = last;
      this.#positions.set(last.key, at);
      this.#rise(at);
      this.#sink(this.#positions.get(last.key) ?? at);
    }
    return true;
  }

  #rise(from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#before(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(from: number): void {
    let at = from;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      let least = at;
      if (left < this.#entries.length && this.#before(left, least)) least = left;
      if (right < this.#entries.length && this.#before(right, least)) least = right;
      if (least === at) return;
      this.#swap(at, least);
      at = least;
    }
  }

  #before(a: number, b: number): boolean {
    const x = this.#at(a);
    const y = this.#at(b);
    return x.order < y.order || (x.order === y.order && x.sequence < y.sequence);
  }

  #swap(a: number, b: number): void {
    const x = this.#at(a);
    const y = this.#at(b);
    this.#entries[a] = y;
    this.#entries[b] = x;
    this.#positions.set(x.key, b);
    this.#positions.set(y.key, a);
  }

  #at(index: number): HeapEntry<K> {
    return this.#entries[index] as HeapEntry<K>;
  }
}

interface HeapEntry<K> {
  readonly key: K;
  order: number;
  readonly sequence: number;
}
