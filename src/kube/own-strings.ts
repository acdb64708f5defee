const MOST = 8;

/**
 * Strings of the object that is being read which hardly any other has: its name, uid and version. Where the object itself repeats
 * one (a Job's labels have its name and its uid), it is held once.
 */
export class OwnStrings {
  readonly #texts: string[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  #count = 0;

  /** Another object begins, maybe in other bytes. */
  clear(): void {
    this.#count = 0;
  }

  read(bytes: Buffer, start: number, end: number): string {
    const text = bytes.toString("utf8", start, end);
    if (this.#count === MOST) return text;
    this.#texts[this.#count] = text;
    this.#starts[this.#count] = start;
    this.#ends[this.#count] = end;
    this.#count += 1;
    return text;
  }

  /** The one with the same bytes. */
  find(bytes: Buffer, start: number, end: number): string | undefined {
    for (let at = 0; at < this.#count; at += 1) {
      const from = this.#starts[at] as number;
      if ((this.#ends[at] as number) - from === end - start && areEqual(bytes, from, start, end))
        return this.#texts[at];
    }
    return undefined;
  }
}

function areEqual(bytes: Buffer, other: number, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (bytes[at] !== bytes[other + at - start]) return false;
  return true;
}
