import { type DeepReadonly, keyOf, type KubeObject, type ObjectRef } from "../resources/index.ts";
import { copyJson } from "./storage/copy-json.ts";
import type { Kind } from "./storage/kind.ts";
import type { KindRegistry, KindRef } from "./storage/kind-registry.ts";
import type { DeleteWish, ObjectDeleter } from "./storage/object-deleter.ts";
import type { ObjectWriter, WriteOptions } from "./storage/object-writer.ts";
import type { Store } from "./storage/store.ts";
import type { ChangeType, StoredObject } from "./storage/stored-object.ts";

/** Points at a kind and remembers its type: a `Resource<T>`, or whatever else has a group and a plural. */
export type TypedKindRef<T extends KubeObject> = KindRef & { readonly shape?: { readonly phantom?: T } };

/** An object to store; metadata that the server sets may be left out. */
export type ObjectDraft = {
  readonly metadata: { name?: string; generateName?: string; namespace?: string; [key: string]: unknown };
} & {
  readonly [field: string]: unknown;
};

export interface ObjectChange<T> {
  readonly type: ChangeType;
  readonly object: T;
}

const TRUSTED: WriteOptions = { trusted: true, fieldManager: "test" };

/**
 * The cluster's content, directly and at once, for tests that set a scene or play another controller. Every write is a version and
 * reaches the watches like any other. Unlike a request it is not validated, may write spec and status together, and makes the
 * namespace that it needs. Objects that come out are copies.
 */
export class ClusterObjects {
  readonly #store: Store;
  readonly #kinds: KindRegistry;
  readonly #writer: ObjectWriter;
  readonly #deleter: ObjectDeleter;

  constructor(services: { store: Store; kinds: KindRegistry; writer: ObjectWriter; deleter: ObjectDeleter }) {
    this.#store = services.store;
    this.#kinds = services.kinds;
    this.#writer = services.writer;
    this.#deleter = services.deleter;
  }

  /** Namespaced objects go to `default` unless the draft says otherwise. */
  create<T extends KubeObject>(resource: TypedKindRef<T>, draft: ObjectDraft): T {
    const kind = this.#kinds.require(resource);
    const own = copyJson(draft) as Record<string, unknown>;
    delete own["apiVersion"];
    delete own["kind"];
    const namespace = kind.namespaced ? (draft.metadata.namespace ?? "default") : undefined;
    if (namespace !== undefined) this.#ensureNamespace(namespace);
    return out(this.#writer.create(kind, namespace, own, TRUSTED)) as T;
  }

  get<T extends KubeObject>(resource: TypedKindRef<T>, ref: ObjectRef | string): T | undefined {
    const kind = this.#kinds.require(resource);
    const object = this.#store.table(kind).get(keyOf(refIn(kind, ref)));
    return object && (out(object) as T);
  }

  /** Calls `listener` inside each write of the kind, with copies. Returns how to stop it. */
  onChange<T extends KubeObject>(resource: TypedKindRef<T>, listener: (change: ObjectChange<T>) => void): () => void {
    const kind = this.#kinds.require(resource);
    return this.#store.onChange((change) => {
      if (change.kind === kind) listener({ type: change.type, object: out(change.object) as T });
    });
  }

  /** In the order of their keys. */
  list<T extends KubeObject>(resource: TypedKindRef<T>, namespace?: string): T[] {
    const all = this.#store.table(this.#kinds.require(resource)).sorted();
    const wanted = namespace === undefined ? all : all.filter(({ metadata }) => metadata.namespace === namespace);
    return wanted.map((object) => out(object) as T);
  }

  /** Those that match, in the order of their keys; only they are copied, so `matches` must not keep or change what it sees. */
  where<T extends KubeObject>(resource: TypedKindRef<T>, matches: (object: DeepReadonly<T>) => boolean): T[] {
    const all = this.#store.table(this.#kinds.require(resource)).sorted();
    return all.filter((object) => matches(object as unknown as DeepReadonly<T>)).map((object) => out(object) as T);
  }

  /** `change` alters a copy of the object, or returns another one. Errors: `StatusError` 404. */
  update<T extends KubeObject>(resource: TypedKindRef<T>, ref: ObjectRef | string, change: (object: T) => T | void): T {
    const kind = this.#kinds.require(resource);
    const make = (current: StoredObject): StoredObject => {
      const own = out(current) as T;
      return copyJson(change(own) ?? own) as unknown as StoredObject;
    };
    return out(this.#writer.update(kind, refIn(kind, ref), make, TRUSTED)) as T;
  }

  /** Merges into spec, status and metadata; null deletes. Errors: `StatusError` 404. */
  patch<T extends KubeObject>(resource: TypedKindRef<T>, ref: ObjectRef | string, patch: object): T {
    return this.update<T>(resource, ref, (object) => merge(object, patch) as T);
  }

  /** Gone at once, unless finalizers or a pod's grace keep it. Background propagation unless said. Errors: `StatusError` 404. */
  delete(resource: KindRef, ref: ObjectRef | string, wish: DeleteWish = {}): void {
    const kind = this.#kinds.require(resource);
    this.#deleter.delete(kind, refIn(kind, ref), { propagationPolicy: "Background", ...wish });
  }

  #ensureNamespace(name: string): void {
    const namespaces = this.#kinds.require({ group: "", resource: "namespaces" });
    if (!this.#store.table(namespaces).get(name)) {
      this.#writer.create(namespaces, undefined, { metadata: { name } }, TRUSTED);
    }
  }
}

/** Readers may change what they get. Its type is what the caller's resource says; the server keeps whatever was written. */
function out(object: StoredObject): KubeObject {
  return copyJson(object);
}

/** `name` alone means the namespace `default` for a namespaced kind. */
function refIn(kind: Kind, ref: ObjectRef | string): ObjectRef {
  const { name, namespace } = typeof ref === "string" ? split(ref) : ref;
  return kind.namespaced ? { name, namespace: namespace ?? "default" } : { name };
}

function split(key: string): ObjectRef {
  const slash = key.indexOf("/");
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

function merge(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const merged: Record<string, unknown> = typeof target === "object" && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = merge(merged[key], value);
  }
  return merged;
}
