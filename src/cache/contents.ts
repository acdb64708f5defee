import { controllerOf, type DeepReadonly, type KubeObject } from "../resources/index.ts";
import { KeyIndex } from "./key-index.ts";

/**
 * The objects of one kind under their keys, with the indices that readers ask for. The store holds one; a list builds the next one
 * aside, so that readers see either the old or the new.
 */
export class Contents<T extends KubeObject> {
  readonly #objects: Map<string, DeepReadonly<T>> = new Map();
  readonly #owners: KeyIndex = new KeyIndex();
  readonly #labels: Map<string, KeyIndex> = new Map();
  /** Objects of which only the metadata is here, with the reason. */
  readonly #unreadable: Map<string, string> = new Map();

  constructor(labels: Iterable<string> = []) {
    for (const label of labels) this.#labels.set(label, new KeyIndex());
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): DeepReadonly<T> | undefined {
    return this.#objects.get(key);
  }

  has(key: string): boolean {
    return this.#objects.has(key);
  }

  entries(): MapIterator<[string, DeepReadonly<T>]> {
    return this.#objects.entries();
  }

  keys(): MapIterator<string> {
    return this.#objects.keys();
  }

  values(): MapIterator<DeepReadonly<T>> {
    return this.#objects.values();
  }

  unreadable(key: string): string | undefined {
    return this.#unreadable.get(key);
  }

  /** Returns what was there before. `unreadable`: the object is its metadata only, for this reason. */
  set(key: string, object: DeepReadonly<T>, unreadable?: string): DeepReadonly<T> | undefined {
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    this.#owners.move(key, ownerUid(old), ownerUid(object));
    for (const [label, index] of this.#labels) {
      index.move(key, old?.metadata.labels?.[label], object.metadata.labels?.[label]);
    }
    if (unreadable !== undefined) this.#unreadable.set(key, unreadable);
    else if (this.#unreadable.size > 0) this.#unreadable.delete(key);
    return old;
  }

  delete(key: string): DeepReadonly<T> | undefined {
    const old = this.#objects.get(key);
    if (old === undefined) return undefined;
    this.#objects.delete(key);
    this.#owners.move(key, ownerUid(old), undefined);
    for (const [label, index] of this.#labels) index.move(key, old.metadata.labels?.[label], undefined);
    this.#unreadable.delete(key);
    return old;
  }

  ownedBy(uid: string): DeepReadonly<T>[] {
    return this.#pick(this.#owners.keys(uid));
  }

  byLabel(label: string, value: string): DeepReadonly<T>[] {
    return this.#pick(this.#labelIndex(label).keys(value));
  }

  labels(): Iterable<string> {
    return this.#labels.keys();
  }

  #labelIndex(label: string): KeyIndex {
    const known = this.#labels.get(label);
    if (known) return known;
    const index = new KeyIndex();
    for (const [key, object] of this.#objects) index.move(key, undefined, object.metadata.labels?.[label]);
    this.#labels.set(label, index);
    return index;
  }

  #pick(keys: Iterable<string>): DeepReadonly<T>[] {
    const picked: DeepReadonly<T>[] = [];
    for (const key of keys) {
      const object = this.#objects.get(key);
      if (object) picked.push(object);
    }
    return picked;
  }
}

function ownerUid(object: DeepReadonly<KubeObject> | undefined): string | undefined {
  return object?.metadata.ownerReferences === undefined ? undefined : controllerOf(object)?.uid;
}
