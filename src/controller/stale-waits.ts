import type { Clock } from "../base/index.ts";
import type { Resource } from "../resources/index.ts";
import type { Histogram, Span, SpanContext } from "../telemetry/index.ts";

/** A cache that does not show yet what passes for a key have done. */
export interface StaleCache {
  readonly resource: Resource;
  /** `group/resource`. */
  readonly name: string;
  /** What it does not show: a version, or that the object with a uid is gone. */
  readonly missing: { readonly version: string } | { readonly deletedUid: string };
  /** Resolves once it shows it, or nobody can tell any more. */
  shown(signal: AbortSignal): Promise<void>;
  /** Where the time until it has caught up is recorded. */
  readonly waited: Histogram;
}

interface Wait {
  readonly missing: string;
  readonly waited: Histogram;
  readonly since: number;
  readonly span: Span;
  readonly abort: AbortController;
}

export interface StaleWaitsOptions {
  clock: Clock;
  /** Every cache that the key waited for has caught up; `skipped` is the trace of the pass that was skipped first. */
  onCaughtUp: (key: string, skipped: SpanContext | undefined) => void;
}

/** A pass that was skipped. */
export interface Skip {
  readonly stale: readonly StaleCache[];
  readonly span: SpanContext | undefined;
  /** Called for each wait that begins with this skip. */
  readonly startSpan: (cache: StaleCache) => Span;
}

interface WaitingKey {
  readonly skipped: SpanContext | undefined;
  readonly waits: Map<string, Wait>;
}

/**
 * The keys whose pass was skipped, until the caches show what was written. One wait a key and cache, measured from the first
 * skip: a second skip meanwhile joins it.
 */
export class StaleWaits {
  readonly #clock: Clock;
  readonly #onCaughtUp: StaleWaitsOptions["onCaughtUp"];
  readonly #keys: Map<string, WaitingKey> = new Map();

  constructor({ clock, onCaughtUp }: StaleWaitsOptions) {
    this.#clock = clock;
    this.#onCaughtUp = onCaughtUp;
  }

  /** Keys that wait now. */
  get size(): number {
    return this.#keys.size;
  }

  /** Since when the key has waited for this cache, monotonic milliseconds; undefined when it does not. */
  since(key: string, cache: string): number | undefined {
    return this.#keys.get(key)?.waits.get(cache)?.since;
  }

  begin(key: string, { stale, span, startSpan }: Skip): void {
    const waiting = this.#keys.get(key) ?? { skipped: span, waits: new Map<string, Wait>() };
    this.#keys.set(key, waiting);
    for (const cache of stale) {
      const before = waiting.waits.get(cache.name);
      const missing = Object.values(cache.missing).join();
      if (before?.missing === missing) continue;
      before?.abort.abort();
      const { span = startSpan(cache), since = this.#clock.monotonic() } = before ?? {};
      const wait = { missing, waited: cache.waited, since, span, abort: new AbortController() };
      waiting.waits.set(cache.name, wait);
      void this.#follow(key, cache, wait);
    }
  }

  /**
   * The key has been found ready: its waits end here, and give the trace of the pass that was skipped first. An event that the
   * caches had on the way often starts the pass before the caches' own progress is told.
   */
  finish(key: string): SpanContext | undefined {
    const waiting = this.#keys.get(key);
    if (!waiting) return undefined;
    this.#keys.delete(key);
    for (const wait of waiting.waits.values()) {
      wait.abort.abort();
      this.#reached(wait);
    }
    return waiting.skipped;
  }

  /** The object is gone: nothing to wait for. */
  cancel(key: string): void {
    const waiting = this.#keys.get(key);
    this.#keys.delete(key);
    for (const { abort, span } of waiting?.waits.values() ?? []) {
      abort.abort();
      span.end();
    }
  }

  stop(): void {
    for (const key of this.#keys.keys()) this.cancel(key);
  }

  async #follow(key: string, cache: StaleCache, wait: Wait): Promise<void> {
    const caughtUp = await cache.shown(wait.abort.signal).then(
      () => true,
      // Cancelled, or replaced by a wait for a later version, or the cache has stopped for good.
      () => false,
    );
    const waiting = this.#keys.get(key);
    if (waiting?.waits.get(cache.name) !== wait) return;
    waiting.waits.delete(cache.name);
    if (caughtUp) this.#reached(wait);
    else wait.span.end();
    if (waiting.waits.size > 0) return;
    this.#keys.delete(key);
    if (caughtUp) this.#onCaughtUp(key, waiting.skipped);
  }

  #reached({ since, span, waited }: Wait): void {
    waited.observe((this.#clock.monotonic() - since) / 1_000, span.context);
    span.end();
  }
}
