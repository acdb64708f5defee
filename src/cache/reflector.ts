import { Backoff, type BackoffOptions, isAbort, sleep } from "../base/index.ts";
import { ApiError, isTooManyRequests, type ListerWatcher, type Scope, type WatchEvent } from "../kube/index.ts";
import { compareVersions, type KubeObject, type Resource, resourceName } from "../resources/index.ts";
import type { Env } from "../telemetry/index.ts";
import type { InformerState, RelistRequest } from "./api.ts";
import type { Contents } from "./contents.ts";
import type { Delta } from "./delta.ts";
import type { DeltaQueue } from "./delta-queue.ts";
import { describeFailure, reasonOf } from "./failures.ts";
import type { Intake } from "./intake.ts";
import { listPages, type ListSource, listStream, readVersion } from "./listing.ts";
import type { CacheCounters, RelistReason, RestartReason } from "./metrics.ts";
import { ResumedStream } from "./resumed-stream.ts";
import { SilenceGuard } from "./silence-guard.ts";

/** client-go's: 0.8 s doubling to 30 s, each up to doubled by chance, forgotten after two quiet minutes. */
const BACKOFF: BackoffOptions = { baseMs: 800, maxMs: 30_000, factor: 2, jitter: 1, resetAfterMs: 120_000 };

/** A server that asks for a longer pause is asked again all the same. */
const LONGEST_PAUSE_MS = 300_000;

/** A watch that ends within this time is not worth opening again at once. */
const SHORT_WATCH_MS = 1_000;

/** Servers that send bookmarks send one about every minute: after three that did not come the stream is taken for dead. */
const LONGEST_SILENCE_MS = 200_000;

export interface ReflectorOptions<T extends KubeObject> {
  readonly client: ListerWatcher;
  readonly resource: Resource<T>;
  readonly scope: Scope;
  readonly env: Env;
  readonly backoff: Partial<BackoffOptions>;
  readonly intake: Intake<T>;
  readonly counters: CacheCounters;
  readonly deltas: DeltaQueue<Delta<T>>;
  /** Empty contents for the next list. */
  readonly draft: () => Contents<T>;
}

/**
 * Lists, then watches, for ever; what it learns goes into the delta queue. Nothing but the signal ends it.
 *
 * A watch that breaks goes on from the last version seen; a new list is made only when the server no longer has that version, when its
 * history went back, or when somebody asks. A history that went back does not show on a watch (a version of the future is accepted
 * in silence), so after every pause, and after a watch that brought nothing at all, a read asks for the version first.
 */
