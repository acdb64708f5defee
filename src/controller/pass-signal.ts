import { type Clock, formatDuration, StalewatchError } from "../base/index.ts";

/** The signal of one pass. `end` must be called when the pass is over. */
export interface PassSignal {
  readonly signal: AbortSignal;
  readonly end: () => void;
}

/** Aborts with `stop`, and after `timeoutMs` with `PASS_TIMEOUT`; then `onTimeout` is called. */
export function passSignal(
  stop: AbortSignal,
  timeoutMs: number | undefined,
  { clock, onTimeout }: { clock: Clock; onTimeout: () => void },
): PassSignal {
  if (timeoutMs === undefined) return { signal: stop, end: () => {} };
  const own = new AbortController();
  const onStop = (): void => own.abort(stop.reason);
  if (stop.aborted) onStop();
  stop.addEventListener("abort", onStop, { once: true });
  const timer = clock.setTimer(() => {
    onTimeout();
    const remedy = "make its calls end with the pass's signal, or raise the controller's reconcileTimeout";
    own.abort(new StalewatchError("PASS_TIMEOUT", `a pass took longer than ${formatDuration(timeoutMs)}`, remedy));
  }, timeoutMs);
  const end = (): void => {
    timer.cancel();
    stop.removeEventListener("abort", onStop);
  };
  return { signal: own.signal, end };
}
