import { LineCounter, parseDocument } from "yaml";
import { messageOf } from "../base/index.ts";
import { type Flaw, LARGEST_OBJECT, type RawObject } from "./raw-object.ts";
import { type ShapeOf, withoutUnkept } from "./yaml-blocks.ts";

type Read = RawObject | Flaw;

/** `items:` of a List that goes on in block style, as kubectl writes it. */
const ITEMS = /^items:\s*(?:#.*)?\n?$/;
const ELEMENT = /^( *)-(?:\s|$)/;
const IGNORED = /^\s*(?:#.*)?\n?$/;

/**
 * The objects of YAML text: the documents, and the items of Lists one by one. A List of 250 MB is no text that a YAML parser can take
 * as a whole, and none reads one item by item; so Lists are split here, at the one level where that is safe: below a top-level
 * `items:` each line with the first dash's indentation and a dash begins an item, since YAML indents whatever is inside of one
 * further (https://yaml.org/spec/1.2.2/#821-block-sequences). Each item is then parsed as a document of its own, without what is not
 * kept of it. What does not read costs that item or document alone.
 */
export async function* yamlObjects(
  batches: AsyncIterable<readonly string[]>,
  shapeOf: ShapeOf,
): AsyncGenerator<Read, void, void> {
  const splitter = new Splitter(shapeOf);
  for await (const pieces of batches) {
    for (const piece of pieces) splitter.push(piece);
    yield* splitter.taken();
  }
  splitter.end();
  yield* splitter.taken();
}

/** Lines that will be parsed together. */
class Part {
  readonly line: number;
  readonly #shapeOf: ShapeOf;
  #lines: string[] = [];
  #size = 0;

  constructor(line: number, shapeOf: ShapeOf) {
    this.line = line;
    this.#shapeOf = shapeOf;
  }

  add(line: string): void {
    this.#size += line.length;
    if (this.#size <= LARGEST_OBJECT) this.#lines.push(line);
    else this.#lines = [];
  }

  /** Whether a line of it begins like this. */
  has(start: string): boolean {
    return this.#lines.some((line) => line.startsWith(start));
  }

  /** Undefined: nothing but comments. */
  parse(): Read | undefined {
    const { line } = this;
    if (this.#size > LARGEST_OBJECT) return { line, flaw: `an object has more than ${LARGEST_OBJECT >> 20} MiB` };
    if (this.#lines.every((text) => IGNORED.test(text))) return undefined;
    const kept = this.#read(withoutUnkept(this.#lines, this.#shapeOf));
    // Whatever is wrong is told of the whole.
    return "json" in kept ? kept : this.#read(this.#lines);
  }

  #read(lines: readonly string[]): Read {
    const { line } = this;
    const lineCounter = new LineCounter();
    try {
      const options = { uniqueKeys: false, prettyErrors: false, logLevel: "silent", lineCounter } as const;
      const document = parseDocument(lines.join(""), options);
      const [error] = document.errors;
      if (!error) return { line, json: document.toJS() as unknown };
      return { line: line + lineCounter.linePos(error.pos[0]).line - 1, flaw: `is no YAML: ${messageOf(error)}` };
    } catch (thrown) {
      // Aliases without end, or nesting that no object has.
      return { line, flaw: `is no YAML that can be read: ${messageOf(thrown)}` };
    }
  }
}

class Splitter {
  readonly #shapeOf: ShapeOf;
  #line = 0;
  #unfinished = "";
  /** The document without its items. */
  #document: Part;
  #item: Part | undefined;
  /** Of the dashes; none: not below `items:`. */
  #dashesAt: number | "first" | undefined;
  #isList = false;
  /** What stood before its items. */
  #list: unknown;
  #taken: Read[] = [];

  constructor(shapeOf: ShapeOf) {
    this.#shapeOf = shapeOf;
    this.#document = new Part(1, shapeOf);
  }

  taken(): readonly Read[] {
    const taken = this.#taken;
    this.#taken = [];
    return taken;
  }

  /** A line with its end, or a part of one. */
  push(piece: string): void {
    if (!piece.endsWith("\n")) {
      // What is cut off here is too large for an object in any case.
      if (this.#unfinished.length <= LARGEST_OBJECT) this.#unfinished += piece;
      return;
    }
    const text = this.#unfinished + piece;
    this.#unfinished = "";
    this.#line += 1;
    this.#take(text.endsWith("\r\n") ? `${text.slice(0, -2)}\n` : text);
  }

  end(): void {
    if (this.#unfinished !== "") this.push("\n");
    this.#dropCutItem();
    this.#endDocument();
  }

  /**
   * kubectl writes `kind: List` after the items. Without it the text breaks off in the last item, which may read well and yet be half
   * an object: a Job without its status would look stuck.
   */
  #dropCutItem(): void {
    if (!this.#item || this.#document.has("kind:")) return;
    this.#item = undefined;
    this.#taken.push({ line: this.#line, flaw: "ends in the middle of a List; its last object is left out" });
  }

  #take(text: string): void {
    if (text.startsWith("---") && IGNORED.test(text.slice(3))) return this.#endDocument();
    if (text.startsWith("...") && IGNORED.test(text.slice(3))) return this.#endDocument();
    if (this.#dashesAt !== undefined && this.#takeItemLine(text)) return;
    if (ITEMS.test(text)) {
      const before = this.#document.parse();
      this.#list = before && "json" in before ? before.json : undefined;
      this.#isList = true;
      this.#dashesAt = "first";
      return;
    }
    this.#document.add(text);
  }

  /** False: the items have ended before this line. */
  #takeItemLine(text: string): boolean {
    if (IGNORED.test(text)) {
      this.#item?.add(text);
      return true;
    }
    const dashAt = ELEMENT.exec(text)?.[1]?.length;
    if (this.#dashesAt === "first") this.#dashesAt = dashAt;
    if (this.#dashesAt === undefined) return false;
    if (dashAt === this.#dashesAt) {
      this.#endItem();
      this.#item = new Part(this.#line, this.#shapeOf);
      this.#item.add(`${text.slice(0, dashAt)} ${text.slice(dashAt + 1)}`);
      return true;
    }
    if (text.search(/\S/) > this.#dashesAt) {
      this.#item?.add(text);
      return true;
    }
    this.#endItem();
    this.#dashesAt = undefined;
    return false;
  }

  #endItem(): void {
    const read = this.#item?.parse();
    this.#keep(read && "json" in read ? { ...read, list: this.#list } : read);
    this.#item = undefined;
  }

  #endDocument(): void {
    this.#endItem();
    const read = this.#document.parse();
    // What is left of a List beside its items says nothing of an object.
    if (!this.#isList || (read && "flaw" in read)) this.#keep(read);
    this.#document = new Part(this.#line + 1, this.#shapeOf);
    this.#dashesAt = undefined;
    this.#isList = false;
  }

  #keep(read: Read | undefined): void {
    if (read) this.#taken.push(read);
  }
}
