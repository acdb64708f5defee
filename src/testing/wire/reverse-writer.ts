/**
 * Writes protobuf from the end to the beginning: when the length of a nested message is needed, the message is already there
 * (https://protobuf.dev/programming-guides/encoding/). Callers therefore write fields in reverse order.
 */
export class ReverseWriter {
  #buffer: Buffer;
  #start: number;

  constructor(capacity = 1_024) {
    this.#buffer = Buffer.allocUnsafe(capacity);
    this.#start = capacity;
  }

  /** Bytes written so far: the mark to give to `lengthSince`. */
  get length(): number {
    return this.#buffer.length - this.#start;
  }

  /** What was written; a copy, so that the writer can be used again after `reset`. */
  bytes(): Uint8Array {
    return Uint8Array.prototype.slice.call(this.#buffer, this.#start);
  }

  reset(): void {
    this.#start = this.#buffer.length;
  }

  /** The tag of field `number`; the value was written before. */
  tag(number: number, wireType: WireType): void {
    this.varint(number * 8 + wireType);
  }

  /** Makes what was written since `mark` a length-delimited field. */
  close(number: number, mark: number): void {
    this.varint(this.length - mark);
    this.tag(number, LENGTH_DELIMITED);
  }

  string(number: number, value: string): void {
    const size = Buffer.byteLength(value);
    this.#reserve(size);
    this.#start -= size;
    this.#buffer.write(value, this.#start);
    this.varint(size);
    this.tag(number, LENGTH_DELIMITED);
  }

  rawBytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#start -= value.length;
    this.#buffer.set(value, this.#start);
  }

  /** An int32, int64 or bool. Negative numbers are ten bytes, as two's complement of 64 bits. */
  integer(number: number, value: number): void {
    if (value >= 0) this.varint(value);
    else this.#bigVarint(BigInt.asUintN(64, BigInt(value)));
    this.tag(number, VARINT);
  }

  varint(value: number): void {
    if (value < 0x80) {
      this.#reserve(1);
      this.#buffer[(this.#start -= 1)] = value;
      return;
    }
    this.#bigVarint(BigInt(value));
  }

  #bigVarint(value: bigint): void {
    const groups: number[] = [];
    for (let left = value; groups.length === 0 || left > 0n; left >>= 7n) groups.push(Number(left & 0x7fn));
    this.rawBytes(Uint8Array.from(groups, (group, index) => (index < groups.length - 1 ? group | 0x80 : group)));
  }

  #reserve(size: number): void {
    if (size <= this.#start) return;
    const { length } = this;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, length + size));
    this.#buffer.copy(larger, larger.length - length, this.#start);
    this.#start = larger.length - length;
    this.#buffer = larger;
  }
}

type WireType = typeof VARINT | typeof LENGTH_DELIMITED;
const VARINT = 0;
const LENGTH_DELIMITED = 2;
