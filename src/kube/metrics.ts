import type { MetricDefinition } from "../telemetry/index.ts";

const latencyBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const sizeBuckets = [64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216];
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

export const requestsTotal: MetricDefinition<"code" | "method" | "host"> = {
  name: "rest_client_requests_total",
  type: "counter",
  help: "HTTP requests to the API server, each attempt counted, by status code (<error> without an answer).",
  labels: { code: "open", method: methods, host: "open" },
  stability: "ALPHA",
};

export const requestDurationSeconds: MetricDefinition<"verb" | "host"> = {
  name: "rest_client_request_duration_seconds",
  type: "histogram",
  help: "Time of a whole call to the API server, waits and retries included; watches are not observed.",
  labels: { verb: methods, host: "open" },
  buckets: latencyBuckets,
  stability: "ALPHA",
};

export const rateLimiterDurationSeconds: MetricDefinition<"verb" | "host"> = {
  name: "rest_client_rate_limiter_duration_seconds",
  type: "histogram",
  help: "Time that a call waited for the client's own rate limiter.",
  labels: { verb: methods, host: "open" },
  buckets: latencyBuckets,
  stability: "ALPHA",
};

export const requestSizeBytes: MetricDefinition<"verb" | "host"> = {
  name: "rest_client_request_size_bytes",
  type: "histogram",
  help: "Size of the bodies sent to the API server.",
  labels: { verb: methods, host: "open" },
  buckets: sizeBuckets,
  stability: "ALPHA",
};

export const responseSizeBytes: MetricDefinition<"verb" | "host"> = {
  name: "rest_client_response_size_bytes",
  type: "histogram",
  help: "Size of the bodies that the API server answered with, after decompression; watches are not observed.",
  labels: { verb: methods, host: "open" },
  buckets: sizeBuckets,
  stability: "ALPHA",
};

export const requestRetriesTotal: MetricDefinition<"code" | "verb" | "host"> = {
  name: "rest_client_request_retries_total",
  type: "counter",
  help: "Calls to the API server made again after the answer asked for it, by the code of that answer.",
  labels: { code: "open", verb: methods, host: "open" },
  stability: "ALPHA",
};

export const opaqueObjectsTotal: MetricDefinition<"group" | "version" | "resource"> = {
  name: "stalewatch_opaque_objects_total",
  type: "counter",
  help: "Objects that arrived intact in a list or watch but could not be read, and were left out of the cache.",
  labels: { group: "open", version: "open", resource: "open" },
  stability: "ALPHA",
};

export const kubeMetrics: readonly MetricDefinition[] = [
  requestsTotal,
  requestDurationSeconds,
  rateLimiterDurationSeconds,
  requestSizeBytes,
  responseSizeBytes,
  requestRetriesTotal,
  opaqueObjectsTotal,
];
