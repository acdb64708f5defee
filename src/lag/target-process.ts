import type { TargetReading } from "./target-reading.ts";

/** What a page says of the process behind it, beside the one before. */
export interface ProcessSighting {
  /** Equal for pages of one process, as far as they tell. */
  readonly process: string;
  /** It is not the one of the page before: what was known of its caches is not true of these. */
  readonly isNew: boolean;
  /** Several processes answer in turn: no two pages belong together. */
  readonly isShared: boolean;
}

/** So many pages of one process in a row, and a second one behind the address would have answered. */
const ALONE_AFTER = 20;
/** A process that says no start and restarts so often within those pages may as well be several. */
const MANY_RESTARTS = 3;
const REMEMBERED = 16;

/**
 * Tells restarts from several processes behind one address: a start time that was there before another one and comes back. A process
 * that publishes no start time has restarted when its counters go back; one that keeps doing so is several, or might as well be.
 */
export class TargetProcess {
  readonly #starts: number[] = [];
  #current = "";
  #adds = 0;
  #restarts = 0;
  #pages = 0;
  /** Pages since something said that there are several. */
  #alone = ALONE_AFTER;
  #recent: number[] = [];

  /** How often it was found to be another process. */
  get restarts(): number {
    return this.#restarts;
  }

  see(reading: TargetReading): ProcessSighting {
    const isFirst = this.#pages === 0;
    this.#pages += 1;
    this.#alone += 1;
    const isNew = reading.startedAt === undefined ? this.#hasReset(reading) : this.#isOther(reading.startedAt);
    if (isNew && !isFirst) this.#restarts += 1;
    return { process: this.#current, isNew: isNew && !isFirst, isShared: this.#alone < ALONE_AFTER };
  }

  #isOther(startedAt: number): boolean {
    const process = String(startedAt);
    if (process === this.#current) return false;
    this.#current = process;
    if (this.#starts.includes(startedAt)) this.#alone = 0;
    else this.#starts.push(startedAt);
    if (this.#starts.length > REMEMBERED) this.#starts.shift();
    return true;
  }

  #hasReset({ queues, skips }: TargetReading): boolean {
    const adds = [...queues.map((queue) => queue.adds), ...skips.map(({ total }) => total)].reduce((a, b) => a + b, 0);
    const wentBack = adds < this.#adds;
    this.#adds = adds;
    this.#current = this.#current.startsWith("#") && !wentBack ? this.#current : `#${this.#pages}`;
    if (!wentBack) return false;
    this.#recent = [...this.#recent, this.#pages].filter((page) => page > this.#pages - ALONE_AFTER);
    if (this.#recent.length >= MANY_RESTARTS) this.#alone = 0;
    return true;
  }
}
