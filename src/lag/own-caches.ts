import { sleep } from "../base/index.ts";
import type { Informer } from "../cache/index.ts";
import type { HeadSet } from "../head/index.ts";
import { type Resource, resourceName } from "../resources/index.ts";
import type { Env } from "../telemetry/index.ts";
import { CacheLag, type LagAnswer, withoutNumbers } from "./cache-lag.ts";
import { STALLED_AFTER_MS } from "./lag-state.ts";
import { publishLag, retractLag } from "./metrics.ts";

/** Often enough to see that a cache stands still, and what a rewind has made of it. */
const LOOK_EVERY_MS = 5_000;

export interface OwnCachesOptions {
  /** Runs elsewhere. */
  readonly heads: HeadSet;
  /** Our own caches; more may come. */
  readonly informers: () => Iterable<Informer>;
  /** 0 for no reads: then no cache's lag has an upper bound. */
  readonly probeIntervalMs: number;
  readonly budgetMs: number;
  /** How soon a dead watch of this kind has to be found; 90 s unless given. */
  readonly stalledAfterMs?: (resource: Resource) => number;
  readonly env: Env;
}

interface Judged {
  readonly informer: Informer;
  readonly lag: CacheLag;
  listings: number;
  answer: LagAnswer;
  /** When it was last asked for a fresh list. */
  relistedAt: number;
}

/**
 * Judges the caches of this process by a watch beside each: the target `self`. One that has stalled is told to list again, since the
 * watch beside it proves that its own one is dead; and so is one that a restore has left behind, which it may never see itself.
 */
export class OwnCaches {
  readonly #options: OwnCachesOptions;
  readonly #judged: Map<Informer, Judged> = new Map();

  constructor(options: OwnCachesOptions) {
    this.#options = options;
  }

  /** Resolves after the abort. */
  async run({ signal }: { signal: AbortSignal }): Promise<void> {
    const { clock, meter } = this.#options.env;
    const unpublish = meter.onCollect(() => this.#publish());
    while (!signal.aborted) {
      this.#look();
      await sleep(clock, LOOK_EVERY_MS, signal).catch(() => {}); // aborted: the loop ends
    }
    this.#look();
    unpublish();
    for (const { informer } of this.#judged.values()) retractLag(meter, labelsOf(informer));
  }

  /** How late this cache is now. */
  answer(informer: Informer): LagAnswer {
    return this.#observe(this.#judgedOf(informer));
  }

  #look(): void {
    for (const informer of this.#options.informers()) {
      const judged = this.#judgedOf(informer);
      const { state } = this.#observe(judged);
      if (state === "stalled" || state === "rewind") this.#revive(judged, state);
    }
  }

  #revive(judged: Judged, state: "stalled" | "rewind"): void {
    const { clock, log } = this.#options.env;
    const now = clock.monotonic();
    if (now - judged.relistedAt < STALLED_AFTER_MS) return;
    judged.relistedAt = now;
    const { informer } = judged;
    const { resource, name } = informer;
    const what = state === "stalled" ? "a cache has stalled" : "a cache is of a history that is gone";
    log.warn(`${what} and is listed again`, { resource: resourceName(resource), name });
    informer.relist(state === "stalled" ? "verification" : "rewind");
  }

  #judgedOf(informer: Informer): Judged {
    const known = this.#judged.get(informer);
    if (known) return known;
    const { heads, probeIntervalMs, budgetMs, stalledAfterMs = () => STALLED_AFTER_MS, env } = this.#options;
    // A kind that this process keeps a cache of matters to it.
    const head = heads.get(informer.resource, informer.scope, true);
    const lag = new CacheLag({
      head,
      budgetMs,
      reads: probeIntervalMs > 0,
      clock: env.clock,
      stalledAfterMs: () => {
        const soon = stalledAfterMs(informer.resource);
        // A kind with heartbeats is proved by them, and lateness below their limit is none.
        if (soon < STALLED_AFTER_MS) return soon;
        // Seen from look to look, and by reads alone while the watch beside it is dead too: both come late.
        return Math.max(soon - LOOK_EVERY_MS - probeIntervalMs, soon / 2);
      },
    });
    const answer = lag.observe({ version: "", sentAt: 0, receivedAt: 0 });
    const { listings } = informer.status();
    const judged: Judged = { informer, lag, listings, answer, relistedAt: Number.NEGATIVE_INFINITY };
    this.#judged.set(informer, judged);
    return judged;
  }

  #observe(judged: Judged): LagAnswer {
    const { informer, lag } = judged;
    const { state, synced, lastError, storeVersion, listings } = informer.status();
    const now = this.#options.env.clock.monotonic();
    const sighting = { version: storeVersion, sentAt: now, receivedAt: now };
    let seen = lag.observe(sighting);
    if (listings !== judged.listings) {
      judged.listings = listings;
      lag.listed();
      seen = lag.observe(sighting);
    }
    if (state === "stopped") judged.answer = { ...withoutNumbers(seen), state };
    else if (synced) judged.answer = seen;
    else judged.answer = { ...seen, why: lastError ?? "the first list is not complete" };
    return judged.answer;
  }

  #publish(): void {
    for (const judged of this.#judged.values()) {
      publishLag(this.#options.env.meter, labelsOf(judged.informer), this.#observe(judged));
    }
  }
}

function labelsOf({ name, resource: { group, version, resource } }: Informer) {
  return { target: "self", name, group, version, resource };
}
