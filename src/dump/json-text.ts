import { Assembler } from "stream-json/core/assembler.js";
import { jsonParser, type Token } from "stream-json/core/parser.js";
import { messageOf } from "../base/index.ts";
import { type Flaw, LARGEST_OBJECT, type RawObject } from "./raw-object.ts";

type Read = RawObject | Flaw;

/** What a list says of its items. */
const OF_A_LIST: ReadonlySet<string> = new Set(["apiVersion", "kind"]);

/**
 * The objects of JSON text, each as soon as it is whole: one object or several after each other, and the elements of lists, which are
 * never held whole. Text that breaks off or is no JSON costs what follows the last whole object. Lines are fed one by one, so that an
 * error is told with its line and takes no object with it that ended before.
 */
export async function* jsonObjects(batches: AsyncIterable<readonly string[]>): AsyncGenerator<Read, void, void> {
  const parse = jsonParser({ streamValues: false, jsonStreaming: true });
  const items = new Items();
  for await (const pieces of batches) {
    for (const piece of pieces) {
      try {
        items.take(piece, parse(piece));
      } catch (thrown) {
        yield* items.taken();
        yield { line: items.line, flaw: `cannot be read as JSON from here on: ${messageOf(thrown)}` };
        return;
      }
    }
    yield* items.taken();
  }
  if (items.depth > 0) yield { line: items.line, flaw: "ends in the middle of an object or list" };
}

/** Puts objects together from tokens, and leaves `items` out of what holds them. */
class Items {
  depth = 0;
  line = 1;
  /** How deep the elements of the present list are; none: Infinity. */
  #listDepth = Number.POSITIVE_INFINITY;
  #key = "";
  #holder = new Assembler();
  #item: Assembler | undefined;
  #isList = false;
  /** What the holder has said so far of what its items are. */
  #list: Record<string, unknown> = {};
  #startLine = 1;
  #size = 0;
  #taken: Read[] = [];

  taken(): readonly Read[] {
    const taken = this.#taken;
    this.#taken = [];
    return taken;
  }

  /** The tokens that end in this piece of text. Errors: an object is larger than any can be. */
  take(piece: string, tokens: ReturnType<ReturnType<typeof jsonParser>>): void {
    if (typeof tokens === "object") for (const token of tokens.values) this.#take(token);
    if (piece.endsWith("\n")) this.line += 1;
    if (this.depth === 0) return;
    this.#size += piece.length;
    if (this.#size > LARGEST_OBJECT) throw new Error(`an object has more than ${LARGEST_OBJECT >> 20} MiB`);
  }

  #take(token: Token): void {
    const { name } = token;
    const opens = name === "startObject" || name === "startArray";
    const closes = name === "endObject" || name === "endArray";
    if (opens) this.#open(name);
    if (closes) this.depth -= 1;
    if (this.depth === 1) this.#takeOfHolder(token);
    if (closes && this.depth < this.#listDepth) this.#listDepth = Number.POSITIVE_INFINITY;
    (this.#item ?? this.#holder).consume(token);
    if (closes || (!opens && name !== "keyValue")) this.#ended();
  }

  /** What stands in an object or list itself, not in what it holds. */
  #takeOfHolder(token: Token): void {
    if (token.name === "keyValue") this.#key = token.value;
    if (token.name !== "stringValue" || !OF_A_LIST.has(this.#key)) return;
    this.#list = { ...this.#list, [this.#key]: token.value };
  }

  #open(name: "startObject" | "startArray"): void {
    if (this.depth === 0) this.#begin();
    const isElement = this.depth === this.#listDepth;
    if (isElement) {
      this.#item = new Assembler();
      this.#startLine = this.line;
      this.#size = 0;
    }
    this.depth += 1;
    const isItems = this.depth === 2 && this.#key === "items" && !this.#isList;
    if (name === "startArray" && (this.depth === 1 || isItems)) {
      this.#isList = true;
      this.#listDepth = this.depth;
    }
  }

  #begin(): void {
    this.#holder = new Assembler();
    this.#isList = false;
    this.#list = {};
    this.#key = "";
    this.#startLine = this.line;
    this.#size = 0;
  }

  #ended(): void {
    if (this.#item && this.depth === this.#listDepth) {
      this.#taken.push({ json: this.#item.current, line: this.#startLine, list: this.#list });
      this.#item = undefined;
      this.#size = 0;
    } else if (this.depth === 0 && !this.#isList) {
      this.#taken.push({ json: this.#holder.current, line: this.#startLine });
    }
  }
}
