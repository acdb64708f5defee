/**
 * What is kept of a kind, declared once: field names for JSON, field numbers for protobuf, and by the type parameter the
 * TypeScript interface, which must have exactly these fields.
 *
 * Both wires give the same projected object. JSON leaves out zeros of plain Go fields and protobuf writes them, so a *plain*
 * field that is zero, empty or false is absent after projection; a *pointer* field keeps its zero (`suspend: false`).
 */
export interface Shape<T> {
  readonly fields: readonly Field[];
  /** Never set: ties the shape to its interface for the type checker. */
  readonly phantom?: T;
}

type Scalar = "string" | "int" | "bool" | "time" | "microTime";

export interface Field {
  readonly name: string;
  /** The protobuf field number (docs: k8s.io/api, generated.proto). 0 for kinds that have no protobuf form. */
  readonly number: number;
  readonly type: Scalar | "message" | "map";
  readonly repeated: boolean;
  /** A Go pointer: unset and zero are different things. */
  readonly pointer: boolean;
  /** Of a message. */
  readonly shape?: Shape<unknown>;
  /** Of a message: every projected object has it, `{}` when the wire left it out. */
  readonly required?: boolean;
  /** Of a map: keys that are not kept, because they are large and nobody reads them. */
  readonly drop?: readonly string[];
}

export type FieldSpec = Omit<Field, "name">;

/** Every field of T, in the order in which objects are built. */
export function shape<T>(fields: { readonly [K in keyof Required<T>]: FieldSpec }): Shape<T> {
  const specs = Object.entries<FieldSpec>(fields);
  return { fields: specs.map(([name, spec]) => ({ name, ...spec })) };
}

const scalar =
  (type: Scalar, repeated: boolean, pointer: boolean) =>
  (number: number): FieldSpec => ({ number, type, repeated, pointer });

/** A plain string, number or boolean: absent when zero. */
export const string: (number: number) => FieldSpec = scalar("string", false, false);
export const int: (number: number) => FieldSpec = scalar("int", false, false);
export const bool: (number: number) => FieldSpec = scalar("bool", false, false);
/** A pointer: its zero is kept. */
export const optionalString: (number: number) => FieldSpec = scalar("string", false, true);
export const optionalInt: (number: number) => FieldSpec = scalar("int", false, true);
export const optionalBool: (number: number) => FieldSpec = scalar("bool", false, true);
export const time: (number: number) => FieldSpec = scalar("time", false, false);
export const microTime: (number: number) => FieldSpec = scalar("microTime", false, false);
export const strings: (number: number) => FieldSpec = scalar("string", true, false);

/** A nested Go struct that every object has (`spec`, `status`): `{}` when all of it is zero. */
export function required<M>(number: number, nested: Shape<M>): FieldSpec {
  return { number, type: "message", repeated: false, pointer: false, required: true, shape: nested };
}

/** A nested Go struct: absent when all of it is zero. */
export function struct<M>(number: number, nested: Shape<M>): FieldSpec {
  return { number, type: "message", repeated: false, pointer: false, shape: nested };
}

/** A pointer at a nested message; present and empty stays `{}`. */
export function message<M>(number: number, nested: Shape<M>): FieldSpec {
  return { number, type: "message", repeated: false, pointer: true, shape: nested };
}

export function messages<M>(number: number, nested: Shape<M>): FieldSpec {
  return { number, type: "message", repeated: true, pointer: false, shape: nested };
}

/** A map of strings, without the keys of `drop`. */
export function map(number: number, drop: readonly string[] = []): FieldSpec {
  return { number, type: "map", repeated: false, pointer: false, drop };
}
