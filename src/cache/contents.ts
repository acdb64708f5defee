import { type DeepReadonly, keyOf, type KubeObject, type ObjectRef } from "../resources/index.ts";
import { NamespaceContents } from "./namespace-contents.ts";

/**
 * The objects of one kind. The store holds one of these; a list builds the next one aside, so that readers see either the old or
 * the new.
 *
 * Namespaces apart, because a name is a string that each object has anyway: a key would be another, for each object held and each
 * event looked up.
 */
export class Contents<T extends KubeObject> {
  readonly #namespaces: Map<string, NamespaceContents<T>> = new Map();
  readonly #labels: Set<string>;
  /** Keys of objects of which only the metadata is here, with the reason. */
  readonly #unreadable: Map<string, string> = new Map();
  #size = 0;

  constructor(labels: Iterable<string> = []) {
    this.#labels = new Set(labels);
  }

  get size(): number {
    return this.#size;
  }

  get({ namespace = "", name }: ObjectRef): DeepReadonly<T> | undefined {
    return this.#namespaces.get(namespace)?.get(name);
  }

  /** All, or those of one namespace. */
  list(namespace?: string): DeepReadonly<T>[] {
    if (namespace === undefined) return this.#fromAll((contents) => contents.values());
    return [...(this.#namespaces.get(namespace)?.values() ?? [])];
  }

  *values(): Generator<DeepReadonly<T>, void, void> {
    for (const contents of this.#namespaces.values()) yield* contents.values();
  }

  unreadable(ref: ObjectRef): string | undefined {
    return this.#unreadable.size === 0 ? undefined : this.#unreadable.get(keyOf(ref));
  }

  /** Returns what was there before. `unreadable`: the object is its metadata only, for this reason. */
  set(object: DeepReadonly<T>, unreadable?: string): DeepReadonly<T> | undefined {
    const { metadata } = object;
    const old = this.#namespace(metadata.namespace ?? "").set(object);
    if (old === undefined) this.#size += 1;
    if (unreadable !== undefined) this.#unreadable.set(keyOf(metadata), unreadable);
    else if (this.#unreadable.size > 0) this.#unreadable.delete(keyOf(metadata));
    return old;
  }

  delete(ref: ObjectRef): DeepReadonly<T> | undefined {
    const { namespace = "", name } = ref;
    const contents = this.#namespaces.get(namespace);
    const old = contents?.delete(name);
    if (old === undefined) return undefined;
    this.#size -= 1;
    if (contents?.size === 0) this.#namespaces.delete(namespace);
    this.#unreadable.delete(keyOf(ref));
    return old;
  }

  /** Of one namespace, or of all: an owner without a namespace has children in any. */
  ownedBy(uid: string, namespace?: string): DeepReadonly<T>[] {
    if (namespace) return this.#namespaces.get(namespace)?.ownedBy(uid) ?? [];
    return this.#fromAll((contents) => contents.ownedBy(uid));
  }

  byLabel(label: string, value: string): DeepReadonly<T>[] {
    if (!this.#labels.has(label)) {
      this.#labels.add(label);
      for (const contents of this.#namespaces.values()) contents.indexLabel(label);
    }
    return this.#fromAll((contents) => contents.byLabel(label, value));
  }

  labels(): Iterable<string> {
    return this.#labels;
  }

  #namespace(name: string): NamespaceContents<T> {
    const known = this.#namespaces.get(name);
    if (known) return known;
    const made = new NamespaceContents<T>(this.#labels);
    this.#namespaces.set(name, made);
    return made;
  }

  #fromAll(pick: (contents: NamespaceContents<T>) => Iterable<DeepReadonly<T>>): DeepReadonly<T>[] {
    const picked: DeepReadonly<T>[] = [];
    for (const contents of this.#namespaces.values()) for (const object of pick(contents)) picked.push(object);
    return picked;
  }
}
