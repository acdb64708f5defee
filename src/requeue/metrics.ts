import type { MetricDefinition } from "../telemetry/index.ts";

/** How a requeue that was asked for ended. */
export type RequeueOutcome = "fired" | "superseded" | "dropped";

const intervalLabels = { controller: "open", interval: "open" } as const;

export const requeuesTotal: MetricDefinition<"controller" | "interval" | "outcome"> = {
  name: "requeues_total",
  type: "counter",
  help: "Requeues by how they ended: fired at their time, superseded by an event that came first, or dropped at shutdown.",
  labels: { ...intervalLabels, outcome: ["fired", "superseded", "dropped"] },
  stability: "BETA",
};

export const requeueIntervalSeconds: MetricDefinition<"controller" | "interval"> = {
  name: "requeue_interval_seconds",
  type: "gauge",
  help: "The configured duration of an interval.",
  labels: intervalLabels,
  stability: "BETA",
};

export const requeueDelaySeconds: MetricDefinition<"controller" | "interval"> = {
  name: "requeue_delay_seconds",
  type: "histogram",
  help: "The delay that passes asked for.",
  labels: intervalLabels,
  buckets: [0.1, 1, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600],
  stability: "BETA",
};

export const requeueLatenessSeconds: MetricDefinition<"controller" | "interval"> = {
  name: "requeue_lateness_seconds",
  type: "histogram",
  help: "How long after its due time the pass of a fired requeue began.",
  labels: intervalLabels,
  buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300],
  stability: "BETA",
};

export const requeueMetrics: readonly MetricDefinition[] = [
  requeuesTotal,
  requeueIntervalSeconds,
  requeueDelaySeconds,
  requeueLatenessSeconds,
];
