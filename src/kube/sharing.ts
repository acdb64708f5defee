const TRIAL = 512;
/** Below one find in so many looks, looking costs more than it saves and pushes out what others could find. */
const WORTH = 8;
const SAMPLE = 64;
const FADE = 8_192;

/**
 * Whether it pays to look for an equal before building a field's value. Specs and owners repeat, statuses and most labels do not,
 * and which is which depends on the cluster; so each field keeps count, and where it does not pay only samples.
 */
export class Sharing {
  #looks = 0;
  #hits = 0;
  #passes = 0;

  /** Call once for each value; true if it should be looked for. */
  pays(): boolean {
    if (this.#looks > TRIAL && this.#hits * WORTH < this.#looks) {
      this.#passes += 1;
      if (this.#passes % SAMPLE !== 0) return false;
    }
    this.#looks += 1;
    if (this.#looks > FADE) {
      this.#looks >>>= 1;
      this.#hits >>>= 1;
    }
    return true;
  }

  hit<B>(found: B): B {
    this.#hits += 1;
    return found;
  }
}
