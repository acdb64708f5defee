import { setImmediate } from "node:timers/promises";

/** About two milliseconds of decoding. */
const BYTES_A_TURN = 256 * 1024;

/** Lets the event loop run between pieces of long work, which awaiting alone does not where bytes wait already. */
export class Turns {
  #done = 0;

  /** Counts work done; true when it is somebody else's turn. */
  over(bytes: number): boolean {
    this.#done += bytes;
    return this.#done >= BYTES_A_TURN;
  }

  next(): Promise<void> {
    this.#done = 0;
    return setImmediate();
  }
}
