import type { WatchEvent } from "../kube/index.ts";
import { type DeepReadonly, type KubeObject } from "../resources/index.ts";
import type { Contents } from "./contents.ts";
import type { Delta } from "./delta.ts";
import type { Handlers, Registration } from "./handlers.ts";
import type { CacheCounters } from "./metrics.ts";
import type { Store } from "./store.ts";

export interface ProcessorOptions<T extends KubeObject> {
  readonly store: Store<T>;
  readonly handlers: Handlers<T>;
  readonly counters: CacheCounters;
  /** A list is in the store, its differences not yet told. */
  readonly onReplaced: (how: { first: boolean; rewind: boolean }) => void;
}

/** Applies deltas: first to the store, then to the handlers. What takes more than one step is returned as an iterator. */
export class Processor<T extends KubeObject> {
  readonly #options: ProcessorOptions<T>;
  #synced = false;

  constructor(options: ProcessorOptions<T>) {
    this.#options = options;
  }

  /** True once a list is in the store. */
  get synced(): boolean {
    return this.#synced;
  }

  apply(delta: Delta<T>): Iterator<void> | undefined {
    switch (delta.type) {
      case "REPLACED":
        return this.#replace(delta.contents, delta.version, delta.rewind);
      case "JOIN":
        return this.#join(delta.registration);
      case "SYNC":
        this.#sync(delta.key);
        return undefined;
      default:
        this.#event(delta);
        return undefined;
    }
  }

  #event(event: WatchEvent<T>): void {
    switch (event.type) {
      case "BOOKMARK":
        return this.#options.store.bookmark(event.resourceVersion);
      case "DELETED":
        return this.#delete(event.object, false);
      case "OPAQUE":
        // The intake lets none pass that does not name its object.
        if (!event.object) return undefined;
        if (event.change === "DELETED") return this.#delete(event.object, true);
        return this.#put(event.object as DeepReadonly<T>, event.why);
      default:
        return this.#put(event.object);
    }
  }

  #put(object: DeepReadonly<T>, unreadable?: string): void {
    const { store, handlers } = this.#options;
    const old = store.put(object, unreadable);
    handlers.deliver(old ? { type: "update", object, old, cause: "watch" } : { type: "add", object, cause: "watch" });
  }

  /** `opaque`: the event's own object says no more than that it is gone. */
  #delete(object: DeepReadonly<KubeObject>, opaque: boolean): void {
    const { store, handlers } = this.#options;
    const old = store.remove(object.metadata, object.metadata.resourceVersion);
    if (!old) return;
    const last = opaque ? old : (object as DeepReadonly<T>);
    handlers.deliver({ type: "delete", object: last, tombstone: opaque, cause: "watch" });
  }

  #sync(key: string): void {
    const object = this.#options.store.get(key);
    if (object) this.#options.handlers.deliver({ type: "update", object, old: object, cause: "resync" });
  }

  *#replace(contents: Contents<T>, version: string, rewind: boolean): Generator<void> {
    const { store, handlers, counters, onReplaced } = this.#options;
    const first = !this.#synced;
    const cause = first ? "list" : "relist";
    const previous = store.swap(contents, version);
    this.#synced = true;
    onReplaced({ first, rewind });
    for (const object of previous.values()) {
      if (!contents.get(object.metadata)) {
        counters.differences.deleted.inc();
        handlers.deliver({ type: "delete", object, tombstone: true, cause });
      }
      yield;
    }
    for (const object of contents.values()) {
      const { metadata } = object;
      const old = previous.get(metadata);
      if (!old) {
        if (!first) counters.differences.added.inc();
        handlers.deliver({ type: "add", object, cause });
      } else {
        const differs = isOther(old, object) || previous.unreadable(metadata) !== contents.unreadable(metadata);
        if (differs) counters.differences.updated.inc();
        // After a rewind the same version may have been given to another state.
        if (differs || rewind) handlers.deliver({ type: "update", object, old, cause });
      }
      yield;
    }
    if (first) handlers.markSynced();
  }

  *#join(registration: Registration<T>): Generator<void> {
    for (const object of this.#options.store.values()) {
      registration.deliver({ type: "add", object, cause: "list" });
      yield;
    }
    this.#options.handlers.join(registration);
    if (this.#synced) registration.markSynced();
  }
}

function isOther(a: DeepReadonly<KubeObject>, b: DeepReadonly<KubeObject>): boolean {
  return a.metadata.resourceVersion !== b.metadata.resourceVersion || a.metadata.uid !== b.metadata.uid;
}
