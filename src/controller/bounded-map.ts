/** A map that forgets the entry unused for longest when it is full. Reading counts as use. */
export class BoundedMap<K, V> {
  readonly #capacity: number;
  readonly #entries: Map<K, V> = new Map();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#capacity) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  /** Reading them this way does not count as use. */
  values(): MapIterator<V> {
    return this.#entries.values();
  }
}
