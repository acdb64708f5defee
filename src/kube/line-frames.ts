const NEWLINE = 10;

/** Splits a byte stream at newlines, whatever pieces it comes in. */
export class LineFrames {
  #parts: Uint8Array[] = [];
  /** Bytes of a line that has not ended yet. */
  pending = 0;

  push(chunk: Uint8Array): string[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const lines: string[] = [];
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      lines.push(this.#finish(bytes.subarray(start, end)));
      start = end + 1;
    }
    if (start < bytes.length) {
      this.#parts.push(bytes.subarray(start));
      this.pending += bytes.length - start;
    }
    return lines;
  }

  #finish(rest: Buffer): string {
    if (this.#parts.length === 0) return rest.toString();
    const line = Buffer.concat([...this.#parts, rest]).toString();
    this.#parts = [];
    this.pending = 0;
    return line;
  }
}
