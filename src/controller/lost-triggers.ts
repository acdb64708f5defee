import type { QueueEntry, Trigger } from "../workqueue/index.ts";
import type { CachedKind } from "./cached-kinds.ts";
import { FallbackPass } from "./fallback-pass.ts";

/** Where each cache of the controller stands at one moment, in the order of its kinds. One for all keys of that moment. */
type Positions = readonly string[];

/**
 * Finds the passes that repair a lost trigger: a change reached the cache, but not the queue. Any event between two passes of a key is
 * a trigger of the second one, so where that has none, whatever has changed in the caches since the first one began was lost.
 *
 * Promises: a change that never reached the cache, and work that is due by the clock, are never taken for it. Remembers a pointer a key.
 * Does not find: a change that a live read alone shows, one whose versions cannot be compared, one read while a cache still tells
 * the differences of a list (their triggers are on the way), and one that a skipped or failed pass was handed.
 */
export class LostTriggers {
  readonly #kinds: readonly CachedKind[];
  readonly #isWait: (interval: string) => boolean;
  readonly #seen: Map<string, Positions> = new Map();
  #latest: Positions = [];

  /** `isWait`: whether an interval is a fallback for an event that should come first. */
  constructor(kinds: Iterable<CachedKind>, isWait: (interval: string) => boolean) {
    this.#kinds = [...kinds];
    this.#isWait = isWait;
  }

  /** A key was handed to a worker. Gives what the pass needs if it may repair a lost trigger. */
  begin({ key, triggers }: QueueEntry): FallbackPass | undefined {
    const before = this.#seen.get(key);
    const now = this.#positions();
    this.#seen.set(key, now);
    const [first] = triggers;
    if (!first || !before || before === now || !triggers.every((trigger) => this.#isFallback(trigger)))
      return undefined;
    if (this.#kinds.some(({ store }) => store.isTelling())) return undefined;
    const windows = this.#kinds.map((kind, nth) => ({ kind, after: before[nth] ?? "", upTo: now[nth] ?? "" }));
    const trigger = first.kind === "resync" ? "resync" : "requeue";
    return new FallbackPass({ trigger, interval: first.interval }, windows);
  }

  /** The object is gone. */
  forget(key: string): void {
    this.#seen.delete(key);
  }

  #isFallback({ kind, interval }: Trigger): boolean {
    return kind === "resync" || (kind === "requeue" && interval !== undefined && this.#isWait(interval));
  }

  #positions(): Positions {
    const latest = this.#latest;
    const moved = this.#kinds.some(({ store }, nth) => store.lastStoreSyncResourceVersion() !== latest[nth]);
    if (moved) this.#latest = this.#kinds.map(({ store }) => store.lastStoreSyncResourceVersion());
    return this.#latest;
  }
}
