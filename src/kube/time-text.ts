const REMEMBERED = 1_024;

/** Times as RFC 3339 strings, as the API server writes them in JSON. Remembers some: objects are made and finish in bursts. */
export class TimeText {
  readonly #seconds: Float64Array = new Float64Array(REMEMBERED).fill(Number.NaN);
  readonly #texts: string[] = [];

  /** A metav1.Time, `2026-01-02T03:04:05Z`: its fraction is dropped. */
  time(seconds: number): string {
    const slot = seconds & (REMEMBERED - 1);
    if (this.#seconds[slot] === seconds) return this.#texts[slot] as string;
    this.#seconds[slot] = seconds;
    return (this.#texts[slot] = copy(`${wholeSeconds(seconds)}Z`));
  }

  /** A metav1.MicroTime, `2026-01-02T03:04:05.000006Z`. */
  microTime(seconds: number, nanos: number): string {
    const micros = String(Math.floor(nanos / 1_000)).padStart(6, "0");
    return copy(`${wholeSeconds(seconds)}.${micros}Z`);
  }
}

function wholeSeconds(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, -".000Z".length);
}

/** A string of its own: V8 would keep the parts of a concatenation, and the whole behind a slice. */
function copy(ascii: string): string {
  return Buffer.from(ascii, "latin1").toString("latin1");
}
