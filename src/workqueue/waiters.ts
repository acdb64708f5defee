/** Calls of a queue's `get` that found no work, longest waiting first. Told when there may be some: they look for themselves. */
export class Waiters {
  readonly #waiting: Set<() => void> = new Set();

  /** Resolves when woken, or when `signal` aborts. */
  wait(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        signal?.removeEventListener("abort", wake);
        this.#waiting.delete(wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal?.addEventListener("abort", wake, { once: true });
    });
  }

  wakeOne(): void {
    for (const wake of this.#waiting) return wake();
  }

  wakeAll(): void {
    for (const wake of this.#waiting) wake();
  }
}
