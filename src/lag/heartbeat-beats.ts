import type { Clock, Timer } from "../base/index.ts";
import type { HeartbeatStage } from "./metrics.ts";

/** Somewhere that a written version comes to, some time after the answer. */
export interface Station {
  readonly stage: HeartbeatStage;
  /** Whether it has come to this version, or beyond. */
  reached(version: bigint): boolean;
}

export interface OpenBeatsOptions {
  readonly clock: Clock;
  /** A beat that is not everywhere for this long is lost. */
  readonly lostAfterMs: number;
  /** `seconds` since it was sent. */
  observe(stage: HeartbeatStage, seconds: number): void;
  /** What has not been reached. Passes may wait for their turn: their stage alone makes no beat lost. */
  lost(missing: readonly HeartbeatStage[]): void;
}

interface OpenBeat {
  readonly version: bigint;
  readonly sentAt: number;
  readonly stations: Set<Station>;
  readonly timer: Timer;
}

/** Late ones are followed to their end, so that what is worst is measured too; but not for ever. */
const MOST_OPEN = 64;

/** The beats that were written and have not been seen everywhere. */
export class OpenBeats {
  readonly #options: OpenBeatsOptions;
  readonly #open: Set<OpenBeat> = new Set();

  constructor(options: OpenBeatsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.size;
  }

  /** `sentAt` is monotonic milliseconds. Call `look` afterwards: it may have arrived before its answer did. */
  add(version: bigint, sentAt: number, stations: readonly Station[]): void {
    const { clock, lostAfterMs } = this.#options;
    const timer = clock.setTimer(() => this.#overdue(beat), sentAt + lostAfterMs - clock.monotonic());
    const beat: OpenBeat = { version, sentAt, stations: new Set(stations), timer };
    this.#open.add(beat);
    const [oldest] = this.#open;
    if (oldest && this.#open.size > MOST_OPEN) this.#forget(oldest);
  }

  /** Something has moved on. */
  look(): void {
    const now = this.#options.clock.monotonic();
    for (const beat of this.#open) {
      for (const station of beat.stations) {
        if (!station.reached(beat.version)) continue;
        beat.stations.delete(station);
        this.#options.observe(station.stage, (now - beat.sentAt) / 1_000);
      }
      if (beat.stations.size === 0) this.#forget(beat);
    }
  }

  /** They are of a history that is gone, or nobody asks any more. */
  clear(): void {
    for (const beat of this.#open) this.#forget(beat);
  }

  #forget(beat: OpenBeat): void {
    beat.timer.cancel();
    this.#open.delete(beat);
  }

  #overdue({ stations }: OpenBeat): void {
    this.look();
    const missing = [...stations].map(({ stage }) => stage);
    if (missing.some((stage) => stage !== "reconciled")) this.#options.lost(missing);
  }
}
