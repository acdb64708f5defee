// requeue/: why a controller looks again later, by name, and how each such wish ended.
// Promises: a requeue is never a bare number; each one asked for is counted once as fired, superseded or dropped.
// Does not keep time: the queue does, and reports here through the controller.
// Start with interval.ts, then requeue.ts.
export {
  ActiveJobRequeue,
  type BuiltInInterval,
  builtInIntervals,
  GateRequeue,
  LagRequeue,
  RetryBase,
  RetryMax,
  StateRequeue,
} from "./built-in-intervals.ts";
export {
  defineInterval,
  type Interval,
  type IntervalOptions,
  type IntervalSort,
  type IntervalSource,
  uniqueIntervals,
} from "./interval.ts";
export { requeueMetrics, type RequeueOutcome } from "./metrics.ts";
export { Requeue } from "./requeue.ts";
export { RequeueLedger } from "./requeue-ledger.ts";
