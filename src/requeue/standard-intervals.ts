import { builtInIntervals } from "./built-in-intervals.ts";
import { defineInterval, type Interval } from "./interval.ts";

/** What really exists is compared with what was applied. */
export const DriftCheck: Interval<"DriftCheck"> = defineInterval({
  name: "DriftCheck",
  sort: "schedule",
  duration: "30m",
});

/** The health of one machine is read, so that somebody can act on it. */
export const HealthCheck: Interval<"HealthCheck"> = defineInterval({
  name: "HealthCheck",
  sort: "schedule",
  duration: "300s",
});

/** Who belongs to a pool is read. */
export const MembershipRefresh: Interval<"MembershipRefresh"> = defineInterval({
  name: "MembershipRefresh",
  sort: "schedule",
  duration: "60s",
});

/** The last reading said "not yet". */
export const PendingHealthRefresh: Interval<"PendingHealthRefresh"> = defineInterval({
  name: "PendingHealthRefresh",
  sort: "schedule",
  duration: "30s",
});

/** Members of a pool are joining, in their provider's time. */
export const ConvergingMembershipRefresh: Interval<"ConvergingMembershipRefresh"> = defineInterval({
  name: "ConvergingMembershipRefresh",
  sort: "schedule",
  duration: "30s",
});

/** An apply has succeeded and has not said how things are. */
export const RefreshAfterApply: Interval<"RefreshAfterApply"> = defineInterval({
  name: "RefreshAfterApply",
  sort: "schedule",
  duration: 0,
});

/** Credentials are read again: nothing tells of a change of theirs. */
export const IdentityReRead: Interval<"IdentityReRead"> = defineInterval({
  name: "IdentityReRead",
  sort: "wait",
  duration: "5m",
});

/** A younger Job is not yet suspected to be stuck. */
export const StuckJobAge: Interval<"StuckJobAge"> = defineInterval({
  name: "StuckJobAge",
  sort: "wait",
  duration: "1m",
});

/** A lease whose holder does not exist stays held so long: the holder may be about to be created. */
export const LeaseGrace: Interval<"LeaseGrace"> = defineInterval({ name: "LeaseGrace", sort: "wait", duration: "1m" });

/**
 * Every interval of a controller that keeps infrastructure by running Jobs. Those that are not built in are to be declared in its
 * `intervals`; `overrideInterval` first where a flag sets one.
 */
export const standardIntervals: readonly Interval[] = [
  DriftCheck,
  HealthCheck,
  MembershipRefresh,
  PendingHealthRefresh,
  ConvergingMembershipRefresh,
  RefreshAfterApply,
  ...builtInIntervals,
  IdentityReRead,
  StuckJobAge,
  LeaseGrace,
];
