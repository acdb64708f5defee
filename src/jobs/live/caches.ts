import type { Informer, Lister } from "../../cache/index.ts";
import { apiVersionOf, type KubeObject, type Resource, resourceName } from "../../resources/index.ts";

/** One kind in memory. */
export interface Cached<T extends KubeObject> {
  readonly lister: Lister<T>;
  /** Whether an object in this namespace that is not in the cache does not exist. */
  holdsAll(namespace: string | undefined): boolean;
  /** The same of objects that have this label. */
  holdsAllWith(label: string, namespace: string): boolean;
}

/** The caches that judges may look into, each from its first complete list on. */
export class Caches {
  readonly #informers: () => Iterable<Informer>;
  readonly #found: Map<unknown, Cached<KubeObject>> = new Map();

  constructor(informers: () => Iterable<Informer>) {
    this.#informers = informers;
  }

  of<T extends KubeObject>(resource: Resource<T>): Cached<T> | undefined {
    const known =
      this.#found.get(resource) ??
      this.#find(resource, ({ resource: other }) => {
        return resourceName(other) === resourceName(resource);
      });
    // Found by the name of the resource, so it holds objects of T.
    return known as Cached<KubeObject> as Cached<T> | undefined;
  }

  /** By what owner references say. */
  ofKind(apiVersion: string, kind: string): Cached<KubeObject> | undefined {
    const key = `${apiVersion} ${kind}`;
    return (
      this.#found.get(key) ??
      this.#find(key, ({ resource }) => {
        return resource.kind === kind && apiVersionOf(resource) === apiVersion;
      })
    );
  }

  #find(key: unknown, fits: (informer: Informer) => boolean): Cached<KubeObject> | undefined {
    for (const informer of this.#informers()) {
      if (!informer.hasSynced() || !fits(informer)) continue;
      const { lister, scope } = informer;
      const { namespace: only, labelSelector, fieldSelector } = scope;
      const holds = (wanted: string | undefined, within: string | undefined): boolean =>
        fieldSelector === undefined &&
        (labelSelector === undefined || labelSelector === wanted) &&
        (only === undefined || only === within);
      const cached: Cached<KubeObject> = {
        lister,
        holdsAll: (namespace) => holds(undefined, namespace),
        holdsAllWith: holds,
      };
      this.#found.set(key, cached);
      return cached;
    }
    return undefined;
  }
}
