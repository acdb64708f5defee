import { ConsistencyStore } from "../consistency/index.ts";
import {
  type DeepReadonly,
  keyOf,
  type KubeObject,
  type ObjectMeta,
  type ObjectRef,
  type Resource,
} from "../resources/index.ts";
import type { Counter, Env, Histogram, SpanContext } from "../telemetry/index.ts";
import { type CachedKind, type CachedKinds, groupResourceOf } from "./cached-kinds.ts";
import { catchUp } from "./catch-up.ts";
import { consistentReads, staleSyncSkips, staleSyncWait } from "./metrics.ts";
import { PendingDeletes } from "./pending-deletes.ts";
import { type Skip, type StaleCache, StaleWaits } from "./stale-waits.ts";
import { UnansweredWrites } from "./unanswered-writes.ts";
import { VerifiedCaches } from "./verified-caches.ts";

export interface ConsistencyGateOptions {
  controller: string;
  kinds: CachedKinds;
  /** false: the feature gate is off, every key is ready. */
  enabled: boolean;
  onCaughtUp: (key: string, skipped: SpanContext | undefined) => void;
  env: Env;
}

interface Series {
  readonly skips: Counter;
  readonly waited: Histogram;
  readonly reads: Readonly<Record<"lost_answer" | "new_leader", Counter>>;
}

const NONE: readonly StaleCache[] = [];

/**
 * Keeps a key from running before the caches show what its passes did: the versions that they wrote, the objects that they deleted,
 * and whatever has come of writes whose answer was lost. Called before each pass, at each write of a pass, and when an object is
 * gone. A cache that makes a key wait for more than 90 s is listed anew.
 */
export class ConsistencyGate {
  readonly enabled: boolean;
  readonly #kinds: CachedKinds;
  readonly #env: Env;
  readonly #store: ConsistencyStore;
  readonly #deletes: PendingDeletes = new PendingDeletes();
  readonly #unanswered: UnansweredWrites = new UnansweredWrites();
  readonly #waits: StaleWaits;
  readonly #verified: VerifiedCaches;
  readonly #series: Map<string, Series> = new Map();

  constructor({ controller, kinds, enabled, onCaughtUp, env }: ConsistencyGateOptions) {
    this.enabled = enabled;
    this.#kinds = kinds;
    this.#env = env;
    this.#store = new ConsistencyStore({ stores: kinds.stores() });
    this.#waits = new StaleWaits({ clock: env.clock, onCaughtUp });
    this.#verified = new VerifiedCaches(env);
    const skips = env.meter.counter(staleSyncSkips);
    const waits = env.meter.histogram(staleSyncWait);
    const reads = env.meter.counter(consistentReads);
    for (const { resource } of kinds.all()) {
      const labels = { controller, group: resource.group, resource: resource.resource };
      this.#series.set(groupResourceOf(resource), {
        skips: skips.labels(labels),
        waited: waits.labels(labels),
        reads: {
          lost_answer: reads.labels({ ...labels, reason: "lost_answer" }),
          new_leader: reads.labels({ ...labels, reason: "new_leader" }),
        },
      });
    }
  }

  /** Keys that were skipped and wait for a cache. */
  get waiting(): number {
    return this.#waits.size;
  }

  /** Resolves once the caches show everything that anybody wrote before the call. Rejects with the signal's reason. */
  async catchUp(signal: AbortSignal): Promise<void> {
    if (!this.enabled) return;
    const onRead = ({ resource }: CachedKind): void =>
      this.#series.get(groupResourceOf(resource))?.reads.new_leader.inc();
    await catchUp({ kinds: this.#kinds.all(), onRead, env: this.#env }, signal);
  }

  /** Whether the fate of a write must be found out (`learn`) before `staleFor` can tell. */
  hasUnanswered(key: string): boolean {
    return this.#unanswered.has(key);
  }

  /** Asks the server up to which versions the unanswered writes may have been done. Errors: `ApiError`, or the signal's reason. */
  learn(key: string, signal: AbortSignal): Promise<void> {
    return this.#unanswered.settle(
      key,
      ({ resource, store }) => {
        this.#series.get(groupResourceOf(resource))?.reads.lost_answer.inc();
        return store.readVersion(signal);
      },
      (uid, { resource }, version) => this.#store.wroteAt(key, uid, groupResourceOf(resource), version),
    );
  }

  /** The caches that do not show what passes for the key did; none when it may run. `uid` is of the object in the cache, if any. */
  staleFor(key: string, uid: string | undefined): readonly StaleCache[] {
    if (!this.enabled) return NONE;
    const deletes = this.#deletes.pending(key);
    const writes = this.#store.unready(key, uid);
    if (deletes.length === 0 && writes.length === 0) return NONE;
    const stale = new Map<string, StaleCache>();
    for (const { kind, uid: deletedUid, isShown } of deletes) {
      const shown = (signal: AbortSignal): Promise<void> => kind.store.when(isShown, signal);
      this.#add(stale, kind, { deletedUid }, shown);
    }
    for (const { groupResource, wroteVersion: version } of writes) {
      const kind = this.#kinds.get(groupResource);
      if (kind) this.#add(stale, kind, { version }, (signal) => kind.store.whenAtVersion(version, signal));
    }
    return [...stale.values()];
  }

  /** Counts a skip for each stale cache, and waits for them to catch up. */
  skip(key: string, skip: Skip): void {
    this.#waits.begin(key, skip);
    for (const { name, resource } of skip.stale) {
      this.#series.get(name)?.skips.inc();
      const since = this.#waits.since(key, name);
      const store = this.#kinds.get(name)?.store;
      if (since !== undefined && store) this.#verified.verify(resource, store, since);
    }
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

  /** A write was sent, and nobody knows whether it was done. */
  unanswered(owner: DeepReadonly<KubeObject>, resource: Resource): void {
    const kind = this.#kinds.get(groupResourceOf(resource));
    if (this.enabled && kind) this.#unanswered.add(ownerOf(owner), kind);
  }

  /** An object is gone from the server. `uid` is undefined when nobody knows which one it was. */
  deleted(owner: DeepReadonly<KubeObject>, resource: Resource, ref: ObjectRef, uid: string | undefined): void {
    const kind = this.#kinds.get(groupResourceOf(resource));
    if (!this.enabled || !kind) return;
    if (uid) this.#deletes.add(ownerOf(owner), kind, ref, uid);
    else this.#unanswered.add(ownerOf(owner), kind);
  }

  /** The object with this uid was deleted; "" means whichever had this name. */
  clear(key: string, uid: string): void {
    this.#store.clear(key, uid);
    this.#deletes.clear(key, uid);
    this.#unanswered.clear(key, uid);
    if (uid === "") this.#waits.cancel(key);
  }

  /** The server's history went back: what was done in the lost part will never be shown. */
  forgetAll(): void {
    this.#store.clearAll();
    this.#deletes.clearAll();
    this.#unanswered.clearAll();
  }

  stop(): void {
    this.#waits.stop();
  }

  #add(
    stale: Map<string, StaleCache>,
    { resource }: CachedKind,
    missing: StaleCache["missing"],
    shown: StaleCache["shown"],
  ): void {
    const name = groupResourceOf(resource);
    const waited = this.#series.get(name)?.waited;
    if (waited) stale.set(name, { resource, name, missing, shown, waited });
  }
}

function ownerOf({ metadata }: DeepReadonly<KubeObject>): { readonly key: string; readonly uid: string } {
  return { key: keyOf(metadata), uid: metadata.uid };
}
