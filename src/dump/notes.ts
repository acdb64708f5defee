/** Something that a reader of files wants to be known: an object that did not read, a time without a zone. */
export interface Note {
  readonly file: string;
  /** The first such line, from 1; absent where it is about a file as a whole. */
  readonly line?: number;
  readonly message: string;
  /** How often it was met in this file. */
  readonly times: number;
}

/** A file may have something wrong in each of its objects. */
const MOST = 100;

/** Notes that say the same of the same file are one. */
export class Notes {
  readonly #notes: Map<string, { file: string; line?: number; message: string; times: number }> = new Map();
  #leftOut = 0;

  add(file: string, line: number | undefined, message: string): void {
    const key = `${file}\n${message}`;
    const known = this.#notes.get(key);
    if (known) known.times += 1;
    else if (this.#notes.size >= MOST) this.#leftOut += 1;
    else this.#notes.set(key, { file, ...(line === undefined ? {} : { line }), message, times: 1 });
  }

  list(): readonly Note[] {
    const notes = [...this.#notes.values()];
    const [first] = notes;
    if (!first || this.#leftOut === 0) return notes;
    return [...notes, { file: first.file, message: "and more like these, which are not told", times: this.#leftOut }];
  }
}
