import type { Clock } from "../../base/index.ts";
import type { KindRegistry } from "./kind-registry.ts";
import type { ObjectDeleter } from "./object-deleter.ts";
import type { Store } from "./store.ts";
import type { Change, StoredObject } from "./stored-object.ts";

interface Services {
  readonly clock: Clock;
  readonly store: Store;
  readonly kinds: KindRegistry;
  readonly deleter: ObjectDeleter;
}

/**
 * From now on empties a namespace that is being deleted, and removes it once it is empty, as the namespace controller does. Works a timer tick
 * after the change.
 */
export function cleanNamespaces(services: Services): void {
  void new NamespaceCleaner(services);
}

class NamespaceCleaner {
  readonly #services: Services;
  readonly #terminating: Set<string> = new Set();
  #scheduled = false;

  constructor(services: Services) {
    this.#services = services;
    services.store.onChange((change) => this.#notice(change));
  }

  #notice({ kind, type, object }: Change): void {
    const { name, namespace, deletionTimestamp } = object.metadata;
    if (kind.id === "namespaces" && deletionTimestamp && type !== "DELETED") this.#terminating.add(name);
    else if (!namespace || !this.#terminating.has(namespace)) return;
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#services.clock.setTimer(() => this.#work(), 0, { unref: true });
  }

  #work(): void {
    this.#scheduled = false;
    for (const namespace of this.#terminating) {
      if (this.#empty(namespace)) this.#remove(namespace);
    }
  }

  /** Deletes what is left. True when nothing is. */
  #empty(namespace: string): boolean {
    const { kinds, store, deleter } = this.#services;
    let left = 0;
    for (const kind of kinds.all()) {
      if (!kind.namespaced) continue;
      for (const { metadata } of store.table(kind).sorted()) {
        if (metadata.namespace !== namespace) continue;
        if (metadata.deletionTimestamp) left += 1;
        else if (!deleter.delete(kind, metadata, { propagationPolicy: "Background" }).gone) left += 1;
      }
    }
    return left === 0;
  }

  #remove(name: string): void {
    const { kinds, store } = this.#services;
    const kind = kinds.require({ group: "", resource: "namespaces" });
    const namespace: StoredObject | undefined = store.table(kind).get(name);
    this.#terminating.delete(name);
    if (namespace) store.remove(kind, name, namespace);
  }
}
