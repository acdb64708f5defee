import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, oneLine, StalewatchError } from "../base/index.ts";

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

/**
 * The files behind the paths of `-f`: a file whatever its name, each YAML and JSON file of a folder and of the folders in it, and
 * standard input for "-". Links inside a folder are not followed. Errors: `FILE_UNREADABLE`.
 */
export async function dumpFiles(paths: readonly string[], stdin: AsyncIterable<Uint8Array>): Promise<DumpFile[]> {
  const found = await Promise.all(paths.map(async (path) => filesOf(path, stdin)));
  return found.flat();
}

async function filesOf(path: string, stdin: AsyncIterable<Uint8Array>): Promise<readonly DumpFile[]> {
  if (path === "-") return [{ name: "standard input", size: undefined, open: () => stdin }];
  try {
    const known = await stat(path);
    if (!known.isDirectory()) return [fileAt(path, known.size)];
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && OF_A_FOLDER.test(entry.name));
    const names = files.map((entry) => join(entry.parentPath, entry.name)).toSorted();
    return await Promise.all(names.map(async (name) => fileAt(name, (await stat(name)).size)));
  } catch (thrown) {
    throw new StalewatchError("FILE_UNREADABLE", `${oneLine(path)} cannot be read: ${messageOf(thrown)}`, "", {
      cause: thrown,
    });
  }
}

function fileAt(path: string, size: number): DumpFile {
  return { name: oneLine(path), size, open: () => createReadStream(path) };
}
