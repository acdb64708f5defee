import type { Clock } from "./clock.ts";

export interface TimeLimit {
  readonly clock: Clock;
  readonly ms: number;
  /** Ends the call as well. */
  readonly signal?: AbortSignal | undefined;
  /** What the call then fails with. */
  readonly tooLate: () => Error;
}

/**
 * Makes a call whose signal aborts after so many milliseconds of the clock. Errors: that of `tooLate`, whatever the call makes of this
 * abort; those of the call.
 */
export async function withinMs<R>(limit: TimeLimit, call: (limited: AbortSignal) => Promise<R>): Promise<R> {
  const { clock, ms, signal, tooLate } = limit;
  const late = new AbortController();
  const timer = clock.setTimer(() => late.abort(tooLate()), ms);
  try {
    return await call(signal ? AbortSignal.any([signal, late.signal]) : late.signal);
  } catch (thrown) {
    if (late.signal.aborted && !signal?.aborted) throw late.signal.reason;
    throw thrown;
  } finally {
    timer.cancel();
  }
}
