import { Undecodable } from "./undecodable.ts";

export const VARINT = 0;
export const BYTES = 2;
const FIXED64 = 1;
const FIXED32 = 5;

const NOTHING = Buffer.alloc(0);

/** Bytes of a larger buffer, which is not to be changed or kept. */
export interface Span {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/**
 * A place in protobuf bytes (https://protobuf.dev/programming-guides/encoding/). Reading past the end of the bytes gives zeros and
 * moves on, so that whoever reads a message needs to look only once, at its end, whether all was well.
 */
export class WireCursor {
  bytes: Buffer = NOTHING;
  at = 0;

  /** A tag or length: 32 bits. */
  varint(): number {
    const { bytes } = this;
    let byte = bytes[this.at++] as number;
    if (byte < 128) return byte;
    let value = byte & 127;
    for (let shift = 7; shift < 35; shift += 7) {
      byte = bytes[this.at++] as number;
      value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
    throw new Undecodable("a number does not end");
  }

  /** An int32, int64 or bool; a negative one has ten bytes. */
  integer(): number {
    const { bytes } = this;
    let low = 0;
    let byte = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      byte = bytes[this.at++] as number;
      low |= (byte & 127) << shift;
      if (byte < 128) return low;
    }
    byte = bytes[this.at++] as number;
    low |= (byte & 127) << 28;
    let high = (byte & 127) >> 4;
    for (let shift = 3; byte >= 128; shift += 7) {
      if (shift > 31) throw new Undecodable("a number does not end");
      byte = bytes[this.at++] as number;
      high |= (byte & 127) << shift;
    }
    return high * 2 ** 32 + (low >>> 0);
  }

  /** Steps into a value of bytes: returns where it stops. */
  open(tag: number, end: number): number {
    if ((tag & 7) !== BYTES) throw new Undecodable(`field ${tag >>> 3} has wire type ${tag & 7}`);
    const length = this.varint();
    const stop = this.at + length;
    if (stop > end) throw new Undecodable(`field ${tag >>> 3} is longer than its message`);
    return stop;
  }

  /**
   * Steps into the value of bytes of that field, in a message that ends at `end`; returns where it stops, or -1 at the message's
   * end when it has no such field. The first counts where there are several.
   */
  enter(number: number, end: number): number {
    while (this.at < end) {
      const tag = this.varint();
      if (tag >>> 3 === number) return this.open(tag, end);
      this.skip(tag, end);
    }
    this.close(end);
    return -1;
  }

  /** Errors: when what was read went on past `end`. */
  close(end: number): void {
    if (this.at !== end) throw new Undecodable("a field is longer than its message");
  }

  skip(tag: number, end: number): void {
    switch (tag & 7) {
      case BYTES:
        this.at = this.open(tag, end);
        return;
      case VARINT:
        this.integer();
        return;
      case FIXED64:
        this.at += 8;
        return;
      case FIXED32:
        this.at += 4;
        return;
      default:
        throw new Undecodable(`field ${tag >>> 3} has wire type ${tag & 7}`);
    }
  }
}
