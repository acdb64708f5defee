// requeue/: why a controller looks again later, by name, and how each such wish ended.
// Promises: a requeue is never a bare number; each one asked for is counted once as fired, superseded or dropped.
// What is due when is a pure function of the object's history and now. Does not keep time: the queue does, and reports here through
// the controller.
// Start with interval.ts, then requeue.ts; for work by the clock schedule.ts, then combination-rules.ts.
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
  type CombinationRule,
  combinationRules,
  nextLook,
  type NextLook,
  type Situation,
} from "./combination-rules.ts";
export type { Due } from "./due.ts";
export {
  defineInterval,
  type Interval,
  type IntervalOptions,
  type IntervalSort,
  type IntervalSource,
  overrideInterval,
  uniqueIntervals,
} from "./interval.ts";
export { requeueMetrics } from "./metrics.ts";
export { Requeue } from "./requeue.ts";
export { type IntervalAccount, RequeueLedger } from "./requeue-ledger.ts";
export { type OpBackoff, type PastRun, RetryPolicy, type RetryPolicyOptions, type RunOutcome } from "./retry-policy.ts";
export { Schedule, type ScheduleInput, type ScheduleOptions } from "./schedule.ts";
export {
  ConvergingMembershipRefresh,
  DriftCheck,
  HealthCheck,
  IdentityReRead,
  LeaseGrace,
  MembershipRefresh,
  PendingHealthRefresh,
  RefreshAfterApply,
  standardIntervals,
  StuckJobAge,
} from "./standard-intervals.ts";
export { type StandardSchedules, standardSchedules } from "./standard-schedules.ts";
export { uidJitterMs } from "./uid-jitter.ts";
