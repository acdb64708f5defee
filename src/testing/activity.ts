import type { Clock } from "../base/index.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** What goes on in a cluster: whoever settles waits until nothing does. */
export class Activity {
  readonly #clock: Clock;
  #count = 0;
  #busyReaders = 0;
  #openRequests = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Grows whenever something happens. */
  get count(): number {
    return this.#count;
  }

  /** A reader has taken bytes and not come back for more: it works on them. */
  get hasBusyReaders(): boolean {
    return this.#busyReaders > 0;
  }

  get isIdle(): boolean {
    return this.#busyReaders === 0 && this.#openRequests === 0;
  }

  /** Something happened that no timer tells of. */
  note(): void {
    this.#count += 1;
    if (this.#clock instanceof VirtualClock) this.#clock.noteActivity();
  }

  countReader(by: 1 | -1): void {
    this.#busyReaders += by;
  }

  async duringRequest<T>(work: () => Promise<T>): Promise<T> {
    this.#openRequests += 1;
    this.note();
    try {
      return await work();
    } finally {
      this.#openRequests -= 1;
      this.note();
    }
  }
}
