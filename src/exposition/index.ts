// exposition/: what the ports of telemetry/ lead to: Prometheus pages, OpenTelemetry spans, log lines.
// Promises: recording is cheap and never throws; a page has every family of the catalog; no type of a library in what it exports.
// Does not serve anything itself (http/ does) and loads the OpenTelemetry SDK only when the environment asks for traces.
// Start with prometheus-meter.ts for metrics, start-tracing.ts for traces, catalog.ts for what there is.
export { catalog } from "./catalog.ts";
export { createLog, type LogFormat, type LogLevel } from "./log.ts";
export { httpRequestDuration } from "./metrics.ts";
export { PrometheusMeter, type PrometheusMeterOptions } from "./prometheus-meter.ts";
export { type EnvironmentVariables, startTracing, type Tracing, tracingWanted } from "./start-tracing.ts";
