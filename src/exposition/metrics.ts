import type { MetricDefinition } from "../telemetry/index.ts";

export const buildInfo: MetricDefinition<"version" | "node"> = {
  name: "stalewatch_build_info",
  type: "gauge",
  help: "Always 1: the version of stalewatch and of the Node that runs it.",
  labels: { version: "open", node: "open" },
  stability: "ALPHA",
};

export const seriesDropped: MetricDefinition<"family"> = {
  name: "stalewatch_series_dropped_total",
  type: "counter",
  help: "Series that were not exported because their family already had --max-series of them; what the family shows is incomplete while this grows.",
  labels: { family: "open" },
  stability: "ALPHA",
};

/** Recorded by http/, which stands above the catalog and so cannot declare it itself. */
export const httpRequestDuration: MetricDefinition<"listener" | "code"> = {
  name: "stalewatch_http_request_duration_seconds",
  type: "histogram",
  help: "How long the sidecar's own listeners took to answer, by listener and status code.",
  labels: { listener: ["metrics", "health", "status"], code: "open" },
  buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  stability: "ALPHA",
};

/** What the exporter says about itself. */
export const expositionMetrics: readonly MetricDefinition[] = [buildInfo, seriesDropped, httpRequestDuration];
