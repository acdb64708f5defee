import type { HeadSet } from "../head/index.ts";
import type { Resource } from "../resources/index.ts";
import type { Env } from "../telemetry/index.ts";
import { type LagAnswer, NO_VERSION, withoutNumbers } from "./cache-lag.ts";
import { publishLag, retractLag } from "./metrics.ts";
import type { Target } from "./target.ts";
import { TargetCache } from "./target-cache.ts";
import type { TargetKinds } from "./target-kinds.ts";
import type { PublishedStore, TargetReading } from "./target-reading.ts";
import { unwrapVersion } from "./unwrap.ts";

export interface TargetCachesOptions {
  readonly target: Pick<Target, "name" | "scope">;
  /** Whoever made it runs it. */
  readonly heads: HeadSet;
  readonly kinds: TargetKinds;
  /** 0 for no reads: then no cache's lag has an upper bound. */
  readonly probeIntervalMs: number;
  readonly budgetMs: number;
  /** How long a cache of this kind may stand still beside what it misses. */
  readonly stalledAfterMs: (resource: Resource) => number;
  readonly env: Env;
}

/** Between its asking and its answer, on the monotonic scale, a page was true. */
interface PageTimes {
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** A cache of a target as it was last seen. */
export interface TargetCacheAnswer {
  readonly target: string;
  readonly name: string;
  readonly group: string;
  readonly version: string;
  /** The plural, where the kind is known; else as published. */
  readonly resource: string;
  /** As published: the last 15 digits of a decimal number; "" for none. */
  readonly storeVersion: string;
  readonly lag: LagAnswer;
}

/** What holds for all caches of a target, whatever their versions. */
export interface TargetVerdict {
  /** Nothing can be said, and why. */
  readonly unknown?: string | undefined;
  /** Nobody feeds them. */
  readonly stopped: boolean;
}

interface Kept {
  store: PublishedStore;
  /** A reason where the kind cannot be judged. */
  judge: TargetCache | string;
  observedAt: number;
  /** What its series are called. */
  labels: LagLabels | undefined;
}

type LagLabels = Parameters<typeof publishLag>[1];

/** client-go's informers there watch every object of their kind. */
export const UNFILTERED: ReadonlySet<string> = new Set(["kube-controller-manager"]);

/** The caches of one target, each as the last page has it, in one life of its process. */
export class TargetCaches {
  readonly #options: TargetCachesOptions;
  readonly #kept: Map<string, Kept> = new Map();
  #twice = 0;

  constructor(options: TargetCachesOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** What is left out, one line each. */
  get notes(): readonly string[] {
    if (this.#twice === 0) return [];
    return [`${this.#twice} caches are published under both spellings of their plural; the first counts`];
  }

  /** Another process publishes them now: its caches have a history of their own. */
  forget(): void {
    for (const kept of this.#kept.values()) {
      this.#release(kept);
      kept.judge = "the target has just restarted";
    }
  }

  async see({ stores }: Pick<TargetReading, "stores">, times: PageTimes, signal: AbortSignal): Promise<void> {
    const { kinds, env } = this.#options;
    await kinds.learn(stores, signal);
    const observedAt = env.clock.now() - (env.clock.monotonic() - times.receivedAt);
    const gone = new Map(this.#kept);
    const alone = this.#withoutSecondSpellings(stores);
    this.#twice = stores.length - alone.length;
    for (const store of alone) {
      const key = keyOf(store);
      const known = this.#kept.get(key);
      const judge = this.#judge(store, known?.judge, times);
      if (known && known.judge !== judge) this.#release(known);
      if (known) Object.assign(known, { store, judge, observedAt });
      else this.#kept.set(key, { store, judge, observedAt, labels: undefined });
      gone.delete(key);
    }
    for (const [key, kept] of gone) {
      this.#retract(kept);
      this.#release(kept);
      this.#kept.delete(key);
    }
  }

  answers(verdict: TargetVerdict): readonly TargetCacheAnswer[] {
    return [...this.#kept.values()].map((kept) => this.#answer(kept, verdict));
  }

  /** Sets the gauges of all of them. */
  publish(verdict: TargetVerdict): void {
    const { meter } = this.#options.env;
    for (const kept of this.#kept.values()) {
      const { target, name, group, version, resource, lag } = this.#answer(kept, verdict);
      if (kept.labels?.resource !== resource) this.#retract(kept);
      kept.labels = { target, name, group, version, resource };
      publishLag(meter, kept.labels, lag);
    }
  }

  /** Ends all gauges. */
  retract(): void {
    for (const kept of this.#kept.values()) this.#retract(kept);
  }

  /** Both would be the same series of ours. */
  #withoutSecondSpellings(stores: readonly PublishedStore[]): readonly PublishedStore[] {
    const taken = new Set<string>();
    return stores.filter((store) => {
      const found = this.#options.kinds.find(store);
      const key = keyOf("why" in found ? store : { ...store, resource: found.resource.resource });
      const isFirst = !taken.has(key);
      taken.add(key);
      return isFirst;
    });
  }

  #judge(store: PublishedStore, known: Kept["judge"] | undefined, times: PageTimes): Kept["judge"] {
    const { kinds, heads, target, probeIntervalMs, budgetMs, stalledAfterMs, env } = this.#options;
    const found = kinds.find(store);
    if ("why" in found) return found.why;
    const { resource } = found;
    const sighting = { digits: store.digits, ...times };
    if (known instanceof TargetCache) {
      known.see(sighting);
      return known;
    }
    if (store.digits === 0n) return NO_VERSION; // the watch is to begin where it will stand
    return new TargetCache(
      {
        resource,
        // Short watches, however little the kind matters: on a long one an idle kind is confirmed about once a minute, so that a
        // healthy cache would be `unknown` half of the time (docs/targets.md has the cost).
        head: heads.get(resource, {}, true, standsAt(store)),
        scope: target.scope ?? (UNFILTERED.has(store.name) ? "all" : "unknown"),
        budgetMs,
        reads: probeIntervalMs > 0,
        stalledAfterMs: () => stalledAfterMs(resource),
        clock: env.clock,
      },
      sighting,
    );
  }

  #answer({ store, judge, observedAt }: Kept, { unknown, stopped }: TargetVerdict): TargetCacheAnswer {
    const { name, group, version, digits } = store;
    const resource = typeof judge === "string" ? store.resource : judge.resource.resource;
    const about = { target: this.#options.target.name, name, group, version, resource };
    return { ...about, storeVersion: String(digits || ""), lag: lagOf() };

    function lagOf(): LagAnswer {
      const nothing = withoutNumbers({ headVersion: undefined, observedAt });
      if (unknown !== undefined) return { ...nothing, state: "unknown", why: unknown };
      if (stopped) return { ...nothing, state: "stopped" };
      return typeof judge === "string" ? { ...nothing, state: "unknown", why: judge } : judge.answer();
    }
  }

  #release({ judge }: Kept): void {
    if (judge instanceof TargetCache) this.#options.heads.release(judge.head);
  }

  #retract(kept: Kept): void {
    if (kept.labels) retractLag(this.#options.env.meter, kept.labels);
    kept.labels = undefined;
  }
}

/** What is no number says nothing. */
function standsAt({ digits }: PublishedStore): (newest: bigint) => bigint {
  return (newest) => (digits === undefined ? newest : unwrapVersion(digits, newest));
}

function keyOf({ name, group, version, resource }: PublishedStore): string {
  return [name, group, version, resource].join("\u0000");
}
