import { Undecodable } from "./undecodable.ts";
import type { Span } from "./wire-cursor.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Finds values in JSON bytes without parsing what stands before them: for texts that are too large to be parsed at once, or broken
 * further on. Checks no more syntax than it needs.
 */
export function memberOf(object: Span, name: string): Span | undefined {
  const { bytes } = object;
  const quoted = JSON.stringify(name);
  let at = expect(object, skipSpace(object, object.start), OPEN_OBJECT);
  while (bytes[skipSpace(object, at)] !== CLOSE_OBJECT) {
    const key = valueAt(object, skipSpace(object, at));
    const start = skipSpace(object, expect(object, skipSpace(object, key.end), COLON));
    const found = bytes.toString("utf8", key.start, key.end) === quoted;
    // The end of a value that is asked for may be missing; whoever asked knows when it reads it.
    if (found && startsNest(bytes[start])) return { bytes, start, end: object.end };
    const value = valueAt(object, start);
    if (found) return value;
    at = skipComma(object, value.end);
  }
  return undefined;
}

/** The elements of a list, one after the other. */
export function* elementsOf(list: Span): Generator<Span, void, void> {
  let at = skipSpace(list, expect(list, skipSpace(list, list.start), OPEN_LIST));
  while (list.bytes[at] !== CLOSE_LIST) {
    const value = valueAt(list, at);
    yield value;
    at = skipSpace(list, skipComma(list, value.end));
  }
}

/** The whole value that begins at or after `at`. */
export function valueAt(within: Span, at: number): Span {
  const { bytes, end } = within;
  const start = skipSpace(within, at);
  let depth = 0;
  for (let to = start; to < end; to += 1) {
    const byte = bytes[to] as number;
    if (byte === QUOTE) {
      to = endOfString(within, to);
      if (depth === 0) return { bytes, start, end: to + 1 };
    } else if (startsNest(byte)) {
      depth += 1;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      if (depth === 0) return { bytes, start, end: to };
      depth -= 1;
      if (depth === 0) return { bytes, start, end: to + 1 };
    } else if (depth === 0 && byte === COMMA) {
      return { bytes, start, end: to };
    }
  }
  if (depth > 0 || start === end) throw new Undecodable("its JSON breaks off");
  return { bytes, start, end };
}

function endOfString({ bytes, end }: Span, start: number): number {
  for (let at = start + 1; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at += 1;
  }
  throw new Undecodable("its JSON breaks off");
}

function startsNest(byte: number | undefined): boolean {
  return byte === OPEN_OBJECT || byte === OPEN_LIST;
}

function skipSpace({ bytes, end }: Span, from: number): number {
  let at = from;
  while (at < end && (bytes[at] as number) <= 0x20) at += 1;
  return at;
}

function skipComma(within: Span, from: number): number {
  const at = skipSpace(within, from);
  const byte = within.bytes[at];
  if (byte === COMMA) return at + 1;
  if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) return at;
  throw new Undecodable("its JSON is malformed");
}

function expect({ bytes, end }: Span, at: number, wanted: number): number {
  if (at >= end || bytes[at] !== wanted) throw new Undecodable("its JSON is malformed");
  return at + 1;
}
