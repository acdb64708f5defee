import type { Clock } from "../../base/index.ts";
import { keyOf, type OwnerReference } from "../../resources/index.ts";
import type { Kind } from "./kind.ts";
import type { KindRegistry } from "./kind-registry.ts";
import type { DeleteWish, ObjectDeleter } from "./object-deleter.ts";
import type { ObjectWriter } from "./object-writer.ts";
import type { Store } from "./store.ts";
import type { Change, StoredObject } from "./stored-object.ts";

interface Services {
  readonly clock: Clock;
  readonly store: Store;
  readonly kinds: KindRegistry;
  readonly writer: ObjectWriter;
  readonly deleter: ObjectDeleter;
}

/** An object by its place; it may be gone when it is looked at. */
interface Item {
  readonly kind: Kind;
  readonly key: string;
}

const ORPHAN = "orphan";
const FOREGROUND = "foregroundDeletion";
const BY: { fieldManager: string; trusted: true } = { fieldManager: "garbage-collector", trusted: true };

/**
 * From now on deletes dependents whose owners are gone and carries out foreground and orphan deletions, as the garbage collector of
 * kube-controller-manager does (https://kubernetes.io/docs/concepts/architecture/garbage-collection/). Works a timer tick after
 * the change. Owners of kinds that are not served count as there.
 */
export function collectGarbage(services: Services): void {
  void new GarbageCollector(services);
}

class GarbageCollector {
  readonly #services: Services;
  /** Who names an owner, by the owner's uid. */
  readonly #dependents: Map<string, Map<string, Item>> = new Map();
  readonly #waiting: Map<string, Item> = new Map();
  #scheduled = false;

  constructor(services: Services) {
    this.#services = services;
    services.store.onChange((change) => this.#notice(change));
    services.store.onRollback(() => this.#index());
  }

  #index(): void {
    this.#dependents.clear();
    for (const kind of this.#services.kinds.all()) {
      for (const object of this.#services.store.table(kind).sorted()) {
        this.#addDependent({ kind, key: keyOf(object.metadata) }, object);
      }
    }
  }

  #addDependent(item: Item, { metadata }: StoredObject): void {
    for (const { uid } of metadata.ownerReferences ?? []) {
      const there = this.#dependents.get(uid);
      if (there) there.set(idOf(item), item);
      else this.#dependents.set(uid, new Map([[idOf(item), item]]));
    }
  }

  #notice({ kind, key, type, object, previous }: Change): void {
    const item = { kind, key };
    const id = idOf(item);
    for (const { uid } of previous?.metadata.ownerReferences ?? []) this.#dependents.get(uid)?.delete(id);
    const owners = object.metadata.ownerReferences ?? [];
    if (type === "DELETED") {
      for (const dependent of this.#dependents.get(object.metadata.uid)?.values() ?? []) this.#enqueue(dependent);
      // An owner that waits for its dependents may wait no longer.
      for (const owner of owners) this.#enqueueOwner(owner, object);
      return;
    }
    this.#addDependent(item, object);
    if (owners.length > 0 || awaitsCollector(object)) this.#enqueue(item);
  }

