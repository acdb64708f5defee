/** Longer strings (messages, mostly) seldom repeat; looking for them costs more than it saves. */
const LONGEST = 48;
const SLOTS = 8_192;
const PRIME = 0x01000193;

/**
 * Recently read strings, so that what repeats from object to object (namespaces, labels, reasons, owners) is held once.
 * Bounded: a string that falls on the place of another takes it. A string read from bytes is always a copy, which keeps no
 * network buffer alive.
 */
export class InternTable {
  readonly #fromBytes: (string | undefined)[] = emptySlots(SLOTS);
  /** The bytes of `#fromBytes`, a row each: comparing them is several times faster than comparing with a string's characters. */
  readonly #bytes: Uint8Array = new Uint8Array(SLOTS * LONGEST);
  readonly #fromString: (string | undefined)[] = emptySlots(SLOTS);
  /** Of the string returned last: for the hash of what it is part of. */
  hash = 0;
  /** Whether the string that `fromBytes` returned last was there. */
  found = false;

  fromBytes(bytes: Buffer, start: number, end: number): string {
    const length = end - start;
    this.hash = length;
    this.found = length === 0;
    if (length === 0) return "";
    if (length > LONGEST) return bytes.toString("utf8", start, end);
    let hash = length;
    if (length < 8) {
      for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] as number), PRIME);
    } else {
      hash = Math.imul(hash ^ wordAt(bytes, start), PRIME);
      hash = Math.imul(hash ^ wordAt(bytes, end - 8), PRIME);
      hash = Math.imul(hash ^ wordAt(bytes, end - 4), PRIME);
    }
    this.hash = hash;
    const slot = slotOf(hash);
    const known = this.#fromBytes[slot];
    this.found = known?.length === length && this.#holds(slot * LONGEST, bytes, start, end);
    if (this.found) return known as string;
    const text = bytes.toString("utf8", start, end);
    // Only ASCII is as long in characters as in bytes.
    if (text.length === length) {
      this.#fromBytes[slot] = text;
      for (let at = 0; at < length; at += 1) this.#bytes[slot * LONGEST + at] = bytes[start + at] as number;
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

  #holds(row: number, bytes: Buffer, start: number, end: number): boolean {
    const held = this.#bytes;
    let at = row;
    for (let from = start; from < end; from += 1) if (held[at++] !== bytes[from]) return false;
    return true;
  }
}

export function emptySlots<T>(count: number): (T | undefined)[] {
  // oxlint-disable-next-line unicorn/no-new-array -- Array.from takes ten times as long, and each client makes some of these.
  return new Array<T | undefined>(count).fill(undefined);
}

/** Four bytes as a number; hashing words and not bytes is what makes hashing cheap. */
function wordAt(bytes: Buffer, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}

function slotOf(hash: number): number {
  return (hash ^ (hash >>> 15)) & (SLOTS - 1);
}
