import type { MetricDefinition } from "../telemetry/index.ts";

export const requestDuration: MetricDefinition<"listener" | "code"> = {
  name: "stalewatch_http_request_duration_seconds",
  type: "histogram",
  help: "How long the sidecar's own listeners took to answer, by listener and status code.",
  labels: { listener: ["metrics", "health", "status"], code: "open" },
  buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  stability: "ALPHA",
};

export const httpMetrics: readonly MetricDefinition[] = [requestDuration];
