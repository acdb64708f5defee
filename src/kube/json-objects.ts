import type { Field, KubeObject, Shape } from "../resources/index.ts";
import { Undecodable } from "./undecodable.ts";

type Json = Record<string, unknown>;

/** The kept fields of a parsed object. Errors: `Undecodable` where a field has another type than its shape says. */
export function projectJson(shape: Shape<unknown>, raw: unknown, path: string): Json {
  if (!isRecord(raw)) throw new Undecodable(`${path || "the object"} is no JSON object`);
  const kept: Json = {};
  for (const field of shape.fields) {
    const value = projectField(field, raw[field.name], path);
    if (value !== undefined) kept[field.name] = value;
  }
  return kept;
}

/** A kind without a shape: everything but what no reader of a cache wants. Its resource knows apiVersion and kind. */
export function withoutBulk(raw: unknown): KubeObject {
  if (!isRecord(raw) || !isRecord(raw["metadata"])) throw new Undecodable("it has no metadata");
  const { apiVersion: _apiVersion, kind: _kind, ...kept } = raw;
  const { managedFields: _managedFields, selfLink: _selfLink, ...metadata } = raw["metadata"];
  return { ...kept, metadata: metadata as unknown as KubeObject["metadata"] };
}

function projectField(field: Field, value: unknown, path: string): unknown {
  const at = path ? `${path}.${field.name}` : field.name;
  if (value === undefined || value === null) return field.required ? {} : undefined;
  if (!field.repeated) return projectValue(field, value, at);
  if (!Array.isArray(value)) throw new Undecodable(`${at} is no list`);
  return value.length > 0 ? value.map((item) => projectItem(field, item, at)) : undefined;
}

/** An element of a list is kept even when it is zero. */
function projectItem(field: Field, value: unknown, at: string): unknown {
  return field.type === "message"
    ? projectJson(field.shape as Shape<unknown>, value, at)
    : checkScalar(field, value, at);
}

function projectValue(field: Field, value: unknown, at: string): unknown {
  if (field.type === "message") {
    const nested = projectJson(field.shape as Shape<unknown>, value, at);
    const kept = field.pointer || field.required || Object.keys(nested).length > 0;
    return kept ? nested : undefined;
  }
  if (field.type === "map") return projectMap(field, value, at);
  const scalar = checkScalar(field, value, at);
  return field.pointer || scalar ? scalar : undefined;
}

const JSON_TYPES = { string: "string", int: "number", bool: "boolean", time: "string", microTime: "string" } as const;

function checkScalar(field: Field, value: unknown, at: string): unknown {
  const type = JSON_TYPES[field.type as keyof typeof JSON_TYPES];
  if (typeof value !== type) throw new Undecodable(`${at} is no ${type}`);
  return value;
}

function projectMap(field: Field, value: unknown, at: string): unknown {
  if (!isRecord(value)) throw new Undecodable(`${at} is no map`);
  const entries = Object.entries(value).filter(([key]) => !field.drop?.includes(key));
  if (entries.some(([, text]) => typeof text !== "string")) throw new Undecodable(`${at} holds more than strings`);
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

export function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
