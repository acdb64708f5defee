interface Sighting {
  readonly token: string;
  readonly sinceMs: number;
  /** In the present look at the object. */
  isSeen: boolean;
}

/** Since when something of an object has looked the same, for what the API gives no time of. Kept in memory by whoever judges. */
export class Sightings {
  readonly #ofObjects: Map<string, Map<string, Sighting>> = new Map();

  /** `now` when the token is another than last time. */
  unchangedSince(uid: string, what: string, token: string, now: number): number {
    const ofObject = this.#ofObjects.get(uid) ?? new Map<string, Sighting>();
    this.#ofObjects.set(uid, ofObject);
    const known = ofObject.get(what);
    const sinceMs = known?.token === token ? known.sinceMs : now;
    ofObject.set(what, { token, sinceMs, isSeen: true });
    return sinceMs;
  }

  /**
   * The look at the object is over. What a whole one has not seen is not there any more, and begins anew when it is seen again. False: nothing is remembered of the object.
   */
  looked(uid: string, isWhole: boolean): boolean {
    const ofObject = this.#ofObjects.get(uid);
    if (!ofObject) return false;
    for (const [what, sighting] of ofObject) {
      if (isWhole && !sighting.isSeen) ofObject.delete(what);
      sighting.isSeen = false;
    }
    if (ofObject.size === 0) this.#ofObjects.delete(uid);
    return ofObject.size > 0;
  }

  forget(uid: string): void {
    this.#ofObjects.delete(uid);
  }
}
