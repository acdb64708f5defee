import { Readable, pipeline } from "node:stream";
import { TextDecoder } from "node:util";
import { constants, createGunzip } from "node:zlib";

/** A line longer than this comes in several pieces. */
const LONGEST_PIECE = 1 << 16;

/**
 * The text of a file, in batches: each piece is one line with its "\n", or a part of a line that is very long. Whatever is compressed
 * with gzip is unpacked, and the UTF-16 that PowerShell writes is read as well; bytes that are no text come as U+FFFD.
 */
export async function* textPieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[], void, void> {
  let decoder: TextDecoder | undefined;
  let rest = "";
  for await (const chunk of unpacked(bytes)) {
    decoder ??= new TextDecoder(encodingOf(chunk));
    const pieces: string[] = [];
    rest = splitLines(rest + decoder.decode(chunk, { stream: true }), pieces);
    if (rest.length > LONGEST_PIECE) {
      pieces.push(rest);
      rest = "";
    }
    yield pieces;
  }
  rest += decoder?.decode() ?? "";
  if (rest !== "") yield [rest];
}

/** Adds each whole line to `pieces` and returns what follows the last. */
function splitLines(text: string, pieces: string[]): string {
  let from = 0;
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
    pieces.push(text.slice(from, end + 1));
    from = end + 1;
  }
  return text.slice(from);
}

function encodingOf(start: Uint8Array): string {
  if (start[0] === 0xff && start[1] === 0xfe) return "utf-16le";
  if (start[0] === 0xfe && start[1] === 0xff) return "utf-16be";
  return "utf-8";
}

/** A file that breaks off gives what there is: its reader sees where the text ends. */
async function* unpacked(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const whole = withStart(bytes);
  const start = await whole.next();
  if (start.done) return;
  const all = Readable.from(chained(start.value, whole));
  const zipped = start.value[0] === 0x1f && start.value[1] === 0x8b;
  // Errors of either stream come out of the iteration.
  const source = zipped ? pipeline(all, createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }), () => {}) : all;
  for await (const chunk of source) yield chunk as Uint8Array;
}

/** The same bytes, with at least two in the first chunk if there are as many. */
async function* withStart(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  let start: Uint8Array = Buffer.alloc(0);
  for await (const chunk of bytes) {
    if (start.length >= 2) {
      yield chunk;
      continue;
    }
    start = Buffer.concat([start, chunk]);
    if (start.length >= 2) yield start;
  }
  if (start.length === 1) yield start;
}

async function* chained(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  yield first;
  yield* rest;
}
