import { objectMetaShape } from "./meta-shape.ts";
import {
  bool,
  type FieldSpec,
  int,
  map,
  message,
  messages,
  optionalBool,
  optionalInt,
  optionalString,
  required,
  type Shape,
  string,
  strings,
  struct,
} from "./shape.ts";

/** Kinds that come as JSON have no field numbers. */
const NONE = 0;

/**
 * What the shape of a kind of the user's own is made of:
 * `shape<Run>({ metadata: fields.metadata(), spec: fields.required(shape<RunSpec>({ approved: fields.bool() })) })`.
 * A plain field that is zero, empty or false is absent once read; an optional one keeps its zero.
 */
export const fields: {
  metadata(): FieldSpec;
  /** Also for times, which are RFC 3339 strings. */
  string(): FieldSpec;
  int(): FieldSpec;
  bool(): FieldSpec;
  optionalString(): FieldSpec;
  optionalInt(): FieldSpec;
  optionalBool(): FieldSpec;
  strings(): FieldSpec;
  /** Strings by string, as labels. */
  map(): FieldSpec;
  /** `{}` where the object has none: for what every object has, as a spec. */
  required<M>(nested: Shape<M>): FieldSpec;
  /** Absent when all of it is zero. */
  struct<M>(nested: Shape<M>): FieldSpec;
  /** `{}` when all of it is zero, absent when it was. */
  optional<M>(nested: Shape<M>): FieldSpec;
  list<M>(nested: Shape<M>): FieldSpec;
} = {
  metadata: () => message(NONE, objectMetaShape),
  string: () => string(NONE),
  int: () => int(NONE),
  bool: () => bool(NONE),
  optionalString: () => optionalString(NONE),
  optionalInt: () => optionalInt(NONE),
  optionalBool: () => optionalBool(NONE),
  strings: () => strings(NONE),
  map: () => map(NONE),
  required: (nested) => required(NONE, nested),
  struct: (nested) => struct(NONE, nested),
  optional: (nested) => message(NONE, nested),
  list: (nested) => messages(NONE, nested),
};
