import { SCRAPE_REASONS } from "../scrape/index.ts";
import type { MetricDefinition } from "../telemetry/index.ts";

export const targetUp: MetricDefinition<"target"> = {
  name: "stalewatch_target_up",
  type: "gauge",
  help: "1 when the last page of the target could be read, 0 when not; absent before the first try.",
  labels: { target: "open" },
  stability: "BETA",
};

export const targetScrapeSeconds: MetricDefinition<"target"> = {
  name: "stalewatch_target_scrape_seconds",
  type: "gauge",
  help: "How long the last page of the target took, also one that could not be read.",
  labels: { target: "open" },
  stability: "ALPHA",
};

export const targetScrapeFailuresTotal: MetricDefinition<"target" | "reason"> = {
  name: "stalewatch_target_scrape_failures_total",
  type: "counter",
  help: "Pages of the target that could not be read.",
  labels: { target: "open", reason: SCRAPE_REASONS },
  stability: "ALPHA",
};

export const targetRestartsTotal: MetricDefinition<"target"> = {
  name: "stalewatch_target_restarts_total",
  type: "counter",
  help: "How often another process answered than before: it restarted, or another replica did.",
  labels: { target: "open" },
  stability: "ALPHA",
};

export const targetStaleSyncSkipsTotal: MetricDefinition<"target" | "controller" | "group" | "resource"> = {
  name: "stalewatch_target_stale_sync_skips_total",
  type: "counter",
  help: "Passes that the target's controllers skipped because a cache had not yet seen an own write; across restarts, 0 where the target publishes none.",
  labels: { target: "open", controller: "open", group: "open", resource: "open" },
  stability: "BETA",
};

export const targetMetrics: readonly MetricDefinition[] = [
  targetUp,
  targetScrapeSeconds,
  targetScrapeFailuresTotal,
  targetRestartsTotal,
  targetStaleSyncSkipsTotal,
];
