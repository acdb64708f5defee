/**
 * The only source of time in the runtime. Long-lived objects take it through `env`; pure functions take `now` instead.
 *
 * Promises: `monotonic()` never goes back; `now()` may (somebody sets the machine's clock). Timers fire at or after their delay
 * on the monotonic scale. Does not promise that timers fire in order when they fall due in the same tick.
 */
export interface Clock {
  /** Wall time, milliseconds since the Unix epoch. For stamps that people and other processes read. */
  now(): number;
  /** Milliseconds on a scale that never goes back. For every difference of two times. */
  monotonic(): number;
  /** Calls `run` once, `delayMs` from now (negative counts as 0). Keeps the process alive unless `unref` is set. */
  setTimer(run: () => void, delayMs: number, options?: { unref?: boolean }): Timer;
}

export interface Timer {
  /** Stops it; does nothing when it has already fired. */
  cancel(): void;
}

/** Node fires a timer with a longer delay at once (https://nodejs.org/api/timers.html#settimeoutcallback-delay-args). */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(run, delayMs, options) {
    let handle: NodeJS.Timeout | undefined;
    const arm = (leftMs: number): void => {
      const step = Math.min(Math.max(leftMs, 0), LONGEST_TIMEOUT_MS);
      handle = setTimeout(() => (leftMs > step ? arm(leftMs - step) : run()), step);
      if (options?.unref) handle.unref();
    };
    arm(delayMs);
    return { cancel: () => clearTimeout(handle) };
  },
};

/** Resolves after `delayMs`; rejects with the signal's reason as soon as `signal` aborts. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const onAbort = (): void => {
      timer.cancel();
      reject(signal?.reason as Error);
    };
    const timer = clock.setTimer(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, delayMs);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
