import { type BackoffOptions, messageOf, StalewatchError } from "../base/index.ts";
import type { ListerWatcher, Scope } from "../kube/index.ts";
import { type DeepReadonly, type KubeObject, type Resource, resourceName } from "../resources/index.ts";
import { type Env, type Histogram, resolveEnv } from "../telemetry/index.ts";
import type {
  HandlerRegistration,
  InformerHandler,
  InformerStatus,
  Lister,
  RelistRequest,
  VersionedStore,
} from "./api.ts";
import type { Delta } from "./delta.ts";
import { DeltaQueue } from "./delta-queue.ts";
import { Handlers, Registration } from "./handlers.ts";
import { Intake } from "./intake.ts";
import {
  type CacheCounters,
  cacheCounters,
  cacheLabels,
  informerProcessingLatencySeconds,
  publishGauges,
} from "./metrics.ts";
import { Processor } from "./processor.ts";
import { Reflector } from "./reflector.ts";
import { Resync } from "./resync.ts";
import { Store } from "./store.ts";
import { Waiters } from "./waiters.ts";

/** Gets the version that the store stands at now. */
export type VersionListener = (storeVersion: string) => void;

export interface InformerOptions<T extends KubeObject> {
  client: ListerWatcher;
  resource: Resource<T>;
  /** Everything of the kind unless given. */
  scope?: Scope;
  /** The `name` label of its metrics; "stalewatch" unless given. Two caches of one kind need two names. */
  name?: string;
  /** How often every object is handed to the handlers again; 0 or unset is never. */
  resyncPeriodMs?: number;
  /** Labels to index from the start; others are indexed when somebody first asks for them. */
  labelIndices?: readonly string[];
  /** Changes an object before it is kept. Must not touch name, namespace, uid and resourceVersion. */
  transform?: (object: DeepReadonly<T>) => DeepReadonly<T>;
  env?: Partial<Env>;
  /** Between failed lists and watches: 0.8 s doubling to 30 s, each up to doubled by chance, unless given. */
  backoff?: Partial<BackoffOptions>;
}

/**
 * A local copy of one kind that follows the server, shared by any number of handlers and readers.
 *
 * Promises: the store is changed before handlers hear of it; handlers hear of each object's changes in the server's order and, at
 * rest, of its last state; a deleted object ends with a delete event, at the latest by a list (then marked as a tombstone); the
 * store's version is never ahead of its content; nothing but the signal ends it.
 * Does not promise: that every intermediate state is seen, any order between objects, or that a handler has run when a reader
 * sees a version.
 */
export class Informer<T extends KubeObject = KubeObject> implements VersionedStore, AsyncDisposable {
  readonly name: string;
  readonly resource: Resource<T>;
  readonly scope: Scope;
  readonly lister: Lister<T>;
  readonly #env: Env;
  readonly #resync: Resync | undefined;
  readonly #store: Store<T>;
  readonly #handlers: Handlers<T> = new Handlers();
  readonly #processor: Processor<T>;
  readonly #deltas: DeltaQueue<Delta<T>>;
  readonly #reflector: Reflector<T>;
  readonly #counters: CacheCounters;
  readonly #latency: Histogram;
  readonly #waiters: Waiters = new Waiters();
  readonly #progress: Set<VersionListener> = new Set();
  readonly #rewinds: Set<VersionListener> = new Set();
  readonly #disposed: AbortController = new AbortController();
  #listings = 0;
  #toldVersion = "";
  #running: Promise<void> | undefined;

