import { StreamError } from "./stream-error.ts";
import type { Span } from "./wire-cursor.ts";

/** No object in a cluster comes near it: etcd takes 1.5 MiB unless told otherwise. */
export const FRAME_LIMIT: number = 64 * 2 ** 20;

/** Cuts a byte stream into frames, whatever pieces it comes in. What it returns is valid until the next push. */
export interface Frames {
  /** The frames that end in this chunk. Errors: `StreamError`, after which the stream is of no more use. */
  push(chunk: Uint8Array): readonly Span[];
  /** Bytes of a frame that has not ended yet. */
  readonly pending: number;
}

const HEADER = 4;

/** Frames of protobuf streams: four bytes of length, most significant first, then as many bytes. */
export class LengthFrames implements Frames {
  #parts: Buffer[] = [];
  #wanted = HEADER;
  pending = 0;

  push(chunk: Uint8Array): readonly Span[] {
    const frames: Span[] = [];
    this.#parts.push(viewOf(chunk));
    this.pending += chunk.length;
    if (this.pending < this.#wanted) return frames;
    const bytes = joined(this.#parts);
    let start = 0;
    this.#wanted = HEADER;
    while (bytes.length - start >= HEADER) {
      const size = HEADER + bytes.readUInt32BE(start);
      checkSize(size);
      this.#wanted = size;
      if (bytes.length - start < size) break;
      frames.push({ bytes, start: start + HEADER, end: start + size });
      start += size;
      this.#wanted = HEADER;
    }
    this.pending = bytes.length - start;
    this.#parts = this.pending > 0 ? [bytes.subarray(start)] : [];
    return frames;
  }
}

const NEWLINE = 10;

/** Frames of JSON streams: lines. Empty ones are none. */
export class LineFrames implements Frames {
  #parts: Buffer[] = [];
  pending = 0;

  push(chunk: Uint8Array): readonly Span[] {
    const frames: Span[] = [];
    const fresh = viewOf(chunk);
    this.#parts.push(fresh);
    this.pending += fresh.length;
    const newline = fresh.indexOf(NEWLINE);
    if (newline < 0) {
      checkSize(this.pending);
      return frames;
    }
    const bytes = joined(this.#parts);
    let start = 0;
    for (let end = bytes.length - fresh.length + newline; end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      if (end > start) frames.push({ bytes, start, end });
      start = end + 1;
    }
    this.pending = bytes.length - start;
    this.#parts = this.pending > 0 ? [bytes.subarray(start)] : [];
    return frames;
  }
}

function viewOf(chunk: Uint8Array): Buffer {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

function joined(parts: readonly Buffer[]): Buffer {
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}

function checkSize(size: number): void {
  if (size > FRAME_LIMIT) {
    throw new StreamError("FrameTooLarge", `an event of ${size} bytes or more is over the limit of ${FRAME_LIMIT}`);
  }
}
