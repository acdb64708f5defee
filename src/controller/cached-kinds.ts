import { StalewatchError } from "../base/index.ts";
import type { Lister } from "../cache/index.ts";
import type { Scope } from "../kube/index.ts";
import {
  type DeepReadonly,
  keyOf,
  type KubeObject,
  type LabelMatcher,
  type ObjectMeta,
  type ObjectRef,
  parseLabelSelector,
  type Resource,
  resourceName,
} from "../resources/index.ts";
import type { SharedCache } from "./managed-controller.ts";
import type { UntoldChanges } from "./untold-changes.ts";

/** One kind that a controller has a cache of. */
export interface CachedKind {
  readonly resource: Resource;
  readonly scope: Scope;
  readonly lister: Lister<KubeObject>;
  readonly store: SharedCache;
  readonly untold: UntoldChanges;
}

/** `batch/jobs`, `/pods`: how the ConsistencyStore names a cache. */
export function groupResourceOf({ group, resource }: Pick<Resource, "group" | "resource">): string {
  return `${group}/${resource}`;
}

/** The caches of one controller: what its passes may read, and what they must wait for. */
export class CachedKinds {
  readonly #controller: string;
  readonly #kinds: ReadonlyMap<string, CachedKind>;
  readonly #matchers: ReadonlyMap<string, LabelMatcher>;

  constructor(controller: string, kinds: Iterable<CachedKind>) {
    this.#controller = controller;
    const entries = [...kinds].map((kind): [string, CachedKind] => [groupResourceOf(kind.resource), kind]);
    this.#kinds = new Map(entries);
    this.#matchers = new Map(entries.map(([name, { scope }]) => [name, parseLabelSelector(scope.labelSelector ?? "")]));
  }

  /** Errors: `NOT_CACHED`. */
  lister<O extends KubeObject>(resource: Resource<O>): Lister<O> {
    return this.require(resource).lister as Lister<O>;
  }

  /** Errors: `NOT_CACHED`. */
  require(resource: Resource): CachedKind {
    const kind = this.get(groupResourceOf(resource));
    if (kind) return kind;
    throw new StalewatchError(
      "NOT_CACHED",
      `controller ${this.#controller} has no cache of ${resourceName(resource)}`,
      "list the kind in its owns or watches, or read it live",
    );
  }

  get(groupResource: string): CachedKind | undefined {
    return this.#kinds.get(groupResource);
  }

  all(): Iterable<CachedKind> {
    return this.#kinds.values();
  }

  stores(): ReadonlyMap<string, SharedCache> {
    return new Map([...this.#kinds].map(([name, { store }]) => [name, store]));
  }

  /** Where the cache of this kind stands; "" before its first list. */
  storeVersionOf(resource: Resource): string {
    return this.get(groupResourceOf(resource))?.store.lastStoreSyncResourceVersion() ?? "";
  }

  /** The version at which the cache has this object; undefined when it has none. */
  versionOf(resource: Resource, ref: ObjectRef): string | undefined {
    return this.get(groupResourceOf(resource))?.lister.get(keyOf(ref))?.metadata.resourceVersion;
  }

  /** The uid of this object as the cache has it; undefined when it has none. */
  uidOf(resource: Resource, ref: ObjectRef): string | undefined {
    return this.get(groupResourceOf(resource))?.lister.get(keyOf(ref))?.metadata.uid;
  }

  /** Whether a cache will show this written object: waiting for one that its selector leaves out would only end at a bookmark. */
  willShow(resource: Resource, metadata: DeepReadonly<ObjectMeta>): boolean {
    const name = groupResourceOf(resource);
    const kind = this.#kinds.get(name);
    if (!kind) return false;
    const { namespace } = kind.scope;
    if (namespace && namespace !== metadata.namespace) return false;
    const matches = this.#matchers.get(name)?.(metadata.labels) ?? true;
    return matches || kind.lister.get(keyOf(metadata)) !== undefined;
  }
}
