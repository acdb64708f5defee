import { Undecodable } from "./undecodable.ts";
import { type Span, WireCursor } from "./wire-cursor.ts";

export const PROTOBUF: string = "application/vnd.kubernetes.protobuf";

/** Before every object and list on this wire (k8s.io/apimachinery runtime/serializer/protobuf). */
export const MAGIC: Buffer = Buffer.from("k8s\0");

/** Of runtime.Unknown: the object. */
export const UNKNOWN_RAW = 2;
const WATCH_EVENT_TYPE = 1;
const WATCH_EVENT_OBJECT = 2;
const RAW_EXTENSION_RAW = 1;

/** By their first letter: comparing bytes is cheaper than making a string for each event. */
const EVENT_TYPES: Readonly<Record<number, string>> = Object.fromEntries(
  ["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"].map((type) => [type.charCodeAt(0), type]),
);

/** The object inside a body: the `raw` of the runtime.Unknown after the magic. Errors: `Undecodable`. */
export function openUnknown({ bytes, start, end }: Span): Span {
  const cursor = new WireCursor();
  cursor.bytes = bytes;
  cursor.at = start;
  return unknownAt(cursor, end);
}

/**
 * The type and the object of a metav1.WatchEvent; the type alone where the object does not read, "" where that does not either.
 * Errors: `Undecodable` with the type in it.
 */
export function openWatchEvent({ bytes, start, end }: Span): { type: string; object: Span | undefined; why?: string } {
  const cursor = new WireCursor();
  cursor.bytes = bytes;
  let type = "";
  try {
    cursor.at = start;
    type = typeAt(cursor, end);
    cursor.at = start;
    const extension = cursor.enter(WATCH_EVENT_OBJECT, end);
    if (extension < 0) return { type, object: undefined };
    const raw = cursor.enter(RAW_EXTENSION_RAW, extension);
    return { type, object: raw < 0 ? undefined : unknownAt(cursor, raw) };
  } catch (thrown) {
    if (!(thrown instanceof Undecodable)) throw thrown;
    return { type, object: undefined, why: thrown.message };
  }
}

function typeAt(cursor: WireCursor, end: number): string {
  const stop = cursor.enter(WATCH_EVENT_TYPE, end);
  if (stop < 0) return "";
  const known = EVENT_TYPES[cursor.bytes[cursor.at] as number];
  if (known?.length === stop - cursor.at) return known;
  return cursor.bytes.toString("latin1", cursor.at, stop);
}

function unknownAt(cursor: WireCursor, end: number): Span {
  const { bytes, at } = cursor;
  for (let letter = 0; letter < MAGIC.length; letter += 1) {
    if (at + letter >= end || bytes[at + letter] !== MAGIC[letter]) {
      throw new Undecodable("it is not Kubernetes protobuf");
    }
  }
  cursor.at = at + MAGIC.length;
  const stop = cursor.enter(UNKNOWN_RAW, end);
  return { bytes, start: cursor.at, end: stop < 0 ? end : stop };
}
