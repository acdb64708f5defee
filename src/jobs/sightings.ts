/** Since when something of an object has looked the same, for what the API gives no time of. Kept in memory by whoever judges. */
export class Sightings {
  readonly #seen: Map<string, Map<string, { token: string; sinceMs: number }>> = new Map();

  /** `now` when the token is another than last time. */
  unchangedSince(uid: string, what: string, token: string, now: number): number {
    const ofObject = this.#seen.get(uid) ?? new Map<string, { token: string; sinceMs: number }>();
    this.#seen.set(uid, ofObject);
    const known = ofObject.get(what);
    if (known && known.token === token) return known.sinceMs;
    ofObject.set(what, { token, sinceMs: now });
    return now;
  }

  forget(uid: string): void {
    this.#seen.delete(uid);
  }
}
