import { Backoff, isAbort, sleep, whenAborted, withinMs } from "../base/index.ts";
import type { Informer } from "../cache/index.ts";
import type { HeadWatch } from "../head/index.ts";
import { isComparableVersion, type KubeObject, type Resource, resourceName } from "../resources/index.ts";
import type { Env } from "../telemetry/index.ts";
import { OpenBeats, type Station } from "./heartbeat-beats.ts";
import type { HeartbeatKind } from "./heartbeat-kinds.ts";
import { type BeatOutcome, type HeartbeatClient, HeartbeatObject } from "./heartbeat-object.ts";
import { type HeartbeatState, stateAfter, stateAfterFailure } from "./heartbeat-state.ts";
import { STALLED_AFTER_MS } from "./lag-state.ts";
import { type HeartbeatMeters, heartbeatMeters } from "./metrics.ts";

/** A beat that is missing for so many intervals is lost. */
const LOST_AFTER = 3;
const LEAST_PATIENCE_MS = 5_000;
const LONGEST_PAUSE_MS = 300_000;
/** What the server is asked at the end must not hold up the end of the process. */
const FAREWELL_MS = 3_000;

/** What `HeartbeatObject` calls, and the watch that is to bring the object back. */
export const HEARTBEAT_VERBS: readonly string[] = ["get", "create", "patch", "delete", "list", "watch"];
/** For both kinds: two sidecars of one namespace find each other by it, and a Role can name it. */
export const HEARTBEAT_NAME = "stalewatch-heartbeat";

export interface HeartbeatOptions<T extends KubeObject> {
  readonly client: HeartbeatClient;
  readonly kind: HeartbeatKind<T>;
  readonly namespace: string;
  /** Distinct for every process that ever runs. */
  readonly holder: string;
  readonly intervalMs: number;
  /** The watch that is to bring each beat. */
  readonly head: HeadWatch;
  /** Those that a beat is evidence for: all of the kind. */
  readonly heads: () => Iterable<HeadWatch>;
  /** The caches of our own that hold the object. */
  readonly caches: () => Iterable<Informer>;
  /** Whether passes are made over the kind, which then are told to `reconciled`. */
  readonly reconciles: boolean;
  /** Throws when nothing may be written. */
  readonly beforeSend: () => void;
  readonly env: Env;
}

/**
 * Writes to one object of its own at an interval, and times each write until it comes back: answered, brought by a watch, in the cache,
 * seen by a pass. The answers say how far the cluster is, like reads; a beat that does not come back shows a watch that may be dead.
 *
 * Promises: the object is gone when `run` resolves, unless the server cannot be reached; nothing that the cluster does rejects `run`.
 */
export class Heartbeat<T extends KubeObject = KubeObject> {
  readonly resource: Resource<T>;
  readonly namespace: string;
  readonly #options: HeartbeatOptions<T>;
  readonly #object: HeartbeatObject<T>;
  readonly #beats: OpenBeats;
  readonly #meters: HeartbeatMeters;
  readonly #backoff: Backoff;
  #state: HeartbeatState = { state: "starting" };
  #sent = 0;
  #lost = 0;
  #answeredAt: number | undefined;
  #reconciled = 0n;
  #rewinds = 0;
  #watched: Set<Informer> = new Set();

