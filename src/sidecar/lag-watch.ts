import type { Informer } from "../cache/index.ts";
import { HeadSet } from "../head/index.ts";
import type { CacheView, DelayView, TargetView } from "../http/index.ts";
import { Delays } from "../jobs/index.ts";
import type { KubeClient } from "../kube/index.ts";
import { LAG_BUDGET_MS, type LagAnswer, OwnCaches, STALLED_AFTER_MS, Targets } from "../lag/index.ts";
import type { Resource } from "../resources/index.ts";
import type { Env } from "../telemetry/index.ts";
import type { SidecarOptions } from "./sidecar-options.ts";
import { targetCacheView, targetView } from "./targets.ts";
import { cacheView, delayView } from "./views.ts";

export interface LagWatchOptions extends Pick<
  SidecarOptions,
  "probeIntervalMs" | "lagBudgetMs" | "targets" | "targetIntervalMs"
> {
  readonly client: KubeClient;
  /** Our own caches; more may come. */
  readonly informers: () => readonly Informer[];
  /** Those of them that delays are measured by: each object in at most one of a kind. */
  readonly measured: () => readonly Informer[];
  /** From when on delays count; wall time in milliseconds. */
  readonly since: number;
  /** 90 s for each kind unless given. */
  readonly stalledAfterMs?: (kind: Resource) => number;
  readonly env: Env;
}

const PROBE_INTERVAL_MS = 15_000;
const TARGET_INTERVAL_MS = 15_000;

/** Everything that says how stale caches are, our own and those of targets, and how long other controllers take. */
export class LagWatch {
  readonly heads: HeadSet;
  /** Each runs until its signal aborts. */
  readonly parts: readonly { run(options: { signal: AbortSignal }): Promise<void> }[];
  readonly #own: OwnCaches;
  readonly #targets: Targets;
  readonly #delays: Delays;
  readonly #informers: () => readonly Informer[];

  constructor(options: LagWatchOptions) {
    const { client, informers, measured, since, env, targets = [], stalledAfterMs = () => STALLED_AFTER_MS } = options;
    const { probeIntervalMs = PROBE_INTERVAL_MS, lagBudgetMs: budgetMs = LAG_BUDGET_MS } = options;
    const { targetIntervalMs: intervalMs = TARGET_INTERVAL_MS } = options;
    const heads = new HeadSet({ client, probeIntervalMs, env });
    const judging = { heads, probeIntervalMs, budgetMs, stalledAfterMs, env };
    this.heads = heads;
    this.#informers = informers;
    this.#own = new OwnCaches({ ...judging, informers });
    this.#targets = new Targets({ ...judging, client, targets, intervalMs });
    this.#delays = new Delays({ heads, informers: measured, since, env });
    this.parts = [heads, this.#own, this.#targets, this.#delays];
  }

  /** How late this cache of our own is now. */
  lagOf(informer: Informer): LagAnswer {
    return this.#own.answer(informer);
  }

  caches(): readonly CacheView[] {
    const own = this.#informers().map((informer) => cacheView(informer.status(), this.lagOf(informer)));
    return [...own, ...this.#targets.caches().map(targetCacheView)];
  }

  delays(): readonly DelayView[] {
    return this.#delays.answers().map(delayView);
  }

  targets(): readonly TargetView[] {
    return this.#targets.status().map(targetView);
  }
}
