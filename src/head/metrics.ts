import type { Resource } from "../resources/index.ts";
import type { Counter, Meter, MetricDefinition } from "../telemetry/index.ts";

type KindLabel = "group" | "version" | "resource";
const kind: Readonly<Record<KindLabel, "open">> = { group: "open", version: "open", resource: "open" };

const REASONS = ["broken", "dead", "expired", "rewind", "suspected", "unreadable"] as const;

/** Why a head watch did not simply go on. The end that every watch comes to by its timeout is none. */
export type HeadRestartReason = (typeof REASONS)[number];

export const headResourceVersion: MetricDefinition<KindLabel> = {
  name: "stalewatch_head_resource_version",
  type: "gauge",
  help: "The version of the last event of the kind (its last 15 digits), once one was seen.",
  labels: kind,
  stability: "BETA",
};

export const headTimestampSeconds: MetricDefinition<KindLabel> = {
  name: "stalewatch_head_timestamp_seconds",
  type: "gauge",
  help: "When the last event of the kind arrived: a cache below its version is late by at least the time since then.",
  labels: kind,
  stability: "BETA",
};

const headWatchRestartsTotal: MetricDefinition<KindLabel | "reason"> = {
  name: "stalewatch_head_watch_restarts_total",
  type: "counter",
  help: "Watches beside the caches that broke, were found dead or had to begin anew.",
  labels: { ...kind, reason: REASONS },
  stability: "ALPHA",
};

const headReadFailuresTotal: MetricDefinition<KindLabel> = {
  name: "stalewatch_head_read_failures_total",
  type: "counter",
  help: "Consistent reads of a kind's version that failed.",
  labels: kind,
  stability: "ALPHA",
};

export const headMetrics: readonly MetricDefinition[] = [
  headResourceVersion,
  headTimestampSeconds,
  headWatchRestartsTotal,
  headReadFailuresTotal,
];

/** The counters of one kind, each series there from the start at 0. */
export interface HeadCounters {
  readonly restarts: Readonly<Record<HeadRestartReason, Counter>>;
  readonly readFailures: Counter;
}

export function headCounters(meter: Meter, { group, version, resource }: Resource): HeadCounters {
  const labels = { group, version, resource };
  const restarts = meter.counter(headWatchRestartsTotal);
  return {
    restarts: Object.fromEntries(
      REASONS.map((reason) => [reason, restarts.labels({ ...labels, reason })]),
    ) as HeadCounters["restarts"],
    readFailures: meter.counter(headReadFailuresTotal).labels(labels),
  };
}
