import type { Field, Shape } from "../../resources/index.ts";

type Fields = Record<string, unknown>;

const VARINT = 0;
const LENGTH_DELIMITED = 2;

/** A body holds something that its Shape does not name: what was stored would be less than what was sent. */
export class UnknownFieldError extends Error {}

/** One field of a message as it comes over the wire. */
interface Raw {
  readonly number: number;
  readonly integer: bigint;
  readonly bytes: Uint8Array;
}

/**
 * Reads the envelope of a request body, `k8s\0` and an Unknown, and the object in it as far as `shape` goes.
 * Errors: `UnknownFieldError` for a field that is not empty and not in the shape; RangeError for what is not protobuf at all.
 */
export function readProtobuf(body: Uint8Array, shape: Shape<unknown>): Fields {
  if (Buffer.from(body.subarray(0, 4)).toString("latin1") !== "k8s\0") throw new RangeError("no k8s prefix");
  const parts = new Map([...fieldsIn(body.subarray(4))].map((field) => [field.number, field.bytes]));
  const type = new Map(
    [...fieldsIn(parts.get(1) ?? new Uint8Array())].map(({ number, bytes }) => [number, text(bytes)]),
  );
  const names = { apiVersion: type.get(1), kind: type.get(2) };
  return { ...readFields(parts.get(2) ?? new Uint8Array(), shape), ...names };
}

function readFields(bytes: Uint8Array, shape: Shape<unknown>): Fields {
  const object: Fields = {};
  for (const raw of fieldsIn(bytes)) {
    const field = shape.fields.find(({ number }) => number === raw.number);
    if (field) readInto(object, field, raw);
    else if (raw.bytes.length > 0 || raw.integer !== 0n)
      throw new UnknownFieldError(`field ${raw.number} is not known`);
  }
  return object;
}

function readInto(object: Fields, field: Field, raw: Raw): void {
  const { name } = field;
  if (field.type === "map") {
    const map = (object[name] ??= {}) as Record<string, string>;
    const entry = new Map([...fieldsIn(raw.bytes)].map(({ number, bytes }) => [number, text(bytes)]));
    map[entry.get(1) ?? ""] = entry.get(2) ?? "";
    return;
  }
  const value = valueOf(field, raw);
  if (field.repeated) object[name] = [...((object[name] ?? []) as unknown[]), value];
  // A plain field that is zero was not set.
  else if (field.pointer || !ZEROS.has(value)) object[name] = value;
}

const ZEROS: ReadonlySet<unknown> = new Set(["", 0, false, undefined]);

function valueOf(field: Field, { integer, bytes }: Raw): unknown {
  switch (field.type) {
    case "string":
      return text(bytes);
    case "int":
      return Number(BigInt.asIntN(64, integer));
    case "bool":
      return integer !== 0n;
    case "message":
      return readFields(bytes, field.shape as Shape<unknown>);
    default:
      return timeIn(bytes, field.type === "microTime" ? 6 : 0);
  }
}

function timeIn(bytes: Uint8Array, digits: number): string | undefined {
  if (bytes.length === 0) return undefined;
  const parts = new Map(
    [...fieldsIn(bytes)].map(({ number, integer }) => [number, Number(BigInt.asIntN(64, integer))]),
  );
  const second = new Date((parts.get(1) ?? 0) * 1_000).toISOString().slice(0, 19);
  const fraction = String(parts.get(2) ?? 0)
    .padStart(9, "0")
    .slice(0, digits);
  return `${second}${digits > 0 ? `.${fraction}` : ""}Z`;
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}

function* fieldsIn(bytes: Uint8Array): Iterable<Raw> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at];
      if (byte === undefined || shift > 63n) throw new RangeError("cut off in a number");
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const number = Math.floor(tag / 8);
    if (tag % 8 === VARINT) yield { number, integer: varint(), bytes: new Uint8Array() };
    else if (tag % 8 === LENGTH_DELIMITED) {
      const end = Number(varint()) + at;
      if (end > bytes.length) throw new RangeError("cut off in a field");
      yield { number, integer: 0n, bytes: bytes.subarray(at, end) };
      at = end;
    } else throw new RangeError(`wire type ${tag % 8}`);
  }
}
