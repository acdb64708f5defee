import type { Time } from "../../resources/index.ts";

/** The true duration lies between the two; milliseconds, never negative. */
export interface DelayBounds {
  readonly minMs: number;
  readonly maxMs: number;
}

/** Something that took a while, by API timestamps: wall time in milliseconds. */
export interface Occurrence extends DelayBounds {
  readonly beganAt: number;
  readonly endedAt: number;
}

/** Times of the API are cut to the second: what they tell of may have been any time in it. */
const CUT_MS = 1_000;

/**
 * `began` is exact where `exact` says so (a due time); all else is cut to the second. Undefined where a time is missing, or where the
 * end is before the beginning: two clocks differ, and nothing can be said.
 */
export function occurrence(began: number, ended: Time | undefined, exact = false): Occurrence | undefined {
  const endedAt = Date.parse(ended ?? "");
  const apart = endedAt - began;
  if (Number.isNaN(apart) || apart < 0) return undefined;
  return { beganAt: began, endedAt, minMs: exact ? apart : Math.max(0, apart - CUT_MS), maxMs: apart + CUT_MS };
}