  constructor(options: InformerOptions<T>) {
    const { client, resource, scope = {}, name = "stalewatch" } = options;
    this.name = name;
    this.resource = resource;
    this.scope = scope;
    this.#env = resolveEnv(options.env);
    this.#store = new Store(options.labelIndices);
    this.lister = this.#store;
    const env = this.#env;
    const counters = cacheCounters(env.meter, resource);
    this.#counters = counters;
    this.#latency = env.meter.histogram(informerProcessingLatencySeconds).labels(cacheLabels(name, resource));
    this.#processor = new Processor({
      store: this.#store,
      handlers: this.#handlers,
      counters,
      onReplaced: (how) => this.#replaced(how),
    });
    this.#deltas = new DeltaQueue({
      apply: (delta) => this.#processor.apply(delta),
      batch: (work) => this.#batch(work),
    });
    const periodMs = options.resyncPeriodMs ?? 0;
    const keys = (): Iterable<string> => this.#store.keys();
    const sync = (due: readonly string[]): void => this.#deltas.push(due.map((key) => ({ type: "SYNC", key })));
    this.#resync = periodMs > 0 ? new Resync({ ...env, periodMs, keys, sync }) : undefined;
    this.#reflector = new Reflector({
      client,
      resource,
      scope,
      env,
      backoff: options.backoff ?? {},
      intake: new Intake({ resource, transform: options.transform, counters, log: env.log }),
      counters,
      deltas: this.#deltas,
      draft: () => this.#store.draft(),
    });
  }

  /** The handler first gets what is in the store as adds, then every event. It is never called from inside this call. */
  addHandler(handler: InformerHandler<T>): HandlerRegistration {
    const registration = new Registration<T>({
      handler,
      failed: (thrown) => this.#handlerFailed(thrown),
      removed: (removed) => this.#handlers.leave(removed),
    });
    queueMicrotask(() => this.#deltas.push([{ type: "JOIN", registration }]));
    return registration;
  }

  /**
   * Follows the server until the signal aborts, then resolves. Failures do not reject it: they are counted, logged and in `status()`.
   * Errors: `INFORMER_STARTED` when it runs or ran already.
   */
  async run(options: { signal: AbortSignal }): Promise<void> {
    if (this.#running) {
      const name = `${resourceName(this.resource)} (${this.name})`;
      throw new StalewatchError("INFORMER_STARTED", `the informer of ${name} was started twice`, "make another one");
    }
    this.#running = this.#follow(AbortSignal.any([options.signal, this.#disposed.signal]));
    return this.#running;
  }

  /** True once the initial list is in the store. */
  hasSynced(): boolean {
    return this.#processor.synced;
  }

  /** Rejects with the signal's reason, or when the informer stops before. */
  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#waiters.wait(() => this.#processor.synced, signal);
  }

  lastStoreSyncResourceVersion(): string {
    return this.#store.version;
  }

  whenAtVersion(version: string, signal?: AbortSignal): Promise<void> {
    return this.#waiters.wait(() => this.#store.reached(version), signal);
  }

  /**
   * Resolves once `condition` holds, looked at after each batch that moved the store's version, and when the history went back.
   * Rejects as `whenAtVersion` does.
   */
  when(condition: () => boolean, signal?: AbortSignal): Promise<void> {
    return this.#waiters.wait(condition, signal);
  }

  /** Calls `listener` after each batch that moved the store's version. Returns how to stop it. */
  onProgress(listener: VersionListener): () => void {
    this.#progress.add(listener);
    return () => this.#progress.delete(listener);
  }

  /** Calls `listener` when a list showed that the server's history went back: versions known from before mean nothing any more. */
  onRewind(listener: VersionListener): () => void {
    this.#rewinds.add(listener);
    return () => this.#rewinds.delete(listener);
  }

  /**
   * Asks the server, not the store: everything of this kind that was written before the call has this version or a lower one. Costs one
   * consistent read of one object's metadata. Errors: `ApiError`, or the signal's reason.
   */
  readVersion(signal: AbortSignal): Promise<string> {
    return this.#reflector.readVersion(signal);
  }

  /** True while a list is in the store whose differences handlers have not all been told yet. */
  isTelling(): boolean {
    return this.#deltas.isPartWay;
  }

  /** Asks for a fresh list, sent after this call, whatever the watch is doing. Each call costs the server a list. */
  relist(reason: RelistRequest): void {
    this.#reflector.relist(reason);
  }

  status(): InformerStatus {
    return {
      name: this.name,
      resource: this.resource,
      state: this.#reflector.state,
      synced: this.#processor.synced,
      objects: this.#store.size,
      storeVersion: this.#store.version,
      listings: this.#listings,
      lastError: this.#reflector.lastError,
      lastContactAt: this.#reflector.lastContactAt,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed.abort();
    await this.#running;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const unpublish = publishGauges(this.#env.meter, cacheLabels(this.name, this.resource), {
      version: () => this.#store.version,
      queued: () => this.#deltas.size,
    });
    try {
      await this.#reflector.run(signal);
    } finally {
      this.#resync?.stop();
      unpublish();
      this.#deltas.close();
      this.#waiters.end(signal.reason);
    }
  }

  #batch(work: () => void): void {
    const { clock } = this.#env;
    const beganAt = clock.monotonic();
    work();
    this.#latency.observe((clock.monotonic() - beganAt) / 1_000);
    const { version } = this.#store;
    if (version === this.#toldVersion) return;
    this.#toldVersion = version;
    this.#waiters.check();
    this.#tell(this.#progress);
  }

  #replaced({ first, rewind }: { first: boolean; rewind: boolean }): void {
    this.#listings += 1;
    if (first) this.#resync?.start();
    if (rewind) {
      this.#waiters.release();
      this.#tell(this.#rewinds);
    }
  }

  #tell(listeners: ReadonlySet<VersionListener>): void {
    for (const listener of listeners) {
      try {
        listener(this.#store.version);
      } catch (thrown) {
        this.#handlerFailed(thrown);
      }
    }
  }

  #handlerFailed(thrown: unknown): void {
    this.#counters.handlerErrors.inc();
    const fields = { resource: resourceName(this.resource), name: this.name, error: messageOf(thrown) };
    this.#env.log.error("an event handler of the cache threw", fields);
  }
}
