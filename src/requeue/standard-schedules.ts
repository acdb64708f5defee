import { Schedule } from "./schedule.ts";
import {
  ConvergingMembershipRefresh,
  DriftCheck,
  HealthCheck,
  MembershipRefresh,
  PendingHealthRefresh,
  RefreshAfterApply,
} from "./standard-intervals.ts";
import type { Interval } from "./interval.ts";

/** The schedules of a controller that keeps infrastructure by running Jobs, and the pattern for schedules of one's own. */
export interface StandardSchedules {
  /** Off at 0. */
  readonly drift: Schedule<"DriftCheck">;
  /** Of a pool, never off: only this check tells how many members there are. */
  readonly poolDrift: Schedule<"DriftCheck">;
  /** Only for objects whose health somebody acts on; others are sampled when drift is looked for. */
  readonly health: Schedule<"HealthCheck">;
  /** Of pools. */
  readonly membership: Schedule<"MembershipRefresh">;
  /** While the last reading was pending; `readings` is how many in a row were. */
  readonly pendingHealth: Schedule<"PendingHealthRefresh">;
  /** While members join; in place of `pendingHealth`. */
  readonly convergingMembership: Schedule<"ConvergingMembershipRefresh">;
  /** `since` is the end of the last apply, left out when that apply's own reading is definite; `last` is the last reading. */
  readonly refreshAfterApply: Schedule<"RefreshAfterApply">;
}

/** The schedules, with the default drift interval that a flag may have set (`overrideInterval(DriftCheck, ...)`). */
export function standardSchedules(drift: Interval<"DriftCheck"> = DriftCheck): StandardSchedules {
  const driftOptions = { interval: drift, op: "drift", field: "spec.drift.intervalSeconds" };
  return {
    drift: new Schedule(driftOptions),
    poolDrift: new Schedule({ ...driftOptions, neverOff: DriftCheck.ms }),
    health: new Schedule({
      interval: HealthCheck,
      op: "refresh",
      field: "remediation.healthCheckIntervalSeconds",
    }),
    membership: new Schedule({
      interval: MembershipRefresh,
      op: "refresh",
      field: "membershipRefreshIntervalSeconds",
    }),
    pendingHealth: new Schedule({ interval: PendingHealthRefresh, op: "refresh", doublesTo: "5m" }),
    convergingMembership: new Schedule({ interval: ConvergingMembershipRefresh, op: "refresh" }),
    refreshAfterApply: new Schedule({ interval: RefreshAfterApply, op: "refresh", once: true }),
  };
}
