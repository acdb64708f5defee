import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileProblem, oneLine, StalewatchError } from "../base/index.ts";

/** A file, or standard input, that objects are read from. */
export interface DumpFile {
  /** As the user would name it. */
  readonly name: string;
  /** Bytes; undefined where nobody knows before the end. */
  readonly size: number | undefined;
  open(): AsyncIterable<Uint8Array>;
}

/** What a folder (a must-gather, say) holds besides is logs and archives. */
const OF_A_FOLDER = /\.(?:ya?ml|json)(?:\.gz)?$/i;
/** As the examples of `stalewatch record` name them. */
const RECORDING = /\.ndjson(?:\.gz)?$/i;

/**
 * The files behind the paths of `-f`: a file whatever its name, each YAML and JSON file of a folder and of the folders in it, and
 * standard input for "-". Links inside a folder are not followed. `note` is told of folders without such files. Errors:
 * `FILE_UNREADABLE`.
 */
export async function dumpFiles(
  paths: readonly string[],
  stdin: AsyncIterable<Uint8Array>,
  note: (folder: string, message: string) => void,
): Promise<DumpFile[]> {
  const found = await Promise.all(
    paths.map(async (path) =>
      path === "-" ? [{ name: dumpName(path), size: undefined, open: () => stdin }] : filesOf(path, note),
    ),
  );
  return found.flat();
}

/** What a path of `-f` is called in messages. */
export function dumpName(path: string): string {
  return path === "-" ? "standard input" : oneLine(path);
}

async function filesOf(path: string, note: (folder: string, message: string) => void): Promise<readonly DumpFile[]> {
  try {
    const known = await stat(path);
    if (!known.isDirectory()) return [fileAt(path, known.size)];
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && OF_A_FOLDER.test(entry.name));
    if (files.length === 0) {
      const hasRecordings = entries.some(({ name }) => RECORDING.test(name));
      const hint = hasRecordings ? "; its recordings are for stalewatch replay" : "";
      note(oneLine(path), `holds no YAML and no JSON file${hint}`);
    }
    const names = files.map((entry) => join(entry.parentPath, entry.name)).toSorted();
    return await Promise.all(names.map(async (name) => fileAt(name, (await stat(name)).size)));
  } catch (thrown) {
    throw new StalewatchError("FILE_UNREADABLE", `${oneLine(path)} cannot be read: ${fileProblem(thrown)}`, "", {
      cause: thrown,
    });
  }
}

function fileAt(path: string, size: number): DumpFile {
  return { name: oneLine(path), size, open: () => createReadStream(path) };
}
