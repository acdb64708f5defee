import type { Shape } from "../resources/index.ts";

/** What is kept of objects of a kind; undefined: all of it, or nobody knows. */
export type ShapeOf = (apiVersion: string, kind: string) => Shape<unknown> | undefined;

/** A key with nothing behind it: what follows is indented further, or is a list whose dashes stand below the key. */
const BLOCK = /^( *)([A-Za-z][\w.-]*):\s*$/;
const TYPE = /^( *)(apiVersion|kind): *["']?([\w./-]+)["']?\s*$/;
const INDENTATION = /^( *)[^\s#]/;

/**
 * The lines of an object without blocks that are not kept of its kind: the pod template, managedFields. They are most of what a Job
 * is, and reading YAML takes longer than all else together. Only block keys of the object and one level below are looked at, and only
 * at the very column where the keys of their mapping stand, where no line of a longer text can begin; so what is left reads as it would
 * have, but for names that are given to a part that is left out (`&name`), which then do not read.
 */
export function withoutUnkept(lines: readonly string[], shapeOf: ShapeOf): readonly string[] {
  const reader = new BlockReader(shapeOf);
  return lines.filter((line) => reader.keeps(line));
}

class BlockReader {
  readonly #shapeOf: ShapeOf;
  /** Where the object's own keys stand. */
  #column: number | undefined;
  #apiVersion: string | undefined;
  #kind: string | undefined;
  /** What is kept of the block that the lines are in, and where its keys stand. */
  #inner: Shape<unknown> | undefined;
  #innerColumn: number | undefined;
  /** The column of the key whose block is left out. */
  #leftOutFrom: number | undefined;

  constructor(shapeOf: ShapeOf) {
    this.#shapeOf = shapeOf;
  }

  keeps(line: string): boolean {
    const indentation = INDENTATION.exec(line)?.[1]?.length;
    if (indentation === undefined) return this.#leftOutFrom === undefined;
    if (this.#leftOutFrom !== undefined) {
      const isListItem = indentation === this.#leftOutFrom && line[indentation] === "-";
      if (indentation > this.#leftOutFrom || isListItem) return false;
      this.#leftOutFrom = undefined;
    }
    this.#column ??= indentation;
    if (indentation === this.#column) return this.#keepsOuter(line, indentation);
    this.#innerColumn ??= indentation;
    return !this.#inner || indentation !== this.#innerColumn || this.#keepsBlock(line, indentation, this.#inner);
  }

  #keepsOuter(line: string, column: number): boolean {
    this.#inner = undefined;
    this.#innerColumn = undefined;
    const [, , field, value] = TYPE.exec(line) ?? [];
    if (field === "apiVersion") this.#apiVersion = value;
    if (field === "kind") this.#kind = value;
    if (this.#apiVersion === undefined || this.#kind === undefined) return true;
    const shape = this.#shapeOf(this.#apiVersion, this.#kind);
    if (!shape || !this.#keepsBlock(line, column, shape)) return !shape;
    const key = BLOCK.exec(line)?.[2];
    this.#inner = shape.fields.find(({ name, repeated }) => name === key && !repeated)?.shape;
    return true;
  }

  #keepsBlock(line: string, column: number, { fields }: Shape<unknown>): boolean {
    const key = BLOCK.exec(line)?.[2];
    if (key === undefined || fields.some(({ name }) => name === key)) return true;
    this.#leftOutFrom = column;
    return false;
  }
}
