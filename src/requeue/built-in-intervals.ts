import { defineInterval, type Interval } from "./interval.ts";

/** The cache trails the API server. The store's progress wakes the key first; this is the fallback. */
export const LagRequeue: Interval<"LagRequeue"> = defineInterval({ name: "LagRequeue", sort: "wait", duration: "5s" });

/** An owner, a dependency, credentials, deletion order or a lease is not ready. */
export const GateRequeue: Interval<"GateRequeue"> = defineInterval({
  name: "GateRequeue",
  sort: "wait",
  duration: "30s",
});

/** The state that the object stands for is lost or cannot be read. */
export const StateRequeue: Interval<"StateRequeue"> = defineInterval({
  name: "StateRequeue",
  sort: "wait",
  duration: "1m",
});

/** A Job runs; its own events normally come first. */
export const ActiveJobRequeue: Interval<"ActiveJobRequeue"> = defineInterval({
  name: "ActiveJobRequeue",
  sort: "wait",
  duration: "1m",
});

/** The first delay after a failed Job; it doubles up to `RetryMax`. */
export const RetryBase: Interval<"RetryBase"> = defineInterval({ name: "RetryBase", sort: "backoff", duration: "1m" });

/** The longest delay after failed Jobs. */
export const RetryMax: Interval<"RetryMax"> = defineInterval({ name: "RetryMax", sort: "backoff", duration: "10m" });

/** Every controller may ask for these without declaring them. */
export const builtInIntervals: readonly [
  Interval<"LagRequeue">,
  Interval<"GateRequeue">,
  Interval<"StateRequeue">,
  Interval<"ActiveJobRequeue">,
  Interval<"RetryBase">,
  Interval<"RetryMax">,
] = [LagRequeue, GateRequeue, StateRequeue, ActiveJobRequeue, RetryBase, RetryMax];

export type BuiltInInterval = (typeof builtInIntervals)[number]["name"];
