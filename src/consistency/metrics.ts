import type { MetricDefinition } from "../telemetry/index.ts";

/** Which evidence is held against the cache: the Job that the object's status names, or the holder of its run lease. */
export type LagCheck = "active_job" | "run_lease";

/**
 * What a check found: a Job that the cache does not show, a Job that is gone (or holds nothing any more), or no sign of one beyond
 * what the cache shows.
 */
export type CheckVerdict = "lag" | "gone" | "none";

const checks: readonly LagCheck[] = ["active_job", "run_lease"];

export const lagChecksTotal: MetricDefinition<"controller" | "check" | "verdict"> = {
  name: "stalewatch_lag_checks_total",
  type: "counter",
  help: "Checks for a Job that the cache does not show, before what stands for a running Job is cleared, by what they found.",
  labels: { controller: "open", check: checks, verdict: ["lag", "gone", "none"] },
  stability: "BETA",
};

export const lagCheckSeconds: MetricDefinition<"controller" | "check"> = {
  name: "stalewatch_lag_check_seconds",
  type: "histogram",
  help: "How long checks took that asked the API server; the others cost nothing.",
  labels: { controller: "open", check: checks },
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  stability: "ALPHA",
};

export const consistencyMetrics: readonly MetricDefinition[] = [lagChecksTotal, lagCheckSeconds];
