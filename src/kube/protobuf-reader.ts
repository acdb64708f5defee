import { type Assembler, EMPTY } from "./assembler.ts";
import { OwnStrings } from "./own-strings.ts";
import type { Plan, PlannedField } from "./plan.ts";
import { TimeText } from "./time-text.ts";
import { Undecodable } from "./undecodable.ts";
import { VARINT, WireCursor } from "./wire-cursor.ts";

/**
 * Reads projected messages from protobuf bytes. Fields may come in any order; those that the plan does not know are skipped by
 * their length.
 */
export class ProtobufReader {
  readonly #assembler: Assembler;
  readonly #values: unknown[];
  readonly #cursor: WireCursor = new WireCursor();
  readonly #times: TimeText = new TimeText();
  readonly #own: OwnStrings = new OwnStrings();
  /** Of the cursor's bytes. */
  #view: DataView = new DataView(new ArrayBuffer(0));
  /** Of the value read last. */
  #hash = 0;

  constructor(assembler: Assembler) {
    this.#assembler = assembler;
    this.#values = assembler.values;
  }

  /** The message in these bytes. Errors: `Undecodable`. */
  read(plan: Plan, bytes: Buffer, start: number, end: number): object {
    if (this.#cursor.bytes !== bytes) this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#cursor.bytes = bytes;
    this.#cursor.at = start;
    this.#own.clear();
    return this.#message(plan, end, 0);
  }

  #message(plan: Plan, end: number, base: number): object {
    const { byNumber, fields, required } = plan;
    const cursor = this.#cursor;
    const values = this.#values;
    const top = base + fields.length;
    for (let slot = base; slot < top; slot += 1) values[slot] = undefined;
    let hash = 0;
    while (cursor.at < end) {
      const tag = cursor.varint();
      const number = tag >>> 3;
      const field = number < byNumber.length ? byNumber[number] : undefined;
      if (field === undefined) {
        cursor.skip(tag, end);
        continue;
      }
      this.#hash = 0;
      const at = base + field.slot;
      values[at] = this.#value(field, tag, end, top, values[at]);
      hash = Math.imul(hash ^ this.#hash, 31) + number;
    }
    cursor.close(end);
    for (let at = 0; at < required.length; at += 1) {
      values[base + (required[at] as PlannedField).slot] ??= EMPTY;
    }
    this.#hash = hash;
    return this.#assembler.message(plan, base, hash);
  }

  /** `before` is what the same field had already: lists and maps may come in several runs. */
  #value(field: PlannedField, tag: number, end: number, top: number, before: unknown): unknown {
    switch (field.kind) {
      case "string":
        return this.#fieldText(field, tag, end) || (field.pointer ? "" : undefined);
      case "int":
        return this.#integer(tag) || (field.pointer ? 0 : undefined);
      case "bool":
        return this.#integer(tag) !== 0 || (field.pointer ? false : undefined);
      case "time":
      case "microTime":
        return this.#time(field.kind, tag, end);
      case "message":
        return this.#nested(field, tag, end, top);
      case "map":
        return this.#map(field, tag, end, top, before as Record<string, string> | undefined);
      default:
        return this.#list(field, tag, end, top, before as readonly unknown[] | undefined);
    }
  }

