import { readFile } from "node:fs/promises";
import { isSeq, LineCounter, parseDocument } from "yaml";
import { fileProblem, messageOf, oneLine } from "../../base/index.ts";
import { UsageError } from "../failure.ts";

/** An entry of a list, and where it stands: `limits.yaml line 3`. */
export interface Entry {
  readonly value: unknown;
  readonly where: string;
}

/** A file that a flag names, and what it is a list of. */
export interface ListFile {
  readonly path: string;
  readonly flag: string;
  /** `limits`. */
  readonly of: string;
  /** `- {kind: S13, warning: 5m}`. */
  readonly example: string;
}

/** The entries of a YAML file that is a list; none when it is empty. Errors: `USAGE`, naming the file and the line. */
export async function readYamlList({ path, flag, of, example }: ListFile): Promise<readonly Entry[]> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new UsageError(`${flag} ${oneLine(path)} cannot be read: ${fileProblem(error)}`);
  });
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number): string => `${oneLine(path)} line ${lines.linePos(offset).line}`;
  const [problem] = document.errors;
  if (problem) throw new UsageError(`${lineAt(problem.pos[0])} is not YAML: ${messageOf(problem)}`);
  if (document.contents === null) return [];
  if (!isSeq(document.contents)) {
    throw new UsageError(`${oneLine(path)} is not a list of ${of}`, `write entries such as "${example}"`);
  }
  const starts = document.contents.items.map((item) => (item as { range?: [number, number, number] }).range?.[0] ?? 0);
  return (document.toJS() as unknown[]).map((value, index) => ({ value, where: lineAt(starts[index] ?? 0) }));
}
