import type { Field, Shape } from "../resources/index.ts";
import { Layout } from "./layout.ts";
import { Sharing } from "./sharing.ts";

export interface PlannedField {
  readonly name: string;
  /** Its place among the values that a message is built from. */
  readonly slot: number;
  readonly kind: Field["type"] | "strings" | "messages";
  readonly pointer: boolean;
  readonly required: boolean;
  /** Of a message. */
  readonly plan: Plan;
  readonly drop: readonly string[];
  /** Of its lists or maps. */
  readonly sharing: Sharing;
}

/** A shape made ready for reading, once: all that is left to do is to look fields up. */
export interface Plan {
  readonly fields: readonly PlannedField[];
  /** By protobuf field number; undefined for what is not kept. */
  readonly byNumber: readonly (PlannedField | undefined)[];
  /** Those that every message has. */
  readonly required: readonly PlannedField[];
  readonly layout: Layout;
  /** Undefined where each object has its own (the object, its metadata). */
  readonly sharing: Sharing | undefined;
}

const EMPTY_PLAN: Plan = { fields: [], byNumber: [], required: [], layout: new Layout(), sharing: undefined };

export function compileShape(shape: Shape<unknown>): Plan {
  return compile(shape, false);
}

function compile(shape: Shape<unknown>, shared: boolean): Plan {
  const fields = shape.fields.map((field, slot) => planField(field, slot, shared));
  const byNumber: (PlannedField | undefined)[] = [];
  const last = Math.max(0, ...shape.fields.map(({ number }) => number));
  for (let number = 0; number <= last; number += 1) {
    const slot = shape.fields.findIndex((field) => field.number === number && number > 0);
    byNumber.push(fields[slot]);
  }
  return {
    fields,
    byNumber,
    required: fields.filter((field) => field.required),
    layout: new Layout(),
    sharing: shared ? new Sharing() : undefined,
  };
}

function planField(field: Field, slot: number, inShared: boolean): PlannedField {
  const { name, pointer, required = false, drop = [] } = field;
  const plan = field.shape ? compile(field.shape, inShared || name !== "metadata") : EMPTY_PLAN;
  return { name, slot, kind: kindOf(field), pointer, required, plan, drop, sharing: new Sharing() };
}

function kindOf(field: Field): PlannedField["kind"] {
  if (!field.repeated) return field.type;
  if (field.type === "message") return "messages";
  if (field.type === "string") return "strings";
  throw new TypeError(`shape field ${field.name}: lists of ${field.type} are not kept`);
}
