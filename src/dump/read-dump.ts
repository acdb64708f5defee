import { fileProblem } from "../base/index.ts";
import type { Resource } from "../resources/index.ts";
import { Dump } from "./dump.ts";
import { type DumpFile, dumpFiles } from "./dump-files.ts";
import { jsonObjects } from "./json-text.ts";
import { textPieces } from "./text-pieces.ts";
import { yamlObjects } from "./yaml-text.ts";

export interface DumpOptions {
  /** Files, folders, "-" for standard input. */
  readonly paths: readonly string[];
  readonly stdin: AsyncIterable<Uint8Array>;
  /** What to keep; anything else is passed over. */
  readonly kinds: readonly Resource[];
  /** Keep other kinds too, if they own Jobs. */
  readonly findParents?: boolean;
  /** Wall time in milliseconds. */
  readonly now: number;
  /** Called after each chunk. */
  readonly onProgress?: (progress: DumpProgress) => void;
  readonly signal?: AbortSignal;
}

export interface DumpProgress {
  readonly file: string;
  /** Bytes of this file. */
  readonly read: number;
  readonly size: number | undefined;
  /** Of all files so far. */
  readonly objects: number;
}

/**
 * The objects of files: Lists, several YAML documents, JSON one after the other, folders such as a must-gather. Memory is bounded by
 * what is kept, not by the files. Errors: `FILE_UNREADABLE` for a path that is not there; whatever is wrong inside of a file is a
 * note of the dump.
 */
export async function readDump(options: DumpOptions): Promise<Dump> {
  const dump = new Dump(options.kinds, options.now, options.findParents);
  const note = (folder: string, message: string): void => dump.note(folder, undefined, message);
  for (const file of await dumpFiles(options.paths, options.stdin, note)) {
    try {
      await readFile(file, dump, options);
    } catch (thrown) {
      if (options.signal?.aborted) throw thrown;
      dump.note(file.name, undefined, `cannot be read to its end: ${fileProblem(thrown)}`);
    }
    dump.endFile(file.name);
  }
  dump.end();
  return dump;
}

async function readFile(file: DumpFile, dump: Dump, { onProgress, signal }: DumpOptions): Promise<void> {
  const pieces = textPieces(counted(file, dump, onProgress, signal));
  const [start, all] = await begun(pieces);
  const objects = /^[[{]/.test(start) ? jsonObjects(all) : yamlObjects(all, dump.shapeOf);
  for await (const read of objects) dump.take(file.name, read);
}

async function* counted(
  file: DumpFile,
  dump: Dump,
  onProgress: DumpOptions["onProgress"],
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, void> {
  let read = 0;
  for await (const chunk of file.open()) {
    signal?.throwIfAborted();
    yield chunk;
    read += chunk.length;
    onProgress?.({ file: file.name, read, size: file.size, objects: dump.kept });
  }
}

type Batches = AsyncGenerator<readonly string[], void, void>;

/** The first text that is no space, and all the text, that included. */
async function begun(batches: Batches): Promise<[string, Batches]> {
  const held: (readonly string[])[] = [];
  let start = "";
  while (start === "") {
    const next = await batches.next();
    if (next.done) break;
    held.push(next.value);
    start = next.value.find((piece) => piece.trim() !== "")?.trimStart() ?? "";
  }
  return [start, resumed(held, batches)];
}

async function* resumed(held: readonly (readonly string[])[], rest: Batches): Batches {
  yield* held;
  yield* rest;
}
