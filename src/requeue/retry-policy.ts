import { StalewatchError } from "../base/index.ts";
import { RetryBase, RetryMax } from "./built-in-intervals.ts";
import { doubledMs } from "./doubling.ts";
import type { Interval } from "./interval.ts";
import { canHaveHappened, requireTime } from "./wall-time.ts";

/**
 * How a run ended. Only a failure is held against its op, and only a success clears it. The others say nothing about whether a
 * retry would do better: somebody interrupted the run, it was blocked before it did anything, or what it was approved for changed.
 */
export type RunOutcome = "succeeded" | "failed" | "interrupted" | "blocked" | "plan-changed";

export interface PastRun {
  readonly op: string;
  readonly outcome: RunOutcome;
  /** Wall time in milliseconds. */
  readonly finishedAt: number;
}

/** An op that must not start yet, because its last runs failed. */
export interface OpBackoff {
  readonly op: string;
  /** Consecutive failures, as far as the history goes back. */
  readonly failures: number;
  /** Wall time in milliseconds. */
  readonly until: number;
  /** Names the requeue that waits for it. */
  readonly interval: Interval;
}

export interface RetryPolicyOptions {
  /** After the first failure; doubled with each further one. `RetryBase` unless given. */
  base?: Interval;
  /** The longest delay. `RetryMax` unless given. */
  max?: Interval;
  /**
   * From so many failures on it is `max` at once, since a history that keeps no more cannot tell how many there were. 3 unless
   * given; 0 for a history without a limit.
   */
  failedLimit?: number;
}

/**
 * When an op may run again after failures. Pure: the backoff is read off the history of runs, so it outlives a restart, and ends
 * with the history. Ops do not hold back each other.
 */
export class RetryPolicy {
  readonly #base: Interval;
  readonly #max: Interval;
  readonly #failedLimit: number;

  /** Errors: `BAD_RETRY` for a longest delay below the first, or a limit that is no count. */
  constructor({ base = RetryBase, max = RetryMax, failedLimit = 3 }: RetryPolicyOptions = {}) {
    this.#base = base;
    this.#max = max;
    this.#failedLimit = failedLimit;
    if (!(base.ms > 0 && max.ms >= base.ms)) {
      throw badRetry(`${base.name} is ${base.ms} ms and ${max.name} is ${max.ms} ms`, "give 0 < base <= max");
    }
    if (!Number.isSafeInteger(failedLimit) || failedLimit < 0) {
      throw badRetry(`the limit of failed runs is ${failedLimit}`, "give how many are kept, or 0 for all");
    }
  }

  /** The delay after so many consecutive failures, in milliseconds. */
  delayMs(failures: number): number {
    const { ms } = this.#max;
    const isAtLimit = this.#failedLimit > 0 && failures >= this.#failedLimit;
    return isAtLimit ? ms : doubledMs(this.#base.ms, failures, ms);
  }

  /**
   * Until when `op` must wait; undefined when it may start. `runs` are in any order and may be of other ops too. A run that seems to
   * have finished well in the future is taken for older than the others: the clock was set back since.
   * Errors: `BAD_TIME`.
   */
  backoff(op: string, runs: Iterable<PastRun>, now: number): OpBackoff | undefined {
    const failed = consecutiveFailures(op, runs, now);
    const [newest] = failed;
    if (newest === undefined || !canHaveHappened(newest, now)) return undefined;
    const delayMs = this.delayMs(failed.length);
    const until = newest + delayMs;
    if (until <= now) return undefined;
    return { op, failures: failed.length, until, interval: delayMs < this.#max.ms ? this.#base : this.#max };
  }
}

/** When the runs that failed since the last success finished, newest first. */
function consecutiveFailures(op: string, runs: Iterable<PastRun>, now: number): number[] {
  const failed: number[] = [];
  for (const { outcome, finishedAt } of newestFirst(op, runs, now)) {
    if (outcome === "succeeded") break;
    if (outcome === "failed") failed.push(finishedAt);
  }
  return failed;
}

function newestFirst(op: string, runs: Iterable<PastRun>, now: number): PastRun[] {
  const own: PastRun[] = [];
  for (const run of runs) {
    if (run.op !== op) continue;
    requireTime(`the end of a run of ${op}`, run.finishedAt);
    own.push(run);
  }
  const isKnown = ({ finishedAt }: PastRun): number => (canHaveHappened(finishedAt, now) ? 1 : 0);
  return own.sort((a, b) => isKnown(b) - isKnown(a) || b.finishedAt - a.finishedAt);
}

function badRetry(message: string, remedy: string): StalewatchError {
  return new StalewatchError("BAD_RETRY", message, remedy);
}
