import {
  compareVersions,
  type DeepReadonly,
  keyOf,
  type KubeObject,
  type ObjectRef,
  refOf,
} from "../resources/index.ts";
import type { Lister, Owner } from "./api.ts";
import { Contents } from "./contents.ts";

/**
 * The local copy and the version it stands at. Written by the informer alone, delta by delta; the version is always that of the
 * last delta applied, never ahead of it. It is overwritten, not raised: after the server's history went back it goes back too.
 */
export class Store<T extends KubeObject> implements Lister<T> {
  #contents: Contents<T>;
  #version = "";

  constructor(labelIndices: Iterable<string> = []) {
    this.#contents = new Contents(labelIndices);
  }

  /** "" before the first list. */
  get version(): string {
    return this.#version;
  }

  get size(): number {
    return this.#contents.size;
  }

  /** True when a write of `version` is in the store, and when nobody can tell. False before the first list. */
  reached(version: string): boolean {
    return this.#version !== "" && compareVersions(this.#version, version) !== -1;
  }

  get(ref: ObjectRef | string): DeepReadonly<T> | undefined {
    return this.#contents.get(toRef(ref));
  }

  list(namespace?: string): readonly DeepReadonly<T>[] {
    return this.#contents.list(namespace);
  }

  ownedBy(owner: Owner | string): readonly DeepReadonly<T>[] {
    if (typeof owner === "string") return this.#contents.ownedBy(owner);
    return this.#contents.ownedBy(owner.metadata.uid, owner.metadata.namespace);
  }

  byLabel(label: string, value: string): readonly DeepReadonly<T>[] {
    return this.#contents.byLabel(label, value);
  }

  unreadable(ref: ObjectRef | string): string | undefined {
    return this.#contents.unreadable(toRef(ref));
  }

  /** A snapshot. */
  keys(): string[] {
    return this.#contents.list().map(({ metadata }) => keyOf(metadata));
  }

  values(): Iterable<DeepReadonly<T>> {
    return this.#contents.values();
  }

  /** Empty contents with this store's indices, to be filled by a list and given to `swap`. */
  draft(): Contents<T> {
    return new Contents(this.#contents.labels());
  }

  /** Returns the object that was there before. */
  put(object: DeepReadonly<T>, unreadable?: string): DeepReadonly<T> | undefined {
    this.bookmark(object.metadata.resourceVersion);
    return this.#contents.set(object, unreadable);
  }

  /** `version` is that of the delete itself. Returns the object that was there before. */
  remove(ref: ObjectRef, version: string): DeepReadonly<T> | undefined {
    this.bookmark(version);
    return this.#contents.delete(ref);
  }

  /** Readers see all of the new contents from here on. Returns the old. */
  swap(contents: Contents<T>, version: string): Contents<T> {
    const previous = this.#contents;
    this.#contents = contents;
    this.bookmark(version);
    return previous;
  }

  /** An object without a version says nothing about where the store stands. */
  bookmark(version: string): void {
    if (version) this.#version = version;
  }
}

function toRef(ref: ObjectRef | string): ObjectRef {
  return typeof ref === "string" ? refOf(ref) : ref;
}
