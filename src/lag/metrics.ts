import type { Family, Gauge, LabelValues, Meter, MetricDefinition } from "../telemetry/index.ts";
import type { LagAnswer } from "./cache-lag.ts";
import { LAG_STATES } from "./lag-state.ts";

type CacheLabel = "target" | "name" | "group" | "version" | "resource";
const cache: Readonly<Record<CacheLabel, "open">> = {
  target: "open",
  name: "open",
  group: "open",
  version: "open",
  resource: "open",
};

const cacheLagMinSeconds: MetricDefinition<CacheLabel> = {
  name: "stalewatch_cache_lag_min_seconds",
  type: "gauge",
  help: "The cache is late by at least this much; absent while nothing is known.",
  labels: cache,
  stability: "BETA",
};

const cacheLagMaxSeconds: MetricDefinition<CacheLabel> = {
  name: "stalewatch_cache_lag_max_seconds",
  type: "gauge",
  help: "The cache is late by at most this much; absent where there is no such bound.",
  labels: cache,
  stability: "BETA",
};

const cacheEventsBehind: MetricDefinition<CacheLabel> = {
  name: "stalewatch_cache_events_behind",
  type: "gauge",
  help: "Events of the kind that the cache has yet to see, at most; absent where they cannot be counted.",
  labels: cache,
  stability: "BETA",
};

const cacheState: MetricDefinition<CacheLabel | "state"> = {
  name: "stalewatch_cache_state",
  type: "gauge",
  help: "1 for the state that the cache is in, 0 for the others.",
  labels: { ...cache, state: LAG_STATES },
  stability: "BETA",
};

export const lagMetrics: readonly MetricDefinition[] = [
  cacheLagMinSeconds,
  cacheLagMaxSeconds,
  cacheEventsBehind,
  cacheState,
];

/** Sets the gauges of one cache; what is not known has no series. */
export function publishLag(meter: Meter, labels: LabelValues<CacheLabel>, answer: LagAnswer): void {
  show(meter.gauge(cacheLagMinSeconds), labels, seconds(answer.minMs));
  show(meter.gauge(cacheLagMaxSeconds), labels, seconds(answer.maxMs));
  show(meter.gauge(cacheEventsBehind), labels, answer.eventsBehind);
  const states = meter.gauge(cacheState);
  for (const state of LAG_STATES) states.labels({ ...labels, state }).set(state === answer.state ? 1 : 0);
}

/** Ends all series of one cache. */
export function retractLag(meter: Meter, labels: LabelValues<CacheLabel>): void {
  for (const definition of [cacheLagMinSeconds, cacheLagMaxSeconds, cacheEventsBehind]) {
    meter.gauge(definition).remove(labels);
  }
  for (const state of LAG_STATES) meter.gauge(cacheState).remove({ ...labels, state });
}

function show(family: Family<CacheLabel, Gauge>, labels: LabelValues<CacheLabel>, value: number | undefined): void {
  if (value === undefined) family.remove(labels);
  else family.labels(labels).set(value);
}

function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1_000;
}
