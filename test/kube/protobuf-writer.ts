import type { Field, Shape } from "../../src/resources/index.ts";

/** Bytes of single fields: what a message is made of, in whatever order. */
type Parts = Buffer[];

/** Rearranges the fields of a message, and may put in ones that no reader knows. */
export type Arrange = (parts: Parts) => Parts;

export function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = BigInt.asUintN(64, BigInt(value));
  for (; left > 127n; left >>= 7n) bytes.push(Number(left & 127n) | 128);
  return Buffer.from([...bytes, Number(left)]);
}

export function intField(number: number, value: number): Buffer {
  return Buffer.concat([varint(number * 8), varint(value)]);
}

export function bytesField(number: number, value: Uint8Array | string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

/** An object of that shape, written independently of the reader: plain loops over what is there. */
export function encode(shape: Shape<unknown>, object: object, arrange: Arrange = (parts) => parts): Buffer {
  const parts = shape.fields.flatMap((field) => {
    const value = (object as Record<string, unknown>)[field.name];
    return value === undefined ? [] : encodeField(field, value, arrange);
  });
  return Buffer.concat(arrange(parts));
}

function encodeField(field: Field, value: unknown, arrange: Arrange): Parts {
  if (field.repeated) return (value as unknown[]).map((item) => encodeValue(field, item, arrange));
  if (field.type !== "map") return [encodeValue(field, value, arrange)];
  return Object.entries(value as Record<string, string>).map(([key, text]) =>
    bytesField(field.number, Buffer.concat(arrange([bytesField(1, key), bytesField(2, text)]))),
  );
}

function encodeValue(field: Field, value: unknown, arrange: Arrange): Buffer {
  switch (field.type) {
    case "int":
    case "bool":
      return intField(field.number, Number(value));
    case "time":
    case "microTime":
      return bytesField(field.number, Buffer.concat(arrange(timeParts(value as string))));
    case "message":
      return bytesField(field.number, encode(field.shape as Shape<unknown>, value as object, arrange));
    default:
      return bytesField(field.number, value as string);
  }
}

function timeParts(text: string): Parts {
  const [whole = "", fraction = "0"] = text.replace("Z", "").split(".");
  return [intField(1, Date.parse(`${whole}Z`) / 1_000), intField(2, Number(fraction.padEnd(9, "0")))];
}

/** The envelope of every object and list on this wire. */
export function unknown(raw: Buffer): Buffer {
  const typeMeta = bytesField(1, Buffer.concat([bytesField(1, "batch/v1"), bytesField(2, "Job")]));
  return Buffer.concat([Buffer.from("k8s\0"), typeMeta, bytesField(2, raw), bytesField(3, ""), bytesField(4, "")]);
}

export function watchFrame(type: string, object: Buffer): Buffer {
  return frame(Buffer.concat([bytesField(1, type), bytesField(2, bytesField(1, unknown(object)))]));
}

export function frame(content: Buffer): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt32BE(content.length);
  return Buffer.concat([header, content]);
}
