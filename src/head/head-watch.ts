import { Backoff, defined, isAbort, messageOf, sleep, StalewatchError, type Timer } from "../base/index.ts";
import { isExpired, isForbidden, type ListerWatcher, type Scope, type WatchEvent } from "../kube/index.ts";
import { isComparableVersion, type KubeObject, metadataOf, type Resource, resourceName } from "../resources/index.ts";
import type { Env } from "../telemetry/index.ts";
import { type AnsweredRead, HeadTable } from "./head-table.ts";
import type { ReadSource } from "./head-view.ts";
import { type HeadCounters, headCounters, type HeadRestartReason } from "./metrics.ts";
import { verifyWatch } from "./verify-watch.ts";

/** A server ends a watch with a bookmark about this long before its timeout (k8s.io/apiserver storage/cacher). */
const CLOSING_BOOKMARK_MS = 2_000;
/** A read that is sent this long before the closing bookmark is answered in time to be in it. */
const READ_BEFORE_BOOKMARK_MS = 750;
/**
 * Idle streams move at bookmarks, about once a minute: one that has not passed a read after this long is under suspicion. With the
 * read before it (15 s) and the verification after it (5 s), a dead watch is found within 100 s.
 */
const PASSED_WITHIN_MS = 78_000;
/** What one watch of two has brought, the other has the chance to bring for this long. */
const HEAD_START_MS = 1_000;
const SHORT_WATCH_MS = 1_000;
/** Shorter watches end without a bookmark (measured on kube-apiserver 1.37). */
const SHORTEST_CLOSED_S = 4;

export interface HeadWatchOptions {
  readonly client: ListerWatcher;
  readonly resource: Resource;
  /** Everything of the kind unless given; the same as that of the caches that are to be judged. */
  readonly scope?: Scope;
  /** Between consistent reads; 0 for none but those that a watch begins with. Then no lag has an upper bound. */
  readonly probeIntervalMs: number;
  /**
   * Whether reads are to count within seconds: watches are as short as the interval, since the bookmark that closes them
   * confirms the read before it. Otherwise watches last long, and an idle kind is confirmed about once a minute.
   */
  readonly prompt: boolean;
  /**
   * Where a cache of the kind stands, by the version of the first read. The watch begins there, so that nothing has to happen until that
   * cache can be judged; where the server has forgotten what came after, it begins at a read.
   */
  readonly beginAt?: (version: bigint) => bigint;
  readonly env: Env;
}

/**
 * Fills the head table of one kind from a watch of its own, metadata only, without a store.
 *
 * Promises: the table's knowledge is contiguous (each watch goes on where the last one was, or a gap says so); after anything that a
 * restore of the cluster looks like, the table is `in doubt` until a read has spoken. Nothing but the signal ends it. A watch that is
 * only suspected to be dead is left alone until a verification watch has seen what it did not.
 */
export class HeadWatch {
  readonly resource: Resource;
  readonly scope: Scope;
  readonly table: HeadTable;
  readonly #options: HeadWatchOptions;
  readonly #counters: HeadCounters;
  readonly #backoff: Backoff;
  #attempt = new AbortController();
  #inPhase = false;
  #doubt: string | undefined = "no read has been answered yet";
  #skips = false;
  /** How far the watch itself has come; verification watches may know more. */
  #reached = 0n;
  /** The oldest read that the table has not passed, and when to ask why. */
  #unpassed: { readonly version: bigint; readonly timer: Timer } | undefined;
  readonly #listeners: Set<() => void> = new Set();

  constructor(options: HeadWatchOptions) {
    const { resource, scope = {}, probeIntervalMs, beginAt, env } = options;
    this.resource = metadataOf(resource);
    this.scope = scope;
    this.table = new HeadTable({ keepsReads: probeIntervalMs > 0, ...defined({ beginAt }) });
    this.#options = options;
    this.#counters = headCounters(env.meter, resource);
    this.#backoff = new Backoff({ baseMs: 800, maxMs: 30_000, factor: 2, jitter: 1, resetAfterMs: 120_000 }, env);
  }

  /** Why nothing should be concluded from the table now; undefined when it can be trusted. */
  get doubt(): string | undefined {
    return this.#doubt;
  }

