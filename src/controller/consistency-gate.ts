import { ConsistencyStore } from "../consistency/index.ts";
import { type DeepReadonly, keyOf, type KubeObject, type ObjectMeta, type Resource } from "../resources/index.ts";
import type { Counter, Env, SpanContext } from "../telemetry/index.ts";
import { type CachedKinds, groupResourceOf } from "./cached-kinds.ts";
import { staleSyncSkips, staleSyncWait } from "./metrics.ts";
import { type Skip, type StaleCache, StaleWaits } from "./stale-waits.ts";

export interface ConsistencyGateOptions {
  controller: string;
  kinds: CachedKinds;
  /** false: the feature gate is off, every key is ready. */
  enabled: boolean;
  onCaughtUp: (key: string, skipped: SpanContext | undefined) => void;
  env: Env;
}

const NONE: readonly StaleCache[] = [];

/**
 * Keeps a key from running before the caches show what its passes wrote. Called before each pass, at each write of a pass, and
 * when an object is gone.
 */
export class ConsistencyGate {
  readonly enabled: boolean;
  readonly #kinds: CachedKinds;
  readonly #store: ConsistencyStore;
  readonly #waits: StaleWaits;
  readonly #skips: Map<string, Counter> = new Map();
  readonly #caches: Map<string, Omit<StaleCache, "version">> = new Map();

  constructor({ controller, kinds, enabled, onCaughtUp, env }: ConsistencyGateOptions) {
    this.enabled = enabled;
    this.#kinds = kinds;
    this.#store = new ConsistencyStore({ stores: kinds.stores() });
    this.#waits = new StaleWaits({ clock: env.clock, onCaughtUp });
    const skips = env.meter.counter(staleSyncSkips);
    const waits = env.meter.histogram(staleSyncWait);
    for (const { resource, store } of kinds.all()) {
      const labels = { controller, group: resource.group, resource: resource.resource };
      const name = groupResourceOf(resource);
      this.#skips.set(name, skips.labels(labels));
      this.#caches.set(name, { name, resource, store, waited: waits.labels(labels) });
    }
  }

  /** Keys that were skipped and wait for a cache. */
  get waiting(): number {
    return this.#waits.size;
  }

  /** The caches that do not show the key's own writes yet; none when it may run. `uid` is of the object in the cache, if any. */
  staleFor(key: string, uid: string | undefined): readonly StaleCache[] {
    if (!this.enabled) return NONE;
    const stale: StaleCache[] = [];
    for (const { groupResource, wroteVersion } of this.#store.unready(key, uid)) {
      const cache = this.#caches.get(groupResource);
      if (cache) stale.push({ ...cache, version: wroteVersion });
    }
    return stale;
  }

  /** Counts a skip for each stale cache, and waits for them to catch up. */
  skip(key: string, skip: Skip): void {
    for (const { name } of skip.stale) this.#skips.get(name)?.inc();
    this.#waits.begin(key, skip);
  }

  /** The key runs: whatever it waited for has come. Gives the trace of the pass that was skipped first, if any was. */
  ready(key: string): SpanContext | undefined {
    return this.#waits.finish(key);
  }

  wrote(owner: DeepReadonly<KubeObject>, resource: Resource, written: DeepReadonly<ObjectMeta>): void {
    if (!this.enabled || !this.#kinds.willShow(resource, written)) return;
    const { metadata } = owner;
    this.#store.wroteAt(keyOf(metadata), metadata.uid, groupResourceOf(resource), written.resourceVersion);
  }

  /** The object with this uid was deleted; "" means whichever had this name. */
  clear(key: string, uid: string): void {
    this.#store.clear(key, uid);
    if (uid === "") this.#waits.cancel(key);
  }

  /** The server's history went back: what was written in the lost part will never be shown. */
  forgetAll(): void {
    this.#store.clearAll();
  }

  stop(): void {
    this.#waits.stop();
  }
}
