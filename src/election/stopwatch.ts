import type { Clock } from "../base/index.ts";

/**
 * How long ago something was, at least: the greater of what the wall clock and the monotonic clock say. A suspended machine stops the
 * monotonic clock, a corrected one sets the wall clock back; a holder must not be deceived by either.
 */
export class Stopwatch {
  readonly #clock: Clock;
  readonly #wall: number;
  readonly #monotonic: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#wall = clock.now();
    this.#monotonic = clock.monotonic();
  }

  elapsedMs(): number {
    return Math.max(this.#clock.now() - this.#wall, this.#clock.monotonic() - this.#monotonic);
  }
}
