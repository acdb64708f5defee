/** Steps before the event loop gets a turn: at some ten microseconds a step, a few milliseconds. */
const STEPS_A_TURN = 500;

export interface DeltaQueueOptions<D> {
  /** Applies one delta. What takes long (a list of 50 000) comes back as an iterator, one step at a time; nothing overtakes it. */
  apply: (delta: D) => Iterator<void> | undefined;
  /** Called around each run of steps: must call `work`, once. What it pushes itself waits for the next run. */
  batch: (work: () => void) => void;
}

/**
 * Deltas in the order in which they came, applied one after the other. `push` applies at once what fits into this turn of the event
 * loop and leaves the rest for the next ones; a push from inside `apply` waits its turn.
 */
export class DeltaQueue<D> {
  readonly #options: DeltaQueueOptions<D>;
  #waiting: readonly D[] = [];
  #head = 0;
  #long: Iterator<void> | undefined;
  #working = false;
  #scheduled = false;
  #closed = false;
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(options: DeltaQueueOptions<D>) {
    this.#options = options;
  }

  /** Deltas not yet applied; one that is being applied counts. */
  get size(): number {
    return this.#waiting.length - this.#head + (this.#long ? 1 : 0);
  }

  /** True while a delta of several steps has had some of them. */
  get isPartWay(): boolean {
    return this.#long !== undefined;
  }

  push(deltas: readonly D[]): void {
    if (this.#closed || deltas.length === 0) return;
    this.#waiting = this.#head < this.#waiting.length ? this.#waiting.slice(this.#head).concat(deltas) : deltas;
    this.#head = 0;
    if (!this.#scheduled && !this.#working) this.#work();
  }

  /** Resolves when everything pushed so far is applied, or the queue was closed. Whoever produces waits for it: back-pressure. */
  drained(): Promise<void> {
    if (this.size === 0) return Promise.resolve();
    this.#drained ??= Promise.withResolvers<void>();
    return this.#drained.promise;
  }

  /** Drops what waits. */
  close(): void {
    this.#closed = true;
    this.#long = undefined;
    this.#empty();
  }

  #work(): void {
    this.#working = true;
    try {
      this.#options.batch(() => this.#steps());
    } finally {
      this.#working = false;
      this.#proceed();
    }
  }

  #proceed(): void {
    if (this.#closed) this.close();
    else if (this.size > 0) this.#later();
    else this.#empty();
  }

  #steps(): void {
    for (let steps = 0; steps < STEPS_A_TURN && this.size > 0 && !this.#closed; steps += 1) {
      if (!this.#long) this.#long = this.#options.apply(this.#waiting[this.#head++] as D);
      else if (this.#long.next().done === true) this.#long = undefined;
    }
  }

  #later(): void {
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#work();
    });
  }

  #empty(): void {
    this.#waiting = [];
    this.#head = 0;
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}
