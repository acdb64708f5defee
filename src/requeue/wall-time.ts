import { StalewatchError } from "../base/index.ts";

/** Clocks of different machines may differ by this much. */
const TOLERATED_SKEW_MS = 60_000;

/**
 * Whether something can have happened at `at`, as seen at `now` (both wall time, milliseconds). A time well in the future was
 * written before a clock was set back: counting from it would put off everything until the clock is there again.
 */
export function canHaveHappened(at: number, now: number): boolean {
  return at - now <= TOLERATED_SKEW_MS;
}

/** Errors: `BAD_TIME`, for what `Date.parse` makes of a broken timestamp, say. */
export function requireTime(what: string, at: number): void {
  if (Number.isFinite(at)) return;
  throw new StalewatchError("BAD_TIME", `${what} is ${at}`, "give milliseconds since the epoch, or leave it out");
}