  #nested(field: PlannedField, tag: number, end: number, top: number): object | undefined {
    const message = this.#message(field.plan, this.#cursor.open(tag, end), top);
    return message === EMPTY && !field.pointer ? undefined : message;
  }

  #list(field: PlannedField, tag: number, end: number, top: number, before: readonly unknown[] = []): unknown {
    const cursor = this.#cursor;
    const values = this.#values;
    let to = top;
    for (const item of before) values[to++] = item;
    let hash = 0;
    do {
      values[to] =
        field.kind === "strings" ? this.#text(tag, end) : this.#message(field.plan, cursor.open(tag, end), to);
      to += 1;
      hash = Math.imul(hash ^ this.#hash, 31) + 1;
    } while (this.#again(tag, end));
    this.#hash = hash;
    return this.#assembler.list(field.sharing, top, to, hash);
  }

  #map(field: PlannedField, tag: number, end: number, top: number, before: Record<string, string> = {}): unknown {
    const values = this.#values;
    let to = top;
    for (const key in before) {
      values[to++] = key;
      values[to++] = before[key];
    }
    let hash = 0;
    do {
      if (!this.#entry(field.drop, tag, end, to)) continue;
      to += 2;
      hash = Math.imul(hash ^ this.#hash, 31) + 1;
    } while (this.#again(tag, end));
    this.#hash = hash;
    return to === top ? undefined : this.#assembler.map(field.sharing, top, to, hash);
  }

  /** Puts key and value at `to`; false when the key is one that is not kept. */
  #entry(drop: readonly string[], tag: number, end: number, to: number): boolean {
    const cursor = this.#cursor;
    const values = this.#values;
    const stop = cursor.open(tag, end);
    values[to] = "";
    values[to + 1] = "";
    let hash = 0;
    while (cursor.at < stop) {
      const part = cursor.varint();
      if (part >>> 3 === 1) values[to] = this.#text(part, stop);
      else if (drop.length > 0 && drop.includes(values[to] as string)) cursor.skip(part, stop);
      else if (part >>> 3 === 2) values[to + 1] = this.#mapText(part, stop);
      else cursor.skip(part, stop);
      hash = Math.imul(hash ^ this.#hash, 31);
    }
    cursor.close(stop);
    this.#hash = hash;
    return !drop.includes(values[to] as string);
  }

  /** True, past its tag, when the same field follows at once. */
  #again(tag: number, end: number): boolean {
    const cursor = this.#cursor;
    const { at } = cursor;
    if (at >= end) return false;
    if (cursor.varint() === tag) return true;
    cursor.at = at;
    return false;
  }

  /** Looked for among those of other objects only as long as this field's are found there. */
  #fieldText(field: PlannedField, tag: number, end: number): string {
    const { sharing } = field;
    if (sharing.pays()) {
      const text = this.#text(tag, end);
      return this.#assembler.strings.found ? sharing.hit(text) : text;
    }
    const cursor = this.#cursor;
    const stop = cursor.open(tag, end);
    const text = this.#own.read(cursor.bytes, cursor.at, stop);
    cursor.at = stop;
    this.#hash = text.length;
    return text;
  }

  /** Labels repeat what their object has, or what others have. */
  #mapText(tag: number, end: number): string {
    const cursor = this.#cursor;
    const { at } = cursor;
    const stop = cursor.open(tag, end);
    const own = this.#own.find(cursor.bytes, cursor.at, stop);
    if (own === undefined) {
      cursor.at = at;
      return this.#text(tag, end);
    }
    cursor.at = stop;
    this.#hash = own.length;
    return own;
  }

  #text(tag: number, end: number): string {
    const { strings } = this.#assembler;
    const cursor = this.#cursor;
    const stop = cursor.open(tag, end);
    const text = strings.fromBytes(cursor.bytes, this.#view, cursor.at, stop);
    cursor.at = stop;
    this.#hash = strings.hash;
    return text;
  }

  #integer(tag: number): number {
    if ((tag & 7) !== VARINT) throw new Undecodable(`field ${tag >>> 3} has wire type ${tag & 7}`);
    const value = this.#cursor.integer();
    this.#hash = value | 0;
    return value;
  }

  /** The zero time is an empty message. */
  #time(kind: "time" | "microTime", tag: number, end: number): string | undefined {
    const cursor = this.#cursor;
    const stop = cursor.open(tag, end);
    if (cursor.at === stop) return undefined;
    let seconds = 0;
    let nanos = 0;
    while (cursor.at < stop) {
      const part = cursor.varint();
      if (part >>> 3 === 1) seconds = this.#integer(part);
      else if (part >>> 3 === 2) nanos = this.#integer(part);
      else cursor.skip(part, stop);
    }
    cursor.close(stop);
    this.#hash = seconds | 0;
    return kind === "time" ? this.#times.time(seconds) : this.#times.microTime(seconds, nanos);
  }
}
