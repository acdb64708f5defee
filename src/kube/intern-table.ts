/** Longer strings (messages, mostly) seldom repeat; looking for them costs more than it saves. */
const LONGEST = 48;
const SLOTS = 8_192;
const WORDS_A_ROW = LONGEST / 4;
const PRIME = 0x01000193;

/**
 * Recently read strings, so that what repeats from object to object (namespaces, labels, reasons, owners) is held once.
 * Bounded: a string that falls on the place of another takes it. A string read from bytes is always a copy, which keeps no
 * network buffer alive.
 */
export class InternTable {
  readonly #fromBytes: (string | undefined)[] = emptySlots(SLOTS);
  /**
   * The bytes of `#fromBytes`, a row each, as words: comparing those is many times faster than comparing with a string's
   * characters. The last word of a row ends with the string, whatever of the word before it that repeats.
   */
  readonly #rows: Int32Array = new Int32Array(SLOTS * WORDS_A_ROW);
  readonly #fromString: (string | undefined)[] = emptySlots(SLOTS);
  /** Of the string returned last: for the hash of what it is part of. */
  hash = 0;
  /** Whether the string that `fromBytes` returned last was there. */
  found = false;

  /** `view` is of the same bytes. */
  fromBytes(bytes: Buffer, view: DataView, start: number, end: number): string {
    const length = end - start;
    this.hash = length;
    this.found = length === 0;
    if (length === 0) return "";
    if (length > LONGEST) return bytes.toString("utf8", start, end);
    const last = lastWord(view, start, end);
    let hash = Math.imul(length ^ last, PRIME);
    if (length > 4) hash = Math.imul(hash ^ view.getInt32(start, true), PRIME);
    if (length > 8) hash = Math.imul(hash ^ view.getInt32(end - 8, true), PRIME);
    this.hash = hash;
    const slot = slotOf(hash);
    const known = this.#fromBytes[slot];
    this.found = known?.length === length && this.#holds(slot, view, start, end, last);
    if (this.found) return known as string;
    const text = bytes.toString("utf8", start, end);
    // Only ASCII is as long in characters as in bytes.
    if (text.length === length) {
      this.#fromBytes[slot] = text;
      this.#hold(slot, view, start, end, last);
    }
    return text;
  }

  fromString(text: string): string {
    const { length } = text;
    this.hash = length;
    if (length === 0 || length > LONGEST) return text;
    let hash = length;
    for (let at = Math.max(0, length - 8); at < length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
    this.hash = hash;
    const slot = slotOf(hash);
    const known = this.#fromString[slot];
    return known === text ? known : (this.#fromString[slot] = text);
  }

  #holds(slot: number, view: DataView, start: number, end: number, last: number): boolean {
    const rows = this.#rows;
    let word = slot * WORDS_A_ROW;
    for (let at = start; at < end - 4; at += 4) if (rows[word++] !== view.getInt32(at, true)) return false;
    return rows[word] === last;
  }

  #hold(slot: number, view: DataView, start: number, end: number, last: number): void {
    let word = slot * WORDS_A_ROW;
    for (let at = start; at < end - 4; at += 4) this.#rows[word++] = view.getInt32(at, true);
    this.#rows[word] = last;
  }
}

export function emptySlots<T>(count: number): (T | undefined)[] {
  // oxlint-disable-next-line unicorn/no-new-array -- Array.from takes ten times as long, and each client makes some of these.
  return new Array<T | undefined>(count).fill(undefined);
}

/** The last four bytes, or all where there are fewer. */
function lastWord(view: DataView, start: number, end: number): number {
  if (end - start >= 4) return view.getInt32(end - 4, true);
  let word = 0;
  for (let at = start; at < end; at += 1) word = (word << 8) | view.getUint8(at);
  return word;
}

function slotOf(hash: number): number {
  return (hash ^ (hash >>> 15)) & (SLOTS - 1);
}
