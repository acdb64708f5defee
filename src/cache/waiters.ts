interface Waiter {
  readonly reached: () => boolean;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** Promises that wait for something in the cache to become true; looked at once a batch, not once an event. */
export class Waiters {
  readonly #waiting: Set<Waiter> = new Set();
  #ended: { reason: unknown } | undefined;

  /** Resolves at the first `check` that finds it true; rejects with the signal's reason or that of `end`. */
  wait(reached: () => boolean, signal?: AbortSignal): Promise<void> {
    if (reached()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(this.#ended.reason);
      if (signal?.aborted) return reject(signal.reason as Error);
      const onAbort = (): void => {
        this.#waiting.delete(waiter);
        reject(signal?.reason as Error);
      };
      const settle = (): void => signal?.removeEventListener("abort", onAbort);
      const waiter: Waiter = {
        reached,
        resolve: () => (settle(), resolve()),
        reject: (reason) => (settle(), reject(reason)),
      };
      this.#waiting.add(waiter);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  check(): void {
    this.#settle((waiter) => waiter.reached());
  }

  /** What they wait for will not come any more, or not in this form: each looks again for itself. */
  release(): void {
    this.#settle(() => true);
  }

  /** Nothing will change any more: all reject, also those who come later. */
  end(reason: unknown): void {
    this.#ended = { reason };
    for (const waiter of this.#waiting) waiter.reject(reason);
    this.#waiting.clear();
  }

  #settle(done: (waiter: Waiter) => boolean): void {
    for (const waiter of this.#waiting) {
      if (!done(waiter)) continue;
      this.#waiting.delete(waiter);
      waiter.resolve();
    }
  }
}
