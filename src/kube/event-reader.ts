import type { DeepReadonly, KubeObject } from "../resources/index.ts";
import type { WatchEvent } from "./api.ts";
import type { Raw } from "./codec.ts";
import { isRecord } from "./json-reader.ts";
import { memberOf } from "./json-scan.ts";
import { parseSpan, salvageMember, salvageObject } from "./json-text.ts";
import type { Reading } from "./reading.ts";
import { statusError, type Subject } from "./status.ts";
import { Undecodable, whyUndecodable } from "./undecodable.ts";
import type { Span } from "./wire-cursor.ts";

/** The end of a WatchList's initial events (KEP-3157). */
const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

type Change = "ADDED" | "MODIFIED" | "DELETED";

/** A frame taken apart: `why` when it, or what is in it, does not read, and `object` is then what could be salvaged. */
export interface OpenedFrame {
  readonly type: unknown;
  readonly object: Raw | undefined;
  readonly why?: string;
}

/** Turns the frames of one watch into events, one each. */
export class EventReader<T extends KubeObject> {
  readonly #reading: Reading<T>;
  readonly #subject: Subject;
  readonly #open: (frame: Span) => OpenedFrame;

  constructor(reading: Reading<T>, subject: Subject, open: (frame: Span) => OpenedFrame) {
    this.#reading = reading;
    this.#subject = subject;
    this.#open = open;
  }

  /** Errors: `ApiError` for an ERROR event. */
  read(frame: Span): WatchEvent<T> {
    const { type, object, why } = this.#open(frame);
    if (why !== undefined || object === undefined) return this.#opaque(type, object, why ?? "it has no object");
    if (type === "ERROR") throw statusError(this.#reading.codec.status(object), this.#subject, {});
    try {
      if (isChange(type)) return { type, object: this.#reading.codec.object(this.#reading.resource, object) };
      if (type === "BOOKMARK") return this.#bookmark(object);
    } catch (thrown) {
      return this.#opaque(type, object, whyUndecodable(thrown));
    }
    return this.#opaque(type, object, "the event is of an unknown type");
  }

  #bookmark(object: Raw): WatchEvent<T> {
    const { resourceVersion, annotations } = this.#reading.codec.metadata(object);
    if (!resourceVersion) throw new Undecodable("a bookmark has no resourceVersion");
    return { type: "BOOKMARK", resourceVersion, initialEventsEnd: annotations?.[INITIAL_EVENTS_END] === "true" };
  }

  #opaque(type: unknown, raw: Raw | undefined, why: string): WatchEvent<T> {
    const object: DeepReadonly<KubeObject> | undefined = raw && this.#reading.codec.identity(raw);
    this.#reading.opaque.record(why, object);
    return { type: "OPAQUE", change: isChange(type) ? type : undefined, object, why };
  }
}

function isChange(type: unknown): type is Change {
  return type === "ADDED" || type === "MODIFIED" || type === "DELETED";
}

export function openJsonFrame(frame: Span): OpenedFrame {
  try {
    const event = parseSpan(frame);
    if (!isRecord(event)) throw new Undecodable("it is no event");
    return { type: event["type"], object: { json: event["object"] } };
  } catch (thrown) {
    const why = whyUndecodable(thrown);
    return { type: salvageMember(frame, "type"), object: { json: salvageObject(objectOf(frame)) }, why };
  }
}

function objectOf(frame: Span): Span | undefined {
  try {
    return memberOf(frame, "object");
  } catch (thrown) {
    if (thrown instanceof Undecodable) return undefined; // Nothing is left of it but that it came.
    throw thrown;
  }
}
