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

/** What the exporter says about itself. */
export const expositionMetrics: readonly MetricDefinition[] = [buildInfo, seriesDropped];
