import type { Clock, Timer } from "../base/index.ts";

/** Calls `onSilence` when nothing was heard for `limitMs`, and again for as long as the silence lasts. One timer, set anew only when it fires. */
export class SilenceGuard {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #onSilence: () => void;
  #heardAt: number;
  #timer: Timer | undefined;

  constructor(clock: Clock, limitMs: number, onSilence: () => void) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#onSilence = onSilence;
    this.#heardAt = clock.monotonic();
    this.#arm();
  }

  heard(): void {
    this.#heardAt = this.#clock.monotonic();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #arm(): void {
    const leftMs = this.#heardAt + this.#limitMs - this.#clock.monotonic();
    this.#timer = this.#clock.setTimer(() => this.#check(), leftMs > 0 ? leftMs : this.#limitMs);
  }

  #check(): void {
    this.#arm();
    if (this.#clock.monotonic() - this.#heardAt >= this.#limitMs) this.#onSilence();
  }
}
