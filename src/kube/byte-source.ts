import { WireCursor } from "./wire-cursor.ts";

/** Reads a body on demand: makes sure that enough bytes stand together, and copies only what a chunk's border cuts. */
export class ByteSource {
  readonly #body: AsyncIterator<Uint8Array>;
  /** At what has arrived and is not let go of. */
  readonly cursor: WireCursor = new WireCursor();
  #letGo = 0;

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#body = body[Symbol.asyncIterator]();
  }

  /** Bytes read since the body's start. */
  get position(): number {
    return this.#letGo + this.cursor.at;
  }

  has(count: number): boolean {
    return this.cursor.bytes.length - this.cursor.at >= count;
  }

  /** Waits until `count` bytes can be read; false if the body ends before. */
  async fill(count: number): Promise<boolean> {
    if (this.has(count)) return true;
    const { cursor } = this;
    const rest = cursor.bytes.subarray(cursor.at);
    const parts = [rest];
    let size = rest.length;
    while (size < count) {
      const next = await this.#body.next();
      if (next.done) break;
      parts.push(Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength));
      size += next.value.length;
    }
    this.#letGo += cursor.at;
    cursor.bytes = Buffer.concat(parts, size);
    cursor.at = 0;
    return size >= count;
  }

  /** Lets go of what is left, to its end: only then its connection serves the next call. */
  async drain(): Promise<void> {
    let next = await this.#body.next();
    while (!next.done) next = await this.#body.next();
  }

  /** Gives the body up, which closes its connection unless it was read to the end. */
  async close(): Promise<void> {
    await this.#body.return?.();
  }
}
