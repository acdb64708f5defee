import { readFile } from "node:fs/promises";
import { fileProblem, messageOf } from "../../base/index.ts";
import { UsageError } from "../failure.ts";
import { didYouMean } from "../nearest.ts";
import type { Flag, FlagTable } from "./flag.ts";

export interface ConfigFile {
  readonly path: string;
  /** Each key's texts, as they would stand behind the flag. */
  readonly texts: ReadonlyMap<string, readonly string[]>;
}

/** Reads the YAML of `--config`, whose keys are the flags of `table`. Errors: `USAGE`, naming the file and the line or key. */
export async function readConfigFile(path: string, table: FlagTable): Promise<ConfigFile> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new UsageError(`--config ${path} cannot be read: ${fileProblem(error)}`);
  });
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text, { prettyErrors: true });
  const [problem] = document.errors;
  if (problem) {
    const line = problem.linePos?.[0].line ?? 1;
    throw new UsageError(`${path} line ${line} is not YAML: ${messageOf(problem).split(" at line ")[0]}`);
  }
  const content: unknown = document.toJS() ?? {};
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw new UsageError(
      `${path} is not a map of settings`,
      'write a "flag: value" line for each, such as "sync-period: 10m"',
    );
  }
  const texts = Object.entries(content).map(([key, value]: [string, unknown]) => {
    const flag = table[key];
    if (!flag) {
      const otherwise = "see stalewatch run --help for the names";
      throw new UsageError(`${path}: there is no setting ${key}`, didYouMean(key, Object.keys(table), otherwise));
    }
    return [key, textsOf(path, key, value, flag)] as const;
  });
  return { path, texts: new Map(texts) };
}

function textsOf(path: string, key: string, value: unknown, flag: Flag<unknown>): readonly string[] {
  if (flag.fileOnly) return [value].flat().map((entry) => JSON.stringify(entry));
  if (isScalar(value)) return [String(value)];
  if (flag.repeatable && Array.isArray(value) && value.every(isScalar)) return value.map(String);
  if (flag.repeatable && typeof value === "object" && value !== null && Object.values(value).every(isScalar)) {
    return Object.entries(value).map(([name, of]) => `${name}=${String(of)}`);
  }
  throw new UsageError(`${path}: ${key} needs ${flag.repeatable ? "a value or a list of values" : "one value"}`);
}

function isScalar(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}
