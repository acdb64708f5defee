import type { KubeObject } from "../resources/index.ts";
import { type Assembler, EMPTY } from "./assembler.ts";
import type { Plan, PlannedField } from "./plan.ts";
import { Undecodable } from "./undecodable.ts";

export type Json = Record<string, unknown>;

/** Reads projected messages from parsed JSON: the same objects that the protobuf reader makes. */
export class JsonReader {
  readonly #assembler: Assembler;
  readonly #values: unknown[];
  /** Of the value read last. */
  #hash = 0;

  constructor(assembler: Assembler) {
    this.#assembler = assembler;
    this.#values = assembler.values;
  }

  /** Errors: `Undecodable` where a field has another type than its shape says. */
  read(plan: Plan, raw: unknown): object {
    return this.#message(plan, raw, 0);
  }

  #message(plan: Plan, raw: unknown, base: number): object {
    if (!isRecord(raw)) throw new Undecodable("it is no JSON object");
    const { fields } = plan;
    const values = this.#values;
    const top = base + fields.length;
    for (let slot = base; slot < top; slot += 1) values[slot] = undefined;
    let hash = 0;
    for (let slot = 0; slot < fields.length; slot += 1) {
      const field = fields[slot] as PlannedField;
      const value = raw[field.name];
      if (value === undefined || value === null) {
        if (field.required) values[base + slot] = EMPTY;
        continue;
      }
      this.#hash = 0;
      values[base + slot] = this.#value(field, value, top);
      hash = Math.imul(hash ^ this.#hash, 31) + slot;
    }
    this.#hash = hash;
    return this.#assembler.message(plan, base, hash);
  }

  #value(field: PlannedField, value: unknown, top: number): unknown {
    switch (field.kind) {
      case "int":
        return this.#integer(field, value) || (field.pointer ? 0 : undefined);
      case "bool":
        return this.#boolean(field, value) || (field.pointer ? false : undefined);
      case "message":
        return this.#nested(field, value, top);
      case "map":
        return this.#map(field, value, top);
      case "strings":
      case "messages":
        return this.#list(field, value, top);
      default:
        return this.#text(field, value) || (field.pointer ? "" : undefined);
    }
  }

  #nested(field: PlannedField, value: unknown, top: number): object | undefined {
    const message = this.#message(field.plan, value, top);
    return message === EMPTY && !field.pointer && !field.required ? undefined : message;
  }

  #list(field: PlannedField, value: unknown, top: number): unknown {
    if (!Array.isArray(value)) throw mismatch(field, "a list");
    if (value.length === 0) return undefined;
    let to = top;
    let hash = 0;
    for (const item of value as unknown[]) {
      this.#values[to] = field.kind === "strings" ? this.#text(field, item) : this.#message(field.plan, item, to);
      to += 1;
      hash = Math.imul(hash ^ this.#hash, 31) + 1;
    }
    this.#hash = hash;
    return this.#assembler.list(field.sharing, top, to, hash);
  }

  #map(field: PlannedField, value: unknown, top: number): unknown {
    if (!isRecord(value)) throw mismatch(field, "a map");
    let to = top;
    let hash = 0;
    for (const key of Object.keys(value)) {
      if (field.drop.includes(key)) continue;
      this.#values[to] = this.#assembler.strings.fromString(key);
      this.#values[to + 1] = this.#text(field, value[key]);
      to += 2;
      hash = Math.imul(hash ^ this.#hash, 31) + 1;
    }
    this.#hash = hash;
    return to === top ? undefined : this.#assembler.map(field.sharing, top, to, hash);
  }

  #text(field: PlannedField, value: unknown): string {
    if (typeof value !== "string") throw mismatch(field, "text");
    const { strings } = this.#assembler;
    const text = strings.fromString(value);
    this.#hash = strings.hash;
    return text;
  }

  #integer(field: PlannedField, value: unknown): number {
    if (typeof value !== "number") throw mismatch(field, "a number");
    this.#hash = value | 0;
    return value;
  }

  #boolean(field: PlannedField, value: unknown): boolean {
    if (typeof value !== "boolean") throw mismatch(field, "true or false");
    this.#hash = value ? 1 : 0;
    return value;
  }
}

/** A kind without a shape: its metadata, and of the rest what `keep` names, or all. Its resource knows apiVersion and kind. */
export function withoutBulk(raw: unknown, keep: readonly string[] | undefined): KubeObject {
  if (!isRecord(raw) || !isRecord(raw["metadata"])) throw new Undecodable("it has no metadata");
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = raw;
  const { managedFields: _managedFields, selfLink: _selfLink, ...metadata } = raw["metadata"];
  const kept = keep ? pick(rest, keep) : rest;
  return { ...kept, metadata: metadata as unknown as KubeObject["metadata"] };
}

function pick(from: Json, paths: readonly string[]): Json {
  const picked: Json = {};
  for (const path of paths) copyPath(from, picked, path.split("."));
  return picked;
}

function copyPath(from: Json, to: Json, [name = "", ...rest]: string[]): void {
  const value = from[name];
  if (value === undefined) return;
  if (rest.length === 0) to[name] = value;
  else if (isRecord(value)) copyPath(value, (to[name] ??= {}) as Json, rest);
}

export function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function mismatch(field: PlannedField, wanted: string): Undecodable {
  return new Undecodable(`its field ${field.name} is not ${wanted}`);
}
