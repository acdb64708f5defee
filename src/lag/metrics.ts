import type { Resource } from "../resources/index.ts";
import type { Counter, Family, Gauge, Histogram, LabelValues, Meter, MetricDefinition } from "../telemetry/index.ts";
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

type KindLabel = "group" | "version" | "resource";
const kind: Readonly<Record<KindLabel, "open">> = { group: "open", version: "open", resource: "open" };

const HEARTBEAT_STAGES = ["send", "ack", "arrival", "stored", "reconciled"] as const;

export type HeartbeatStage = (typeof HEARTBEAT_STAGES)[number];

const heartbeatStageSeconds: MetricDefinition<KindLabel | "stage"> = {
  name: "stalewatch_heartbeat_stage_seconds",
  type: "histogram",
  help: "From when a heartbeat was sent until it got to this stage; for the stage send, from when it was due.",
  labels: { ...kind, stage: HEARTBEAT_STAGES },
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  stability: "BETA",
};

const heartbeatsLostTotal: MetricDefinition<KindLabel> = {
  name: "stalewatch_heartbeats_lost_total",
  type: "counter",
  help: "Heartbeats that were not back from the watch and in the cache three intervals after they were sent.",
  labels: kind,
  stability: "BETA",
};

export const lagMetrics: readonly MetricDefinition[] = [
  cacheLagMinSeconds,
  cacheLagMaxSeconds,
  cacheEventsBehind,
  cacheState,
  heartbeatStageSeconds,
  heartbeatsLostTotal,
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

/** What is measured of one heartbeat, each series there from the start. */
export interface HeartbeatMeters {
  readonly stages: Readonly<Record<HeartbeatStage, Histogram>>;
  readonly lost: Counter;
}

export function heartbeatMeters(meter: Meter, { group, version, resource }: Resource): HeartbeatMeters {
  const labels = { group, version, resource };
  const stages = meter.histogram(heartbeatStageSeconds);
  return {
    stages: Object.fromEntries(
      HEARTBEAT_STAGES.map((stage) => [stage, stages.labels({ ...labels, stage })]),
    ) as HeartbeatMeters["stages"],
    lost: meter.counter(heartbeatsLostTotal).labels(labels),
  };
}

function show(family: Family<CacheLabel, Gauge>, labels: LabelValues<CacheLabel>, value: number | undefined): void {
  if (value === undefined) family.remove(labels);
  else family.labels(labels).set(value);
}

function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1_000;
}
