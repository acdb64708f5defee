// telemetry/: the ports through which the runtime reports, each with a default that does nothing.
// Promises: no dependency, no cost worth naming while nothing listens. The adapters are in exposition/.
// Start with env.ts: it is the one option that long-lived objects take.
export { type Env, resolveEnv } from "./env.ts";
export { type Log, type LogFields, noopLog } from "./logs.ts";
export {
  type Counter,
  type Family,
  type Gauge,
  type Histogram,
  type LabelValues,
  type Meter,
  type MetricDefinition,
  noopMeter,
} from "./metrics.ts";
export {
  type Attributes,
  type AttributeValue,
  noopTracer,
  type Span,
  type SpanContext,
  type SpanOptions,
  type Tracer,
} from "./traces.ts";
