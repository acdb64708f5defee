import { Undecodable } from "./undecodable.ts";
import { findBytes, type Span } from "./wire-cursor.ts";

export const PROTOBUF: string = "application/vnd.kubernetes.protobuf";

/** Before every object and list on this wire (k8s.io/apimachinery runtime/serializer/protobuf). */
export const MAGIC: Buffer = Buffer.from("k8s\0");

export const UNKNOWN_RAW = 2;
const WATCH_EVENT_TYPE = 1;
const WATCH_EVENT_OBJECT = 2;
const RAW_EXTENSION_RAW = 1;

/** The object inside a body or event: the `raw` of the runtime.Unknown after the magic. Errors: `Undecodable`. */
export function openUnknown(span: Span): Span {
  const { bytes, start, end } = span;
  if (bytes.compare(MAGIC, 0, MAGIC.length, start, Math.min(start + MAGIC.length, end)) !== 0) {
    throw new Undecodable("it is not Kubernetes protobuf");
  }
  const raw = findBytes({ bytes, start: start + MAGIC.length, end }, UNKNOWN_RAW);
  return raw ?? { bytes, start: end, end };
}

/** The type and the still enveloped object of a metav1.WatchEvent. Errors: `Undecodable`. */
export function openWatchEvent(frame: Span): { type: string; object: Span | undefined } {
  const type = findBytes(frame, WATCH_EVENT_TYPE);
  const extension = findBytes(frame, WATCH_EVENT_OBJECT);
  return {
    type: type ? type.bytes.toString("latin1", type.start, type.end) : "",
    object: extension && findBytes(extension, RAW_EXTENSION_RAW),
  };
}