  #enqueueOwner(reference: OwnerReference, dependent: StoredObject): void {
    const owner = this.#ownerOf(reference, dependent);
    if (owner.kind && owner.object) this.#enqueue({ kind: owner.kind, key: keyOf(owner.object.metadata) });
  }

  #enqueue(item: Item): void {
    this.#waiting.set(idOf(item), item);
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#services.clock.setTimer(() => this.#work(), 0, { unref: true });
  }

  #work(): void {
    this.#scheduled = false;
    const items = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const item of items) {
      const object = this.#services.store.table(item.kind).get(item.key);
      if (!object) continue;
      if (awaitsCollector(object)) this.#finishOwner(item, object);
      else if (!object.metadata.deletionTimestamp) this.#judgeDependent(item, object);
    }
  }

  /** An owner that is being deleted: let go of its dependents, or delete them and wait for those that block it. */
  #finishOwner(item: Item, owner: StoredObject): void {
    const { uid, finalizers = [] } = owner.metadata;
    const dependents = [...(this.#dependents.get(uid)?.values() ?? [])];
    if (finalizers.includes(ORPHAN)) {
      for (const dependent of dependents) this.#dropOwners(dependent, (reference) => reference.uid === uid);
      this.#dropFinalizer(item, ORPHAN);
      return;
    }
    const blocking = dependents.filter((dependent) => this.#blocks(dependent, uid));
    for (const dependent of blocking) this.#enqueue(dependent);
    if (blocking.length === 0) this.#dropFinalizer(item, FOREGROUND);
  }

  /** A dependent lives as long as one of its owners does. */
  #judgeDependent(item: Item, object: StoredObject): void {
    const references = object.metadata.ownerReferences ?? [];
    if (references.length === 0) return;
    const states = new Map(references.map((reference) => [reference.uid, this.#stateOf(reference, object)]));
    const all = [...states.values()];
    if (all.includes("solid")) {
      if (all.some((state) => state !== "solid")) {
        this.#dropOwners(item, (reference) => states.get(reference.uid) !== "solid");
      }
      return;
    }
    const waits = all.includes("waiting");
    const hasDependents = (this.#dependents.get(object.metadata.uid)?.size ?? 0) > 0;
    this.#delete(item, object, waits && hasDependents ? "Foreground" : "Background");
  }

  #stateOf(reference: OwnerReference, dependent: StoredObject): "solid" | "gone" | "waiting" {
    const { kind, object } = this.#ownerOf(reference, dependent);
    if (!kind) return "solid";
    if (object?.metadata.uid !== reference.uid) return "gone";
    return object.metadata.deletionTimestamp && object.metadata.finalizers?.includes(FOREGROUND) ? "waiting" : "solid";
  }

  #ownerOf(
    { apiVersion, kind: name, name: ownerName }: OwnerReference,
    dependent: StoredObject,
  ): { kind: Kind | undefined; object: StoredObject | undefined } {
    const kind = this.#services.kinds.byKind(apiVersion, name);
    const namespace = kind?.namespaced ? dependent.metadata.namespace : undefined;
    return { kind, object: kind && this.#services.store.table(kind).get(keyOf({ namespace, name: ownerName })) };
  }

  #blocks({ kind, key }: Item, ownerUid: string): boolean {
    const references = this.#services.store.table(kind).get(key)?.metadata.ownerReferences ?? [];
    return references.some(({ uid, blockOwnerDeletion }) => uid === ownerUid && blockOwnerDeletion === true);
  }

  #delete({ kind }: Item, object: StoredObject, propagationPolicy: "Background" | "Foreground"): void {
    const wish: DeleteWish = { propagationPolicy, preconditions: { uid: object.metadata.uid } };
    this.#services.deleter.delete(kind, object.metadata, wish);
  }

  #dropOwners({ kind, key }: Item, drop: (reference: OwnerReference) => boolean): void {
    const object = this.#services.store.table(kind).get(key);
    if (!object) return;
    const change = (current: StoredObject): StoredObject => {
      const ownerReferences = (current.metadata.ownerReferences ?? []).filter((reference) => !drop(reference));
      return { ...current, metadata: { ...current.metadata, ownerReferences } };
    };
    this.#services.writer.update(kind, object.metadata, change, BY);
  }

  #dropFinalizer({ kind, key }: Item, finalizer: string): void {
    const object = this.#services.store.table(kind).get(key);
    if (!object) return;
    const change = (current: StoredObject): StoredObject => {
      const finalizers = (current.metadata.finalizers ?? []).filter((candidate) => candidate !== finalizer);
      return { ...current, metadata: { ...current.metadata, finalizers } };
    };
    this.#services.writer.update(kind, object.metadata, change, BY);
  }
}

function idOf({ kind, key }: Item): string {
  return `${kind.id} ${key}`;
}

function awaitsCollector({ metadata }: StoredObject): boolean {
  const { deletionTimestamp, finalizers = [] } = metadata;
  return deletionTimestamp !== undefined && (finalizers.includes(ORPHAN) || finalizers.includes(FOREGROUND));
}
