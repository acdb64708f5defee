import type { FieldCause } from "../storage/kind.ts";

/** Untyped JSON, read with care: what is not a map is an empty one. */
export type Fields = Record<string, unknown>;

export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function itemsOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function numberOf(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

/** The map at `key`, put there if there is none. */
export function mapAt(parent: Fields, key: string): Fields {
  const there = fieldsOf(parent[key]);
  parent[key] = there;
  return there;
}

/** Sets what is not set. */
export function defaults(target: Fields, values: Fields): void {
  for (const [key, value] of Object.entries(values)) target[key] ??= value;
}

export function required(field: string, detail?: string): FieldCause {
  return { reason: "FieldValueRequired", message: detail ? `Required value: ${detail}` : "Required value", field };
}

export function immutable(field: string, value: unknown): FieldCause {
  return { reason: "FieldValueInvalid", message: `Invalid value: ${shown(value)}: field is immutable`, field };
}

function shown(value: unknown): string {
  return JSON.stringify(value ?? null);
}