  constructor(options: HeartbeatOptions<T>) {
    const { kind, namespace, intervalMs, env } = options;
    this.resource = kind.resource;
    this.namespace = namespace;
    this.#options = options;
    this.#object = new HeartbeatObject({ ...options, ref: { namespace, name: HEARTBEAT_NAME }, clock: env.clock });
    const meters = heartbeatMeters(env.meter, kind.resource);
    this.#meters = meters;
    this.#beats = new OpenBeats({
      clock: env.clock,
      lostAfterMs: LOST_AFTER * intervalMs,
      observe: (stage, seconds) => meters.stages[stage].observe(seconds),
      lost: (missing) => this.#miss(missing.includes("arrival")),
    });
    const maxMs = Math.max(LONGEST_PAUSE_MS, intervalMs);
    this.#backoff = new Backoff({ baseMs: Math.max(LEAST_PATIENCE_MS, intervalMs), maxMs }, env);
  }

  status(): HeartbeatState & { readonly lost: number; readonly answeredAt: number | undefined } {
    const { doubt, table } = this.#options.head;
    const unseen =
      this.#state.state === "beating" && !table.view() ? { reason: `nobody sees it arrive: ${doubt}` } : {};
    return { ...this.#state, ...unseen, lost: this.#lost, answeredAt: this.#answeredAt };
  }

  /** How long a cache of the kind may stand still beside what it misses before its watch must be dead, milliseconds. */
  stalledAfterMs(): number {
    const beats = this.#state.state === "beating";
    return beats ? Math.min(STALLED_AFTER_MS, LOST_AFTER * this.#options.intervalMs) : STALLED_AFTER_MS;
  }

  /** A pass has seen the object at this version. */
  reconciled(version: string): void {
    if (!isComparableVersion(version)) return;
    this.#reconciled = BigInt(version);
    this.#beats.look();
  }

  /** Resolves after the abort, once the object has been removed. */
  async run({ signal }: { signal: AbortSignal }): Promise<void> {
    const { head, intervalMs, env } = this.#options;
    const unsubscribe = [head.onProgress(() => this.#look())];
    this.#become({ state: "starting" });
    let dueAt = env.clock.monotonic();
    while (!signal.aborted && this.#state.state !== "withdrawn") {
      for (const cache of this.#options.caches()) {
        if (this.#watched.has(cache)) continue;
        this.#watched.add(cache);
        unsubscribe.push(cache.onProgress(() => this.#look()));
      }
      const pauseMs = await this.#beat(dueAt, signal);
      dueAt = Math.max(dueAt + intervalMs, env.clock.monotonic() + pauseMs);
      await quietly(sleep(env.clock, dueAt - env.clock.monotonic(), signal), signal);
    }
    await whenAborted(signal);
    for (const stop of unsubscribe) stop();
    this.#watched.clear();
    this.#beats.clear();
    await this.#remove();
    this.#become({ state: "stopped" });
  }

  /** Returns how long to wait at least before the next one. */
  async #beat(dueAt: number, signal: AbortSignal): Promise<number> {
    const { holder, intervalMs, heads, env } = this.#options;
    const { clock } = env;
    this.#sent += 1;
    const silentAfterMs = LOST_AFTER * intervalMs;
    const beat = { holder, mark: `${this.#sent} ${holder}`, at: clock.now(), silentAfterMs };
    const newest = new Map([...heads()].map((head) => [head, head.table.newest]));
    try {
      const outcome = await this.#within(Math.max(LEAST_PATIENCE_MS, silentAfterMs), signal, (limited) =>
        this.#object.beat(beat, limited),
      );
      if (outcome.is === "written") this.#written(outcome, dueAt, newest);
      else if (outcome.is === "harmed") await this.#remove();
      this.#become(stateAfter(outcome, this.#place()));
      if (outcome.is !== "disturbed") this.#backoff.reset();
      return outcome.is === "disturbed" || outcome.is === "occupied" ? this.#backoff.next() : 0;
    } catch (thrown) {
      if (signal.aborted) return 0;
      this.#become(stateAfterFailure(thrown, this.#place(), HEARTBEAT_VERBS));
      return this.#state.state === "refused" ? this.#backoff.next() : 0;
    }
  }

  #written(
    { version, sentAt, answeredAt }: Extract<BeatOutcome, { is: "written" }>,
    dueAt: number,
    newest: ReadonlyMap<HeadWatch, bigint>,
  ): void {
    const { stages } = this.#meters;
    stages.send.observe(Math.max(0, sentAt - dueAt) / 1_000);
    stages.ack.observe((answeredAt - sentAt) / 1_000);
    this.#answeredAt = this.#options.env.clock.now();
    if (!isComparableVersion(version)) return;
    for (const [head, newestBefore] of newest) head.written({ version, sentAt, answeredAt, newestBefore });
    const stations = this.#stations();
    if (stations.length > 0) this.#beats.add(BigInt(version), sentAt, stations);
    this.#look();
  }

  #stations(): readonly Station[] {
    const { head, caches, reconciles } = this.#options;
    if (!head.table.view()) return [];
    const filled = [...caches()].filter((cache) => cache.hasSynced());
    const stations: Station[] = [{ stage: "arrival", reached: (version) => head.table.position >= version }];
    if (filled.length === 0) return stations;
    stations.push({ stage: "stored", reached: (version) => filled.every((cache) => isAt(cache, version)) });
    if (reconciles) stations.push({ stage: "reconciled", reached: (version) => this.#reconciled >= version });
    return stations;
  }

  #look(): void {
    const { rewinds } = this.#options.head.table;
    if (rewinds !== this.#rewinds) {
      this.#rewinds = rewinds;
      this.#reconciled = 0n;
      this.#beats.clear();
    }
    this.#beats.look();
  }

  #miss(asksWatch: boolean): void {
    this.#lost += 1;
    this.#meters.lost.inc();
    if (asksWatch) this.#options.head.verify();
  }

  async #remove(): Promise<void> {
    try {
      await this.#within(FAREWELL_MS, undefined, (limited) => this.#object.remove(this.#options.holder, limited));
    } catch (thrown) {
      const { reason = "" } = stateAfterFailure(thrown, this.#place(), HEARTBEAT_VERBS);
      const { namespace, name } = this.#place();
      const fields = { resource: resourceName(this.resource), object: `${namespace}/${name}`, error: reason };
      this.#options.env.log.warn("the heartbeat's object was left behind; the next sidecar takes it over", fields);
    }
  }

  #within<R>(ms: number, signal: AbortSignal | undefined, call: (limited: AbortSignal) => Promise<R>): Promise<R> {
    const { clock } = this.#options.env;
    return withinMs({ clock, ms, signal, tooLate: () => new Error("no answer in time") }, call);
  }

  #place() {
    return { resource: this.resource, namespace: this.namespace, name: HEARTBEAT_NAME };
  }

  /** A line when it is not the one before. */
  #become(next: HeartbeatState): void {
    const { state, reason, remedy } = next;
    const isNews = state !== this.#state.state || reason !== this.#state.reason;
    this.#state = next;
    if (!isNews || state === "starting" || state === "stopped") return;
    const fields = { resource: resourceName(this.resource), namespace: this.namespace, state };
    const { log } = this.#options.env;
    if (state === "beating") log.info("the heartbeat beats", fields);
    else log.warn("the heartbeat does not beat", { ...fields, why: reason, remedy });
  }
}

function isAt(cache: Informer, version: bigint): boolean {
  const at = cache.lastStoreSyncResourceVersion();
  return isComparableVersion(at) && BigInt(at) >= version;
}

/** An abort of `signal` ends the wait without an error. */
async function quietly(waiting: Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await waiting;
  } catch (error) {
    if (!isAbort(error, signal)) throw error;
  }
}
