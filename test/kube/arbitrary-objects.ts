import * as fc from "fast-check";
import type { Field, Shape } from "../../src/resources/index.ts";

type Json = Record<string, unknown>;

/** Few letters, so that strings repeat; some beyond ASCII, some long. */
const text = fc.oneof(
  { weight: 6, arbitrary: fc.string({ minLength: 1, maxLength: 6, unit: fc.constantFrom("a", "b", "-") }) },
  { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 70, unit: "grapheme" }) },
  { weight: 1, arbitrary: fc.constant("") },
);

const seconds = fc.integer({ min: -10_000_000, max: 4_000_000_000 });

function iso(at: number): string {
  return new Date(at * 1_000).toISOString().replace(".000Z", "");
}

/** Any object of a shape, as the API server could hold it: every field may be missing, and may be zero. */
export function arbitraryOf(shape: Shape<unknown>): fc.Arbitrary<Json> {
  const fields = Object.fromEntries(shape.fields.map((field) => [field.name, arbitraryField(field)]));
  return fc.record(fields, { requiredKeys: [] });
}

function arbitraryField(field: Field): fc.Arbitrary<unknown> {
  if (field.type === "map") {
    const key = fc.oneof(fc.constantFrom("app", "tier", "__proto__", "0", ...(field.drop ?? [])), text);
    return fc.uniqueArray(fc.tuple(key, text), { maxLength: 20, selector: ([name]) => name }).map(ownEntries);
  }
  return field.repeated ? fc.array(arbitraryValue(field), { maxLength: 4 }) : arbitraryValue(field);
}

function arbitraryValue(field: Field): fc.Arbitrary<unknown> {
  switch (field.type) {
    case "int":
      return fc.oneof(fc.constantFrom(0, 1, -1, 2 ** 31 - 1, -(2 ** 31), 2 ** 32, 2 ** 40, -(2 ** 40)), fc.nat(300));
    case "bool":
      return fc.boolean();
    case "time":
      return seconds.map((at) => `${iso(at)}Z`);
    case "microTime":
      return fc.tuple(seconds, fc.nat(999_999)).map(([at, micros]) => `${iso(at)}.${String(micros).padStart(6, "0")}Z`);
    case "message":
      return arbitraryOf(field.shape as Shape<unknown>);
    default:
      return text;
  }
}

/** `Object.fromEntries` makes own properties of all keys, also of "__proto__". */
function ownEntries(entries: [string, string][]): Record<string, string> {
  return Object.fromEntries(entries);
}

/** What a projected object has of one that the server holds: the rules of resources/shape.ts, told once more and naively. */
export function projectionOf(shape: Shape<unknown>, object: Json): Json {
  return Object.fromEntries(
    shape.fields.flatMap((field) => {
      const value = projectedField(field, object[field.name]);
      return value === undefined ? [] : [[field.name, value]];
    }),
  );
}

function projectedField(field: Field, value: unknown): unknown {
  if (value === undefined) return field.required ? {} : undefined;
  if (field.repeated) {
    const items = (value as unknown[]).map((item) =>
      field.type === "message" ? projectionOf(field.shape as Shape<unknown>, item as Json) : item,
    );
    return items.length > 0 ? items : undefined;
  }
  if (field.type === "map") {
    const kept = Object.entries(value as Json).filter(([key]) => !(field.drop ?? []).includes(key));
    return kept.length > 0 ? Object.fromEntries(kept) : undefined;
  }
  if (field.type === "message") {
    const nested = projectionOf(field.shape as Shape<unknown>, value as Json);
    return Object.keys(nested).length > 0 || field.pointer || field.required ? nested : undefined;
  }
  return field.pointer || value ? value : undefined;
}
