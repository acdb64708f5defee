import { isRecord } from "../kube/index.ts";
import type { Field, Shape } from "../resources/index.ts";

/** What is told of the times of an object as they are met. */
export interface TimeListener {
  /** Wall time in milliseconds. */
  time(field: string, ms: number): void;
  /** It does not say in which zone, and is taken for UTC. */
  withoutZone(field: string): void;
  /** It is no time at all, and is left out. */
  unreadable(field: string): void;
}

const RFC_3339 = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(Z|[+-]\d{2}:?\d{2})?$/i;

/**
 * A copy of parsed JSON with the fields of a shape and nothing else: what it copies keeps nothing alive of the text it was read from.
 * Whatever is no object stays as it is, for the reader of objects to refuse. Times come out as the API writes them.
 */
export function keptFields(shape: Shape<unknown>, raw: unknown, listener: TimeListener): unknown {
  const kept = picked(shape, raw, listener);
  return kept === undefined ? undefined : (JSON.parse(JSON.stringify(kept)) as unknown);
}

function picked({ fields }: Shape<unknown>, raw: unknown, listener: TimeListener): unknown {
  if (!isRecord(raw)) return raw;
  const kept: Record<string, unknown> = {};
  for (const field of fields) {
    const value = raw[field.name];
    if (value !== undefined && value !== null) kept[field.name] = valueOf(field, value, listener);
  }
  return kept;
}

function valueOf(field: Field, value: unknown, listener: TimeListener): unknown {
  const { shape } = field;
  if (field.type === "time" || field.type === "microTime") return timeOf(field.name, value, listener);
  if (!shape) return value;
  if (!field.repeated) return picked(shape, value, listener);
  return Array.isArray(value) ? value.map((item: unknown) => picked(shape, item, listener)) : value;
}

function timeOf(field: string, value: unknown, listener: TimeListener): unknown {
  const [text, zone] = typeof value === "string" ? (RFC_3339.exec(value) ?? []) : [];
  const said = text === undefined || zone !== undefined ? text : `${text.replace(" ", "T")}Z`;
  const ms = Date.parse(said ?? "");
  if (said === undefined || Number.isNaN(ms)) {
    listener.unreadable(field);
    return undefined;
  }
  if (zone === undefined) listener.withoutZone(field);
  listener.time(field, ms);
  return said;
}
