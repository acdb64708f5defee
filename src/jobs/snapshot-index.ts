import type { DeepReadonly, KubeObject } from "../resources/index.ts";

type Objects = Map<string, DeepReadonly<KubeObject>>;

/** Objects by something of them. A key under which there is nothing takes no room. */
export class SnapshotIndex {
  readonly #groups: Map<string, { objects: Objects; list: readonly DeepReadonly<KubeObject>[] | undefined }> =
    new Map();

  add(group: string, key: string, object: DeepReadonly<KubeObject>): void {
    const known = this.#groups.get(group) ?? { objects: new Map(), list: undefined };
    this.#groups.set(group, known);
    known.objects.set(key, object);
    known.list = undefined;
  }

  remove(group: string, key: string): void {
    const known = this.#groups.get(group);
    if (!known) return;
    known.objects.delete(key);
    known.list = undefined;
    if (known.objects.size === 0) this.#groups.delete(group);
  }

  /** The same list as long as nothing of it changes. */
  list(group: string): readonly DeepReadonly<KubeObject>[] {
    const known = this.#groups.get(group);
    if (!known) return [];
    known.list ??= [...known.objects.values()];
    return known.list;
  }
}
