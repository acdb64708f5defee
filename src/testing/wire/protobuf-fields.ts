import type { Field, Shape } from "../../resources/index.ts";
import type { ReverseWriter } from "./reverse-writer.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Times that are no pointers in Go: the API server writes them, empty, even when they are unset. */
const TIMES_BY_VALUE = new Set([
  "creationTimestamp",
  "lastTransitionTime",
  "firstTimestamp",
  "lastTimestamp",
  "eventTime",
  "startedAt",
  "finishedAt",
]);

/** Messages that are structs, not pointers: written, empty, even when they are unset. */
const STRUCTS_BY_VALUE = new Set(["metadata", "spec", "status", "involvedObject", "source", "template", "jobTemplate"]);

/**
 * Writes the fields of `shape` as gogo/protobuf does for k8s.io/api: plain fields always, also when zero; pointers only when set.
 */
export function writeFields(writer: ReverseWriter, shape: Shape<unknown>, object: Fields): void {
  for (let index = shape.fields.length - 1; index >= 0; index -= 1) {
    const field = shape.fields[index] as Field;
    const value = object[field.name];
    if (field.repeated) writeAll(writer, field, Array.isArray(value) ? value : []);
    else if (value !== undefined && value !== null) writeValue(writer, field, value);
    else if (field.type === "message" ? STRUCTS_BY_VALUE.has(field.name) : !field.pointer) writeUnset(writer, field);
  }
}

function writeAll(writer: ReverseWriter, field: Field, values: readonly unknown[]): void {
  for (let index = values.length - 1; index >= 0; index -= 1) writeValue(writer, field, values[index]);
}

function writeValue(writer: ReverseWriter, field: Field, value: unknown): void {
  const mark = writer.length;
  switch (field.type) {
    case "string":
      return writer.string(field.number, value as string);
    case "int":
      return writer.integer(field.number, value as number);
    case "bool":
      return writer.integer(field.number, value === true ? 1 : 0);
    case "map":
      return writeMap(writer, field, value as Readonly<Record<string, string>>);
    case "message":
      writeFields(writer, field.shape as Shape<unknown>, value as Fields);
      return writer.close(field.number, mark);
    default:
      writeTime(writer, value as string);
      return writer.close(field.number, mark);
  }
}

function writeUnset(writer: ReverseWriter, field: Field): void {
  if (field.type === "string") writer.string(field.number, "");
  else if (field.type === "int" || field.type === "bool") writer.integer(field.number, 0);
  else if (field.type === "message") writeValue(writer, field, {});
  else if (TIMES_BY_VALUE.has(field.name)) writer.close(field.number, writer.length);
}

/** Entries in the order of their keys, each a message of key and value. */
function writeMap(writer: ReverseWriter, field: Field, map: Readonly<Record<string, string>>): void {
  for (const key of Object.keys(map).sort().reverse()) {
    const mark = writer.length;
    writer.string(2, map[key] ?? "");
    writer.string(1, key);
    writer.close(field.number, mark);
  }
}

/** Seconds and nanoseconds; the nanoseconds of RFC 3339 fractions are kept. */
function writeTime(writer: ReverseWriter, text: string): void {
  const milliseconds = Date.parse(text);
  const fraction = /\.(\d{1,9})/.exec(text)?.[1] ?? "";
  writer.integer(2, Number(fraction.padEnd(9, "0")));
  writer.integer(1, Math.floor(milliseconds / 1_000));
}
