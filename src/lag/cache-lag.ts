import type { HeadTable, HeadWatch, ReadSource } from "../head/index.ts";
import { isComparableVersion } from "../resources/index.ts";
import type { Clock } from "../base/index.ts";
import { lagBounds, type Sighting } from "./lag-bounds.ts";
import { lagState, type LagState, STALLED_AFTER_MS } from "./lag-state.ts";

/** How late a cache was when it was last seen. Milliseconds; never negative, never NaN. */
export interface LagAnswer {
  readonly state: LagState;
  /** Only where the state is "unknown". */
  readonly why?: string;
  readonly minMs: number | undefined;
  /** Undefined where there is no upper bound. */
  readonly maxMs: number | undefined;
  readonly eventsBehind: number | undefined;
  readonly headVersion: string | undefined;
  /** Wall time at which both bounds hold. */
  readonly observedAt: number;
  /** The read that the upper bound rests on, and how long before `observedAt` it was sent. */
  readonly confirmedBy: ReadSource | undefined;
  readonly confirmedAgoMs: number | undefined;
}

export interface CacheLagOptions {
  /** Watches the kind in the scope of the cache. */
  readonly head: Pick<HeadWatch, "table" | "doubt" | "suspect">;
  readonly budgetMs: number;
  readonly reads: boolean;
  /** "same" unless given. */
  readonly scope?: Sighting["scope"];
  /** How long a cache may stand still beside what it misses until it is `stalled`; 90 s unless given. */
  readonly stalledAfterMs?: () => number;
  readonly clock: Clock;
}

/** A cache as somebody found it, at some time from `sentAt` to `receivedAt` (monotonic milliseconds). */
export interface CacheSighting {
  /** Decimal string; "" when it has none yet. */
  readonly version: string;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** Why nothing can be said of a cache that has not been filled. */
export const NO_VERSION = "it has no version yet";

/**
 * Follows one cache over time: how late it is at each sighting, and what only a sequence of them shows (it stands still, it is of
 * a history that a restore took back). Answers are as of the sighting and are not carried forward.
 */
export class CacheLag {
  readonly #options: CacheLagOptions;
  #version: bigint | undefined;
  #movedAt = 0;
  #rewinds: number;
  /** It stood at this version when the history went back below it. */
  #rewoundAt: bigint | undefined;
  /** It went back before the table did. */
  #isAhead = false;

  constructor(options: CacheLagOptions) {
    this.#options = options;
    this.#rewinds = options.head.table.rewinds;
  }

  observe(seen: CacheSighting): LagAnswer {
    const { head, clock, reads, scope = "same", budgetMs } = this.#options;
    const none = this.#unanswered(seen);
    if (none !== undefined) return this.#unknown(none);
    const version = BigInt(seen.version);
    this.#follow(version, seen.receivedAt);
    const view = head.table.view();
    if (head.doubt !== undefined || !view) return this.#unknown(head.doubt ?? "no read has been answered yet");
    const bounds = lagBounds(view, { ...seen, version, scope });
    const unmovedMs = seen.receivedAt - this.#movedAt;
    const stalledAfterMs = this.#options.stalledAfterMs?.() ?? STALLED_AFTER_MS;
    const rewound = this.#rewoundAt !== undefined;
    const judged = lagState({ bounds, unmovedMs, rewound, budgetMs, stalledAfterMs, reads });
    const isRewound = judged.state === "rewind";
    const { confirmedBy, eventsBehind, minMs, maxMs } = bounds;
    return {
      ...judged,
      minMs: isRewound ? undefined : minMs,
      maxMs: isRewound ? undefined : maxMs,
      eventsBehind: isRewound ? undefined : eventsBehind,
      headVersion: head.table.lastEvent?.version ?? String(view.position),
      observedAt: clock.now() - (clock.monotonic() - seen.receivedAt),
      confirmedBy: confirmedBy?.source,
      confirmedAgoMs: confirmedBy && Math.max(0, seen.receivedAt - confirmedBy.sentAt),
    };
  }

  /** When it was last seen a list had just filled it anew: what it held of a history that is gone went with that. */
  listed(): void {
    this.#rewoundAt = undefined;
    this.#isAhead ||= this.#options.head.doubt !== undefined;
  }

  #unanswered({ version }: CacheSighting): string | undefined {
    if (version === "" || version === "0") return NO_VERSION;
    if (!isComparableVersion(version)) return `its version "${version}" cannot be compared`;
    return undefined;
  }

  #unknown(why: string): LagAnswer {
    return unknownAnswer(why, this.#options.head.table, this.#options.clock.now());
  }

  #follow(version: bigint, at: number): void {
    const { head } = this.#options;
    const before = this.#version ?? version;
    this.#noteRewind(before);
    if (version < before) {
      // A store goes back only when the server did, of which the table may not have heard yet.
      if (this.#rewoundAt === undefined) {
        head.suspect("a cache of the kind went back to an older version");
        this.#isAhead = true;
      }
      this.#rewoundAt = undefined;
    }
    if (version !== this.#version) this.#movedAt = at;
    this.#version = version;
  }

  #noteRewind(version: bigint): void {
    const { table, doubt } = this.#options.head;
    if (table.rewinds !== this.#rewinds) {
      if (!this.#isAhead && version > (table.view()?.start ?? version)) this.#rewoundAt = version;
      this.#isAhead = false;
    } else if (doubt === undefined) this.#isAhead = false;
    this.#rewinds = table.rewinds;
  }
}

/** The answer of which there are no numbers, with the reason. `observedAt` is wall time. */
export function unknownAnswer(why: string, table: HeadTable, observedAt: number): LagAnswer {
  const answer = { headVersion: table.lastEvent?.version, observedAt };
  return { ...withoutNumbers(answer), state: "unknown", why };
}

/** What is left of an answer when it cannot say how late a cache is. */
export function withoutNumbers({
  headVersion,
  observedAt,
}: Pick<LagAnswer, "headVersion" | "observedAt">): Omit<LagAnswer, "state" | "why"> {
  const none = undefined;
  return {
    headVersion,
    observedAt,
    minMs: none,
    maxMs: none,
    eventsBehind: none,
    confirmedBy: none,
    confirmedAgoMs: none,
  };
}
