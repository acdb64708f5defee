import type { Clock } from "../base/index.ts";

/** A signal that aborts after a while. `end` must be called when nobody waits any more. */
export interface Deadline {
  readonly signal: AbortSignal;
  end(): void;
}

export function deadline(clock: Clock, afterMs: number): Deadline {
  const passed = new AbortController();
  const timer = clock.setTimer(
    () => passed.abort(new DOMException("the deadline has passed", "TimeoutError")),
    afterMs,
  );
  return { signal: passed.signal, end: () => timer.cancel() };
}
