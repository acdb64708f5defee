import { once } from "node:events";
import { open } from "node:fs/promises";
import type { Writable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { type Clock, fileProblem, oneLine, StalewatchError } from "../base/index.ts";
import type { LineType } from "./recording.ts";

/** Writes the lines of a recording, in the order of the calls, each with its time; compressed when its name ends in .gz. */
export class RecordingFile {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #out: Writable;
  readonly #closed: Promise<void>;
  #lastAt = 0;
  #drained: Promise<void> | undefined;

  private constructor(path: string, clock: Clock, file: Writable) {
    this.#path = path;
    this.#clock = clock;
    const gzip = path.endsWith(".gz") ? createGzip() : undefined;
    this.#out = gzip ?? file;
    this.#closed = gzip ? pipeline(gzip, file) : finished(file);
    this.#closed.catch(() => {}); // told by the next call
  }

  /** A new file. Errors, also of the other calls: `FILE_UNWRITABLE`, also where there is one: somebody may still want it. */
  static async create(path: string, clock: Clock): Promise<RecordingFile> {
    const file = await open(path, "wx").catch((thrown: unknown) => {
      throw unwritable(path, thrown);
    });
    return new RecordingFile(path, clock, file.createWriteStream());
  }

  /** Resolves when there is room for more. A clock that is set back does not take lines out of order. */
  async write(type: LineType, fields: object = {}): Promise<void> {
    await this.#write([this.#line(type, fields), "\n"]);
  }

  /** One line, whose object has its items from `pages`: each the JSON of a list that is not empty. */
  async writeList(fields: { readonly object: object }, pages: readonly string[]): Promise<void> {
    const { object, ...rest } = fields;
    const line = this.#line("LISTED", { ...rest, object: { ...object, items: [] } });
    const items = pages.flatMap((page, index) => [index === 0 ? "" : ",", page.slice(1, -1)]);
    const tail = "]}}";
    await this.#write([line.slice(0, -tail.length), ...items, tail, "\n"]);
  }

  /** Resolves when everything is in the file. */
  async close(): Promise<void> {
    await this.write("END");
    this.#out.end();
    await this.#told(this.#closed);
  }

  #line(type: LineType, fields: object): string {
    this.#lastAt = Math.max(this.#lastAt, this.#clock.now());
    return JSON.stringify({ at: new Date(this.#lastAt).toISOString(), type, ...fields });
  }

  /** All of them at once, so that no other line comes between; every caller waits for the same drain. */
  async #write(texts: readonly string[]): Promise<void> {
    let hasRoom = true;
    for (const text of texts) hasRoom = this.#out.write(text) && hasRoom;
    if (hasRoom) return;
    this.#drained ??= this.#told(Promise.race([once(this.#out, "drain"), this.#closed])).finally(() => {
      this.#drained = undefined;
    });
    await this.#drained;
  }

  async #told(done: Promise<unknown>): Promise<void> {
    await done.catch((thrown: unknown) => {
      throw unwritable(this.#path, thrown);
    });
  }
}

function unwritable(path: string, thrown: unknown): StalewatchError {
  const exists = (thrown as NodeJS.ErrnoException).code === "EEXIST";
  const why = exists ? "is there already" : `cannot be written: ${fileProblem(thrown)}`;
  const remedy = exists ? "name another file" : "check the path, its permissions and the space left";
  return new StalewatchError("FILE_UNWRITABLE", `${oneLine(path)} ${why}`, remedy, { cause: thrown });
}