  /** Somebody saw a sign that the server's history went back: the table is in doubt until a read has spoken. */
  suspect(why: string): void {
    if (this.#doubt !== undefined) return;
    this.#restart("suspected", why);
  }

  /** Calls `listener` after each chunk of the stream. Returns how to stop it. */
  onProgress(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** An object of the kind was written by us, and the answer had this version: as good as a read that was sent when the write was. */
  written(answer: Omit<AnsweredRead, "source">): void {
    if (!this.table.view()) return; // the watch begins with a read of its own
    if (this.table.read({ ...answer, source: "heartbeat" }) !== "rewind") return;
    this.#rewound(answer.newestBefore, answer.version, "heartbeat");
  }

  /** Somebody knows of a change that the stream should have brought by now: asks another watch whether this one is dead. */
  verify(): void {
    const { signal } = this.#attempt;
    this.#verify(signal).catch((thrown: unknown) => this.#readFailed(thrown, signal));
  }

  /** Resolves after the abort. */
  async run({ signal }: { signal: AbortSignal }): Promise<void> {
    const stop = (): void => this.#attempt.abort(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    while (!signal.aborted) {
      // Reads and verifications outlast the watch that they were sent beside, but no restart.
      if (this.#attempt.signal.aborted) this.#attempt = new AbortController();
      const pauseMs = await this.#round(this.#attempt.signal);
      if (pauseMs > 0) await this.#pause(pauseMs, signal);
    }
    signal.removeEventListener("abort", stop);
    this.#forgetUnpassed();
  }

  /** A read if one is due, and one watch. Returns how long to wait before the next round. */
  async #round(signal: AbortSignal): Promise<number> {
    try {
      if (this.#doubt !== undefined) await this.#begin(signal);
      return await this.#follow(signal);
    } catch (thrown) {
      if (signal.aborted) return 0;
      return this.#failed(thrown);
    }
  }

  async #begin(signal: AbortSignal): Promise<void> {
    const version = await this.#read("list", signal);
    if (this.#skips) this.table.skipTo(version, this.#options.env.clock.monotonic());
    this.#skips = false;
    this.#doubt = undefined;
  }

  async #follow(signal: AbortSignal): Promise<number> {
    const { client, env, prompt, probeIntervalMs } = this.#options;
    const short = prompt && probeIntervalMs > 0;
    const timeoutSeconds = short ? this.#shortTimeout() : 300 + Math.floor(env.random() * 300);
    const openedAt = env.clock.monotonic();
    this.#reached = this.table.position;
    const resourceVersion = String(this.table.position);
    const stopProbes = this.#probe(
      short ? timeoutSeconds * 1_000 - CLOSING_BOOKMARK_MS - READ_BEFORE_BOOKMARK_MS : probeIntervalMs,
      signal,
    );
    try {
      const options = { ...this.scope, resourceVersion, timeoutSeconds, signal };
      for await (const chunk of client.watch(this.resource, options)) {
        if (signal.aborted) return 0;
        for (const event of chunk) this.#reached = this.#take(event);
        this.#tell();
      }
    } finally {
      stopProbes();
    }
    return env.clock.monotonic() - openedAt < SHORT_WATCH_MS ? this.#backoff.next() : 0;
  }

  /**
   * Seconds. Many kinds begin at once: the first watch of each ends at another time, so that from then on their reads do not come
   * together, wait for one another and miss the bookmark that they are for.
   */
  #shortTimeout(): number {
    const { env, probeIntervalMs } = this.#options;
    const full = Math.ceil((probeIntervalMs + CLOSING_BOOKMARK_MS) / 1_000);
    if (this.#inPhase) return full;
    this.#inPhase = true;
    const shortest = Math.min(full, SHORTEST_CLOSED_S);
    return shortest + Math.floor(env.random() * (full - shortest + 1));
  }

  /** Returns the version that the event stands for. */
  #take(event: WatchEvent<KubeObject>): bigint {
    const { clock } = this.#options.env;
    const version = event.type === "BOOKMARK" ? event.resourceVersion : (event.object?.metadata.resourceVersion ?? "");
    if (!isComparableVersion(version)) {
      throw new StalewatchError(
        "UNREADABLE_VERSION",
        `an event of ${resourceName(this.resource)} has the version "${version}", which cannot be compared`,
      );
    }
    if (event.type === "BOOKMARK") this.table.bookmark(version);
    else this.table.event(version, clock.monotonic());
    if (this.#unpassed && this.#unpassed.version <= this.table.position) this.#forgetUnpassed();
    return BigInt(version);
  }

  /** Asks for the version every `intervalMs` until stopped. A failure costs this answer alone. */
  #probe(intervalMs: number, signal: AbortSignal): () => void {
    const { clock } = this.#options.env;
    if (this.#options.probeIntervalMs === 0) return () => {};
    let timer: Timer;
    const again = (): void => {
      timer = clock.setTimer(() => {
        again();
        this.#read("probe", signal).catch((thrown: unknown) => this.#readFailed(thrown, signal));
      }, intervalMs);
    };
    again();
    return () => timer.cancel();
  }

