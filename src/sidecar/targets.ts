import type { TargetView } from "../http/index.ts";
import type { Target, TargetCacheAnswer, TargetScope, TargetStatus } from "../lag/index.ts";
import type { CacheView } from "../http/index.ts";
import { MetricsEndpoint, type MetricsEndpointOptions } from "../scrape/index.ts";
import { lagView } from "./views.ts";

/** A target as the user names it. */
export interface TargetSpec extends Omit<MetricsEndpointOptions, "limits"> {
  /** Unique; "self" is taken. */
  readonly name: string;
  readonly scope?: TargetScope;
}

/** The target behind the URL; nothing is asked of it yet. Its query may hold a secret, so nobody is shown it. */
export function openTarget({ name, scope, ...endpoint }: TargetSpec): Target {
  return {
    name,
    address: endpoint.url.origin + endpoint.url.pathname,
    source: new MetricsEndpoint(endpoint),
    ...(scope ? { scope } : {}),
  };
}

/** A target's cache as /api/v1/caches tells it. */
export function targetCacheView({ lag, storeVersion, ...about }: TargetCacheAnswer): CacheView {
  return { ...about, storeResourceVersion: storeVersion, ...lagView(lag) };
}

/** A target as /api/v1/targets tells it. */
export function targetView(status: TargetStatus): TargetView {
  const { name, address, up, why, remedy, restarts, skips, caches, reading, notes, tookMs } = status;
  return {
    name,
    address,
    up: up ?? null,
    why: why ?? null,
    remedy: remedy || null,
    lastScrapeAt: timeOf(status.lastTriedAt),
    lastPageAt: timeOf(status.lastReadAt),
    scrapeSeconds: tookMs === undefined ? null : tookMs / 1_000,
    leader: reading?.leads ?? null,
    processStartedAt: timeOf(reading?.startedAt === undefined ? undefined : reading.startedAt * 1_000),
    restarts,
    caches,
    staleSyncSkips: skips,
    queues: reading?.queues ?? [],
    reconciles: reading?.reconciles ?? [],
    notes,
  };
}

/** Null also for a moment that no calendar has. */
function timeOf(ms: number | undefined): string | null {
  const date = new Date(ms ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
