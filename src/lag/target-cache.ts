import type { Clock } from "../base/index.ts";
import type { HeadWatch } from "../head/index.ts";
import type { Resource } from "../resources/index.ts";
import { CacheLag, type LagAnswer, NO_VERSION, unknownAnswer, withoutNumbers } from "./cache-lag.ts";
import type { TargetScope } from "./target.ts";
import { TargetHead } from "./target-head.ts";
import { unwrapVersion } from "./unwrap.ts";

export interface TargetCacheOptions {
  readonly resource: Resource;
  /** Watches everything of the kind. */
  readonly head: HeadWatch;
  readonly scope: TargetScope;
  readonly budgetMs: number;
  readonly reads: boolean;
  readonly stalledAfterMs: () => number;
  readonly clock: Clock;
}

/** The page on which a cache's version stood: asked for at `sentAt`, there at `receivedAt` (monotonic milliseconds). */
export interface StoreSighting {
  /** The last 15 digits of the version; 0 is none; undefined where the value is none. */
  readonly digits: bigint | undefined;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** One cache of a target over time, for one life of its process. */
export class TargetCache {
  readonly resource: Resource;
  readonly #options: TargetCacheOptions;
  readonly #head: TargetHead;
  readonly #lag: CacheLag;
  #seen: StoreSighting;
  /** The lowest version above all that the server was known to have, and when it was seen. */
  #ahead: { readonly version: bigint; readonly receivedAt: number } | undefined;

  constructor(options: TargetCacheOptions, seen: StoreSighting) {
    const { head, scope, reads, clock } = options;
    this.resource = options.resource;
    this.#options = options;
    this.#seen = seen;
    this.#head = new TargetHead(head, reads, clock);
    this.#lag = new CacheLag({ ...options, head: this.#head, scope: scope === "all" ? "same" : "unknown" });
    this.see(seen);
  }

  get head(): HeadWatch {
    return this.#options.head;
  }

  see(seen: StoreSighting): void {
    this.#seen = seen;
    this.answer(); // what only a sequence shows, that it stands still or went back, needs every one of them
  }

  /** How late it was when it was last seen. What has been learned since then only narrows the bounds. */
  answer(): LagAnswer {
    const { table, doubt } = this.#head;
    const { digits, sentAt, receivedAt } = this.#seen;
    const view = table.view();
    const unknown = (why: string): LagAnswer => unknownAnswer(why, table, this.#observedAt());
    if (digits === undefined) return unknown("what it publishes is no version: a whole number below 2^53 is");
    if (digits === 0n) return unknown(NO_VERSION);
    if (!view) return unknown(doubt ?? "no read has been answered yet");
    const version = unwrapVersion(digits, view.position);
    const answer = this.#lag.observe({ version: String(version), sentAt, receivedAt });
    const ahead = this.#aheadOf(version);
    return ahead === undefined || answer.state === "rewind"
      ? answer
      : { ...withoutNumbers(answer), state: "unknown", why: ahead };
  }

  /** A version that the server has still not reached by a read that was sent after it was published is of another cluster, or a lie. */
  #aheadOf(version: bigint): string | undefined {
    const { table } = this.#head;
    const { receivedAt } = this.#seen;
    if (version <= table.newest) {
      this.#ahead = undefined;
      return undefined;
    }
    if (!this.#ahead || version < this.#ahead.version) this.#ahead = { version, receivedAt };
    const read = table.view()?.reads.at(-1);
    if (!read || read.sentAt < this.#ahead.receivedAt) return undefined;
    return `it is at version ${version}, which this API server had not reached when it was asked later (${read.version}): does the target watch another cluster?`;
  }

  #observedAt(): number {
    const { clock } = this.#options;
    return clock.now() - (clock.monotonic() - this.#seen.receivedAt);
  }
}
