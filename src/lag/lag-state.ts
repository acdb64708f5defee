import type { LagBounds } from "./lag-bounds.ts";

/**
 * `unknown`: nothing can be said, with the reason. `fresh`: late by no more than the budget. `lagging`: late by more. `stalled`: it has
 * stood still while others saw what it misses. `stopped`: nobody feeds it. `rewind`: it holds what a restore has taken back.
 */
export type LagState = "unknown" | "fresh" | "lagging" | "stalled" | "stopped" | "rewind";

export const LAG_STATES: readonly LagState[] = ["unknown", "fresh", "lagging", "stalled", "stopped", "rewind"];

/** What is known of a cache at one moment. */
export interface LagEvidence {
  readonly bounds: LagBounds;
  /** For how long its version has not changed, milliseconds. */
  readonly unmovedMs: number;
  readonly rewound: boolean;
  readonly budgetMs: number;
  /** A stream that is alive moves at least this often. */
  readonly stalledAfterMs: number;
  /** Whether consistent reads of the kind are made at all. */
  readonly reads: boolean;
}

/** How late a cache may be and still count as fresh, unless somebody says otherwise. */
export const LAG_BUDGET_MS = 30_000;

/** A stream that is alive moves at bookmarks, about once a minute. Where a heartbeat keeps it moving, less time says as much. */
export const STALLED_AFTER_MS = 90_000;

export function lagState(evidence: LagEvidence): { readonly state: LagState; readonly why?: string } {
  const { bounds, unmovedMs, rewound, budgetMs, stalledAfterMs, reads } = evidence;
  const { minMs, maxMs } = bounds;
  if (rewound) return { state: "rewind" };
  if (minMs >= stalledAfterMs && unmovedMs >= stalledAfterMs) return { state: "stalled" };
  if (minMs > budgetMs) return { state: "lagging" };
  if (maxMs !== undefined && maxMs <= budgetMs) return { state: "fresh" };
  return { state: "unknown", why: unconfirmed(bounds, reads) };
}

function unconfirmed({ minMs, maxMs }: LagBounds, reads: boolean): string {
  if (minMs > 0 && maxMs !== undefined) {
    return `it is late by ${seconds(minMs)} to ${seconds(maxMs)} s: it may be within --lag-budget or not`;
  }
  if (!reads) return "nothing reads the version of this kind: --probe-interval is 0";
  if (maxMs === undefined) return "the cache stands at a version from before the watch beside it began";
  return `nothing has confirmed it for ${seconds(maxMs)} s: a --probe-interval at least 3 s shorter than --lag-budget does`;
}

function seconds(ms: number): number {
  return Math.round(ms / 1_000);
}
