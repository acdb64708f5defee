import { formatDuration } from "../base/index.ts";
import type { InformerStatus } from "../cache/index.ts";
import type { CheckResult, HealthCheck, HealthChecks } from "../http/index.ts";
import type { LagAnswer } from "../lag/index.ts";

interface CacheHealth extends InformerStatus {
  readonly lag: LagAnswer | undefined;
}

export interface HealthSources {
  /** The caches that are there, or are to be: a kind of `--watch` that the server lacks has none. */
  readonly kinds: readonly string[];
  /** Of one of these kinds. */
  caches(kind: string): readonly CacheHealth[];
  /** Why a kind has no cache. */
  problems(): ReadonlyMap<string, string>;
  /** Told beside the caches. */
  readonly heartbeats: readonly HealthCheck[];
  /** Whether a cache that is late for certain fails readiness. */
  readonly strict: boolean;
  /** Whether the first lists have had all the time that readiness waits for. */
  waitedLongEnough(): boolean;
  stopping(): boolean;
}

/**
 * Ready is who can serve: every first list is there, or has had its time. A cache that trails or cannot be filled is told
 * (`?verbose`), but fails nothing unless it is `strict`: a sidecar that is not ready takes the container beside it out of service.
 */
export function healthChecks(sources: HealthSources): HealthChecks {
  const alive: HealthCheck = { name: "ping", check: () => ({ ok: true }) };
  const shutdown: HealthCheck = {
    name: "shutdown",
    check: () => (sources.stopping() ? { ok: false, reason: "asked to stop" } : { ok: true }),
  };
  const caches = sources.kinds.map((kind): HealthCheck => ({
    name: `cache-${kind}`,
    check: () => cacheCheck(kind, sources),
  }));
  return { healthz: [alive], readyz: [alive, shutdown, ...caches, ...sources.heartbeats] };
}

function cacheCheck(kind: string, sources: HealthSources): CheckResult {
  const caches = sources.caches(kind);
  const problem = sources.problems().get(kind) ?? (caches.length === 0 ? "not started yet" : undefined);
  if (problem !== undefined) return { ok: sources.waitedLongEnough(), reason: problem };
  const troubles = caches.flatMap(troublesOf);
  const filled = caches.every(({ synced }) => synced);
  const reason = troubles.length > 0 ? troubles.join("; ") : undefined;
  const tooLate = sources.strict && caches.some(isLate);
  return { ok: !tooLate && (filled || sources.waitedLongEnough()), reason };
}

function troublesOf({ synced, state, lastError, lag }: CacheHealth): readonly string[] {
  if (!synced) return [lastError === undefined ? `not filled yet, ${state}` : `not filled yet, ${state}: ${lastError}`];
  if (lastError !== undefined) return [`degraded, ${state}: ${lastError}`];
  return lag && isLate({ lag }) ? [`${lag.state}${byAtLeast(lag)}`] : [];
}

const LATE: ReadonlySet<string> = new Set(["lagging", "stalled", "rewind"]);

function isLate({ lag }: Pick<CacheHealth, "lag">): boolean {
  return lag !== undefined && LATE.has(lag.state);
}

function byAtLeast({ minMs }: LagAnswer): string {
  return minMs === undefined ? "" : `, late by ${formatDuration(minMs)} at least`;
}
