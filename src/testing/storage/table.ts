import type { StoredObject } from "./stored-object.ts";

/** The objects of one kind by `namespace/name`. Lists come in the order of keys, as etcd keeps them. */
export class Table {
  readonly #objects: Map<string, StoredObject> = new Map();
  #sorted: StoredObject[] | undefined;

  get(key: string): StoredObject | undefined {
    return this.#objects.get(key);
  }

  set(key: string, object: StoredObject | undefined): void {
    this.#sorted = undefined;
    if (object) this.#objects.set(key, object);
    else this.#objects.delete(key);
  }

  /** All of them now. The array is never changed afterwards. */
  sorted(): readonly StoredObject[] {
    this.#sorted ??= inOrder(this.#objects);
    return this.#sorted;
  }

  /** All of them, with other contents (or none) at some keys. */
  sortedWith(others: ReadonlyMap<string, StoredObject | undefined>): readonly StoredObject[] {
    const objects = new Map(this.#objects);
    for (const [key, object] of others) {
      if (object) objects.set(key, object);
      else objects.delete(key);
    }
    return inOrder(objects);
  }
}

function inOrder(objects: ReadonlyMap<string, StoredObject>): StoredObject[] {
  const keys = [...objects.keys()].sort();
  return keys.map((key) => objects.get(key) as StoredObject);
}
