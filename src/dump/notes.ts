import { defined } from "../base/index.ts";

/** Something that a reader of files wants to be known: an object that did not read, a time without a zone. */
export interface Note {
  readonly file: string;
  /** The first such line, from 1; absent where it is about a file as a whole. */
  readonly line?: number;
  /** The first object that it is about, `Job shop/export-1`; absent where the message names it or it is about none. */
  readonly object?: string;
  readonly message: string;
  /** How often it was met in this file. */
  readonly times: number;
}

/** A file may have something wrong in each of its objects. */
const MOST = 100;

/** Notes that say the same of the same file are one, whatever the object: a file that is there twice is told in one line. */
export class Notes {
  readonly #notes: Map<string, { readonly note: Omit<Note, "times">; times: number }> = new Map();
  #leftOut = 0;

  add(file: string, line: number | undefined, message: string, object?: string): void {
    const key = `${file}\n${message}`;
    const known = this.#notes.get(key);
    if (known) known.times += 1;
    else if (this.#notes.size >= MOST) this.#leftOut += 1;
    else this.#notes.set(key, { note: { file, message, ...defined({ line, object }) }, times: 1 });
  }

  list(): readonly Note[] {
    const notes = [...this.#notes.values()].map(({ note, times }) => ({ ...note, times }));
    const [first] = notes;
    if (!first || this.#leftOut === 0) return notes;
    return [...notes, { file: first.file, message: "and more like these, which are not told", times: this.#leftOut }];
  }
}
