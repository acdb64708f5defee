import { StalewatchError } from "../base/index.ts";
import type { Interval } from "./interval.ts";

/**
 * A pass's wish to be run again: which interval, and after how long. Never a bare number, so that every requeue can be counted
 * and judged by name. One event before its time takes its place.
 */
export class Requeue {
  readonly interval: Interval;
  /** Milliseconds from the end of the pass. */
  readonly delayMs: number;

  private constructor(interval: Interval, delayMs: number) {
    this.interval = interval;
    this.delayMs = delayMs;
  }

  /**
   * After the interval's own duration, or after `delayMs` where only part of it is left (0: at once).
   * Errors: `BAD_DELAY` for a delay that is negative or not finite.
   */
  static after(interval: Interval, delayMs: number = interval.ms): Requeue {
    if (!Number.isFinite(delayMs) || delayMs < 0) {
      throw new StalewatchError(
        "BAD_DELAY",
        `a requeue after ${delayMs} ms was asked for interval ${interval.name}`,
        "give milliseconds from now, 0 or more",
      );
    }
    return new Requeue(interval, delayMs);
  }
}