export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #source: ListSource<T>;
  readonly #backoff: Backoff;
  #attempt = new AbortController();
  #state: InformerState = "starting";
  #lastError: string | undefined;
  #lastContactAt: number | undefined;
  /** The last version received: of a list, an event or a bookmark. */
  #position = "";
  #wanted: RelistReason | "first" | undefined = "first";
  #suspect = false;
  #streamsInitialState = true;
  #sendsBookmarks = false;
  #shortInARow = 0;
  /** No watch has brought anything since the last one whose version was gone. */
  #expiredInVain = false;
  /** Where an event was last met that does not say which object it is about. */
  #unreadableAt: string | undefined;
  #passedOver = false;

  constructor(options: ReflectorOptions<T>) {
    const { client, resource, scope, intake, env } = options;
    this.#options = options;
    this.#source = { client, resource, scope, intake, clock: env.clock };
    this.#backoff = new Backoff({ ...BACKOFF, ...options.backoff }, env);
  }

  get state(): InformerState {
    return this.#state;
  }

  get lastError(): string | undefined {
    return this.#lastError;
  }

  get lastContactAt(): number | undefined {
    return this.#lastContactAt;
  }

  /** Resolves after the abort. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.#attempt.abort(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    while (!signal.aborted) {
      this.#attempt = new AbortController();
      const pauseMs = await this.#round();
      if (pauseMs > 0) await this.#pause(pauseMs, signal);
    }
    signal.removeEventListener("abort", stop);
    this.#state = "stopped";
  }

  /** A list that is sent after this call. Ends the present watch; one that is under way already does not count. */
  relist(reason: RelistRequest): void {
    this.#wanted ??= reason;
    if (this.#state === "watching") this.#attempt.abort();
  }

  /** Of a consistent read sent now. */
  readVersion(signal: AbortSignal): Promise<string> {
    return readVersion(this.#source, signal);
  }

  /** One list or check, if one is due, and one watch. Returns how long to wait before the next round. */
  async #round(): Promise<number> {
    let stream: ResumedStream<readonly WatchEvent<T>[]> | undefined;
    try {
      if (this.#wanted) stream = await this.#list(this.#wanted);
      else if (this.#suspect) await this.#verify();
    } catch (thrown) {
      return this.#listFailed(thrown);
    }
    if (!this.#wanted && !this.#attempt.signal.aborted) return this.#watch(stream ?? this.#open(this.#position));
    await stream?.return();
    return 0;
  }

  /** Returns the stream to go on with, where the list was one. */
  async #list(reason: RelistReason | "first"): Promise<ResumedStream<readonly WatchEvent<T>[]> | undefined> {
    this.#state = "listing";
    this.#wanted = undefined;
    try {
      if (this.#streamsInitialState) {
        const stream = await this.#listByStream(reason);
        if (stream) return stream;
      }
      const contents = this.#options.draft();
      const version = await listPages(this.#source, contents, this.#attempt.signal);
      await this.#replace(contents, version, reason);
      return undefined;
    } catch (thrown) {
      this.#wanted = reason;
      throw thrown;
    }
  }

  /** Undefined when it failed in a way that a paged list may not. */
  async #listByStream(reason: RelistReason | "first"): Promise<ResumedStream<readonly WatchEvent<T>[]> | undefined> {
    const { signal } = this.#attempt;
    const silence = new AbortController();
    const stream = this.#open("", AbortSignal.any([signal, silence.signal]))[Symbol.asyncIterator]();
    try {
      const contents = this.#options.draft();
      const { version, rest } = await listStream(this.#source, contents, stream, (why) => silence.abort(why));
      await this.#replace(contents, version, reason);
      return new ResumedStream(rest, stream);
    } catch (thrown) {
      await stream.return?.();
      if (signal.aborted || isTooManyRequests(thrown)) throw thrown;
      const failure: unknown = silence.signal.aborted ? silence.signal.reason : thrown;
      this.#countListFailure(failure);
      this.#streamsInitialState = !silence.signal.aborted && !refusesForGood(failure);
      return undefined;
    }
  }

  #replace(contents: Contents<T>, version: string, reason: RelistReason | "first"): Promise<void> {
    const { counters, deltas, env, resource } = this.#options;
    const rewind = compareVersions(version, this.#position) === -1;
    if (reason !== "first") {
      const why = rewind ? "rewind" : reason;
      counters.relists[why].inc();
      env.log.info("listed again", {
        resource: resourceName(resource),
        reason: why,
        from: this.#position,
        to: version,
      });
    }
    this.#position = version;
    this.#suspect = false;
    this.#passedOver = false;
    this.#succeeded();
    deltas.push([{ type: "REPLACED", contents, version, rewind }]);
    return deltas.drained();
  }

  async #verify(): Promise<void> {
    const version = await readVersion(this.#source, this.#attempt.signal);
    this.#suspect = false;
    if (compareVersions(version, this.#position) === -1) this.#wanted = "rewind";
  }

  /** From a version, or from "" with the present state first. */
  #open(resourceVersion: string, signal = this.#attempt.signal): AsyncIterable<readonly WatchEvent<T>[]> {
    const { client, resource, scope, env } = this.#options;
    return client.watch(resource, {
      ...scope,
      resourceVersion,
      sendInitialEvents: resourceVersion === "",
      // Spread, so that a fleet that started together does not come back together.
      timeoutSeconds: 300 + Math.floor(env.random() * 300),
      onOpen: () => this.#succeeded(),
      signal,
    });
  }

  async #watch(stream: AsyncIterable<readonly WatchEvent<T>[]>): Promise<number> {
    const { clock } = this.#options.env;
    this.#state = "watching";
    const openedAt = clock.monotonic();
    let brought = 0;
    let silent = false;
    const guard = new SilenceGuard(clock, LONGEST_SILENCE_MS, () => {
      silent = this.#sendsBookmarks;
      if (silent) this.#attempt.abort();
    });
    try {
      for await (const chunk of stream) {
        guard.heard();
        brought += chunk.length;
        if (chunk.length > 0) {
          this.#expiredInVain = false;
          this.#succeeded();
        }
        if (!this.#take(chunk)) return this.#restart("unreadable");
        if (this.#options.deltas.size > 0) await this.#options.deltas.drained();
      }
    } catch (thrown) {
      if (!this.#attempt.signal.aborted) return this.#watchFailed(thrown);
    } finally {
      guard.stop();
    }
    this.#suspect ||= silent || brought === 0;
    if (silent) return this.#restart("silent");
    if (this.#attempt.signal.aborted) return this.#wanted ? this.#restart("relist") : 0;
    return this.#ended(clock.monotonic() - openedAt, brought);
  }

  /** A clean end is followed at once, unless it came too soon: with nothing, or again. */
  #ended(lastedMs: number, brought: number): number {
    const short = lastedMs < SHORT_WATCH_MS;
    this.#shortInARow = short ? this.#shortInARow + 1 : 0;
    if (short && (brought === 0 || this.#shortInARow > 1)) return this.#restart("short", this.#backoff.next());
    return this.#restart("ended");
  }

  /**
   * Queues a chunk. False when an event that does not say what it is about is to be asked for once more. Met again, it is passed
   * over, so that one bad object does not hold up the others; what it said is made up for by a list when the watch ends.
   */
  #take(chunk: readonly WatchEvent<T>[]): boolean {
    const deltas: Delta<T>[] = [];
    let whole = true;
    for (const event of chunk) {
      const taken = this.#options.intake.event(event);
      if (!taken) {
        whole = this.#unreadableAt === this.#position;
        this.#unreadableAt = this.#position;
        if (!whole) break;
        this.#passedOver = true;
        continue;
      }
      deltas.push(taken);
      const version = taken.type === "BOOKMARK" ? taken.resourceVersion : taken.object?.metadata.resourceVersion;
      if (version) this.#position = version;
      if (taken.type === "BOOKMARK") this.#sendsBookmarks = true;
    }
    this.#options.deltas.push(deltas);
    return whole;
  }

  #listFailed(thrown: unknown): number {
    if (this.#attempt.signal.aborted) return 0;
    this.#countListFailure(thrown);
    return this.#delay(thrown);
  }

  #countListFailure(thrown: unknown): void {
    const reason = reasonOf(thrown);
    this.#options.counters.listFailures[reason].inc();
    this.#report("list failed", reason, thrown);
  }

  #watchFailed(thrown: unknown): number {
    const reason = reasonOf(thrown);
    this.#report("watch failed", reason, thrown);
    if (reason !== "expired") return this.#restart(reason, this.#delay(thrown));
    this.#wanted ??= "expired";
    // A server that says so is there: the pause that an outage has grown is no reason to wait. Only a list in vain is.
    const pauseMs = this.#expiredInVain ? this.#delay(thrown) : 0;
    this.#expiredInVain = true;
    return this.#restart(reason, pauseMs);
  }

  /** In a pause the server may be replaced by another one: restored from a backup, or a replica that is behind. */
  #restart(reason: RestartReason, pauseMs = 0): number {
    this.#suspect ||= pauseMs > 0;
    if (this.#passedOver && reason !== "unreadable") this.#wanted ??= "unreadable";
    this.#options.counters.restarts[reason].inc();
    return pauseMs;
  }

  #report(message: string, reason: string, thrown: unknown): void {
    const { env, resource } = this.#options;
    this.#lastError = describeFailure(thrown, resource);
    const level = reason === "internal" ? "error" : "warn";
    env.log[level](message, { resource: resourceName(resource), reason, error: this.#lastError });
  }

  #succeeded(): void {
    this.#lastError = undefined;
    this.#lastContactAt = this.#options.env.clock.now();
  }

  #delay(thrown: unknown): number {
    const askedMs = thrown instanceof ApiError ? (thrown.retryAfterMs ?? 0) : 0;
    return Math.max(this.#backoff.next(), Math.min(askedMs, LONGEST_PAUSE_MS));
  }

  async #pause(pauseMs: number, signal: AbortSignal): Promise<void> {
    this.#state = "backing-off";
    try {
      await sleep(this.#options.env.clock, pauseMs, signal);
    } catch (thrown) {
      if (!isAbort(thrown, signal)) throw thrown;
    }
  }
}

/** Servers without WatchList refuse its parameters; others may only fail this time. */
function refusesForGood(thrown: unknown): boolean {
  return thrown instanceof ApiError && [400, 405, 422].includes(thrown.status);
}
