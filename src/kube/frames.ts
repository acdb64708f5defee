import { StreamError } from "./stream-error.ts";
import type { Span } from "./wire-cursor.ts";

/** No object in a cluster comes near it: etcd takes 1.5 MiB unless told otherwise. */
export const FRAME_LIMIT: number = 64 * 2 ** 20;

/** Cuts a byte stream into frames, whatever pieces it comes in. What it returns is valid until the next push. */
interface Frames {
  /** The frames that end in this chunk. Errors: `StreamError`, after which the stream is of no more use. */
  push(chunk: Uint8Array): readonly Span[];
  /** Bytes of a frame that has not ended yet. */
  readonly pending: number;
}

const HEADER = 4;

/** Frames of protobuf streams: four bytes of length, most significant first, then as many bytes. */
export class LengthFrames implements Frames {
  readonly #cut: CutFrame = new CutFrame();
  /** Bytes of the frame that has begun, as far as is known: its header tells. */
  #wanted = HEADER;

  get pending(): number {
    return this.#cut.size;
  }

  push(chunk: Uint8Array): readonly Span[] {
    const frames: Span[] = [];
    const fresh = viewOf(chunk);
    let at = 0;
    while (this.#cut.size > 0 && at < fresh.length) {
      at = this.#cut.add(fresh, at, this.#wanted);
      if (this.#cut.size === this.#wanted) this.#complete(frames);
    }
    while (fresh.length - at >= HEADER) {
      const size = sizeAt(fresh, at);
      if (fresh.length - at < size) break;
      frames.push({ bytes: fresh, start: at + HEADER, end: at + size });
      at += size;
    }
    if (at < fresh.length) {
      this.#wanted = fresh.length - at < HEADER ? HEADER : sizeAt(fresh, at);
      this.#cut.add(fresh, at, this.#wanted);
    }
    return frames;
  }

  /** All that was wanted is there: either the header, or the frame. */
  #complete(frames: Span[]): void {
    const bytes = this.#cut.bytes();
    this.#wanted = sizeAt(bytes, 0);
    if (bytes.length < this.#wanted) return;
    frames.push({ bytes, start: HEADER, end: bytes.length });
    this.#cut.clear();
  }
}

const NEWLINE = 10;

/** Frames of JSON streams: lines. Empty ones are none. */
export class LineFrames implements Frames {
  readonly #cut: CutFrame = new CutFrame();

  get pending(): number {
    return this.#cut.size;
  }

  push(chunk: Uint8Array): readonly Span[] {
    const frames: Span[] = [];
    const fresh = viewOf(chunk);
    let at = 0;
    for (let end = fresh.indexOf(NEWLINE); end >= 0; end = fresh.indexOf(NEWLINE, at)) {
      if (this.#cut.size > 0) {
        this.#cut.add(fresh, at, this.#cut.size + end - at);
        const bytes = this.#cut.bytes();
        frames.push({ bytes, start: 0, end: bytes.length });
        this.#cut.clear();
      } else if (end > at) {
        frames.push({ bytes: fresh, start: at, end });
      }
      at = end + 1;
    }
    if (at < fresh.length) {
      this.#cut.add(fresh, at, Number.POSITIVE_INFINITY);
      checkSize(this.#cut.size);
    }
    return frames;
  }
}

/** The pieces of a frame that a chunk's end cut; they are copied once, when it is whole. */
class CutFrame {
  #parts: Buffer[] = [];
  size = 0;

  /** Takes of `fresh`, from `at`, what is missing up to `wanted`; returns where it stopped. */
  add(fresh: Buffer, at: number, wanted: number): number {
    const end = Math.min(fresh.length, at + wanted - this.size);
    if (end > at) this.#parts.push(fresh.subarray(at, end));
    this.size += end - at;
    return end;
  }

  bytes(): Buffer {
    if (this.#parts.length > 1) this.#parts = [Buffer.concat(this.#parts, this.size)];
    return this.#parts[0] as Buffer;
  }

  clear(): void {
    this.#parts = [];
    this.size = 0;
  }
}

function sizeAt(bytes: Buffer, at: number): number {
  const size = HEADER + bytes.readUInt32BE(at);
  checkSize(size);
  return size;
}

function viewOf(chunk: Uint8Array): Buffer {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

function checkSize(size: number): void {
  if (size > FRAME_LIMIT) {
    throw new StreamError("FrameTooLarge", `an event of ${size} bytes or more is over the limit of ${FRAME_LIMIT}`);
  }
}
