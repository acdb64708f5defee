// http/: what is served: /metrics, /healthz and /readyz, /api/v1, each by a listener of its own.
// Promises: only reads; one clear line when an address cannot be bound; no stack trace, token or header in an answer.
// Does not know the sidecar: everything it shows comes in through small interfaces. No TLS and no authentication yet, so a listener
// that tells about the cluster stays on loopback unless the user says otherwise.
// Start with listener.ts, then one of metrics-app.ts, health-app.ts, status-app.ts.
export { isLoopback, parseBindAddress } from "./address.ts";
export type {
  CachesAnswer,
  CacheView,
  DelayView,
  HeartbeatView,
  IntervalsAnswer,
  JobsAnswer,
  QueuesAnswer,
  TargetsAnswer,
  TargetView,
} from "./answers.ts";
export type { AppEnv } from "./app.ts";
export { type CheckResult, healthApp, type HealthCheck, type HealthChecks } from "./health-app.ts";
export type { IntervalsSource } from "./intervals-view.ts";
export { Listener, type ListenerOptions } from "./listener.ts";
export { metricsApp } from "./metrics-app.ts";
export type { QueueSource } from "./queue-view.ts";
export { statusApp, type StatusSources } from "./status-app.ts";
