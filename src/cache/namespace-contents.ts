import { controllerOf, type DeepReadonly, type KubeObject } from "../resources/index.ts";
import { NameIndex } from "./name-index.ts";

/** The objects of one namespace under their names, with the indices that readers ask for. */
export class NamespaceContents<T extends KubeObject> {
  readonly #objects: Map<string, DeepReadonly<T>> = new Map();
  readonly #owners: NameIndex = new NameIndex();
  readonly #labels: Map<string, NameIndex> = new Map();

  constructor(labels: Iterable<string>) {
    for (const label of labels) this.#labels.set(label, new NameIndex());
  }

  get size(): number {
    return this.#objects.size;
  }

  get(name: string): DeepReadonly<T> | undefined {
    return this.#objects.get(name);
  }

  values(): MapIterator<DeepReadonly<T>> {
    return this.#objects.values();
  }

  /** Returns what was there before. */
  set(object: DeepReadonly<T>): DeepReadonly<T> | undefined {
    const { name, labels } = object.metadata;
    const old = this.#objects.get(name);
    this.#objects.set(name, object);
    this.#owners.move(name, ownerUid(old), ownerUid(object));
    for (const [label, index] of this.#labels) index.move(name, old?.metadata.labels?.[label], labels?.[label]);
    return old;
  }

  delete(name: string): DeepReadonly<T> | undefined {
    const old = this.#objects.get(name);
    if (old === undefined) return undefined;
    this.#objects.delete(name);
    this.#owners.move(name, ownerUid(old), undefined);
    for (const [label, index] of this.#labels) index.move(name, old.metadata.labels?.[label], undefined);
    return old;
  }

  ownedBy(uid: string): DeepReadonly<T>[] {
    return this.#pick(this.#owners.names(uid));
  }

  /** Of a label that is indexed. */
  byLabel(label: string, value: string): DeepReadonly<T>[] {
    return this.#pick(this.#labels.get(label)?.names(value) ?? []);
  }

  indexLabel(label: string): void {
    const index = new NameIndex();
    for (const [name, object] of this.#objects) index.move(name, undefined, object.metadata.labels?.[label]);
    this.#labels.set(label, index);
  }

  #pick(names: Iterable<string>): DeepReadonly<T>[] {
    const picked: DeepReadonly<T>[] = [];
    for (const name of names) {
      const object = this.#objects.get(name);
      if (object) picked.push(object);
    }
    return picked;
  }
}

function ownerUid(object: DeepReadonly<KubeObject> | undefined): string | undefined {
  return object?.metadata.ownerReferences === undefined ? undefined : controllerOf(object)?.uid;
}