  async #read(source: ReadSource, signal: AbortSignal): Promise<string> {
    const { client, env } = this.#options;
    const newestBefore = this.table.newest;
    const sentAt = env.clock.monotonic();
    let version = "";
    for await (const page of client.list(this.resource, { ...this.scope, limit: 1, signal })) {
      version = page.resourceVersion;
      break;
    }
    const outcome = this.table.read({ version, sentAt, answeredAt: env.clock.monotonic(), source, newestBefore });
    if (outcome === "unreadable") {
      const what = `the version "${version}" of ${resourceName(this.resource)} cannot be compared`;
      throw new StalewatchError("UNREADABLE_VERSION", what);
    }
    if (outcome === "rewind") this.#rewound(newestBefore, version, source);
    if (outcome === "kept") this.#mustPass(BigInt(version), signal);
    return version;
  }

  /** A watch from a version of the future is accepted and silent: it has to begin again where the history is now. */
  #rewound(from: bigint, to: string, source: ReadSource): void {
    const { env } = this.#options;
    env.log.warn("the server's history went back", { resource: resourceName(this.resource), from: String(from), to });
    if (source === "list") this.#counters.restarts.rewind.inc();
    else this.#restart("rewind", undefined);
  }

  #mustPass(version: bigint, signal: AbortSignal): void {
    if (this.#unpassed || this.#options.probeIntervalMs === 0 || this.table.position >= version) return;
    const timer = this.#options.env.clock.setTimer(() => {
      this.#unpassed = undefined;
      this.#verify(signal).catch((thrown: unknown) => this.#readFailed(thrown, signal));
    }, PASSED_WITHIN_MS);
    this.#unpassed = { version, timer };
  }

  /** Settles whether the watch is dead: only what another one sees, and it does not, proves that. */
  async #verify(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { client } = this.#options;
    await this.#read("verify", signal);
    const from = this.table.position;
    const seen = await verifyWatch({ client, resource: this.resource, scope: this.scope, from, signal }, (event) =>
      this.#take(event),
    );
    this.#tell();
    if (seen > this.#reached) await sleep(this.#options.env.clock, HEAD_START_MS, signal);
    if (!signal.aborted && seen > this.#reached) this.#restart("dead", undefined);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #restart(reason: HeadRestartReason, doubt: string | undefined): void {
    const { env } = this.#options;
    this.#counters.restarts[reason].inc();
    this.#doubt = doubt;
    env.log.warn("the head watch is opened again", { resource: resourceName(this.resource), reason });
    this.#attempt.abort();
    this.#forgetUnpassed();
  }

  #failed(thrown: unknown): number {
    const reason = reasonOf(thrown);
    // What was asked before it broke may be answered of a history that a restore has taken back.
    this.#attempt.abort();
    this.#forgetUnpassed();
    // What cannot be read, or is forgotten, cannot be gone through event by event: the watch goes on behind it.
    this.#skips ||= reason !== "broken";
    this.#counters.restarts[reason].inc();
    const error = describe(thrown, this.resource);
    const { log } = this.#options.env;
    // A kind that may not be watched fails so for good.
    if (error !== this.#doubt)
      log.warn("the head watch failed", { resource: resourceName(this.resource), reason, error });
    this.#doubt = error;
    return this.#backoff.next();
  }

  #readFailed(thrown: unknown, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#counters.readFailures.inc();
    const error = describe(thrown, this.resource);
    this.#options.env.log.warn("the version of a kind could not be read", {
      resource: resourceName(this.resource),
      error,
    });
  }

  #forgetUnpassed(): void {
    this.#unpassed?.timer.cancel();
    this.#unpassed = undefined;
  }

  async #pause(pauseMs: number, signal: AbortSignal): Promise<void> {
    try {
      await sleep(this.#options.env.clock, pauseMs, signal);
    } catch (thrown) {
      if (!isAbort(thrown, signal)) throw thrown;
    }
  }
}

function reasonOf(thrown: unknown): "expired" | "unreadable" | "broken" {
  if (isExpired(thrown)) return "expired";
  return thrown instanceof StalewatchError && thrown.code === "UNREADABLE_VERSION" ? "unreadable" : "broken";
}

/** One line: what failed and what to do about it. */
function describe(thrown: unknown, { group, resource }: Resource): string {
  const message = messageOf(thrown);
  if (!isForbidden(thrown)) return message;
  return `${message}; the rule to add is apiGroups: ["${group}"], resources: ["${resource}"], verbs: ["list", "watch"]`;
}
