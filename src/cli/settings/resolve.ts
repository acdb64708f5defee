import { oneLine } from "../../base/index.ts";
import { UsageError } from "../failure.ts";
import { type ConfigFile, readConfigFile } from "./config-file.ts";
import type { Flag, FlagTable, Values } from "./flag.ts";

export interface Sources {
  /** What commander read: one text or several a flag, true for a switch, by the flag's name in camel case. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the file of `--config` may hold, where that is more than the table: commands share the file of `run`. */
  readonly fileTable?: FlagTable;
}

interface Given {
  readonly texts: readonly string[];
  /** How the user wrote it, for errors: `--sync-period`, `STALEWATCH_SYNC_PERIOD`, `config.yaml: sync-period`. */
  readonly where: string;
}

/**
 * Each setting from its flag, else its variable, else (for a table with `config`) the file of `--config`, else its default.
 * Errors: `USAGE`, naming one setting.
 */
export async function resolveSettings<F extends FlagTable>(table: F, sources: Sources): Promise<Values<F>> {
  const config = fromLine("config", sources);
  const path = "config" in table ? config?.texts.at(-1) : undefined;
  const file = path === undefined ? undefined : await readConfigFile(path, sources.fileTable ?? table);
  const values = Object.entries(table).map(([name, flag]) => {
    const given = (flag.fileOnly ? undefined : fromLine(name, sources)) ?? fromFile(name, file);
    return [name, valueOf(name, flag, given)];
  });
  return Object.fromEntries(values) as Values<F>;
}

/** `sync-period` is STALEWATCH_SYNC_PERIOD. */
export function variableOf(name: string): string {
  return `STALEWATCH_${name.toUpperCase().replaceAll("-", "_")}`;
}

/** Whether it stands on the command line, whatever a variable says. */
export function isGiven(name: string, options: Sources["options"]): boolean {
  return optionOf(name, options) !== undefined;
}

function fromLine(name: string, sources: Sources): Given | undefined {
  return fromFlag(name, sources) ?? fromVariable(name, sources);
}

function fromFlag(name: string, { options }: Sources): Given | undefined {
  const value = optionOf(name, options);
  if (value === undefined) return undefined;
  return { texts: [value].flat().map(String), where: `--${name}` };
}

function optionOf(name: string, options: Sources["options"]): unknown {
  return options[name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())];
}

function fromVariable(name: string, { env }: Sources): Given | undefined {
  const value = env[variableOf(name)];
  return value === undefined || value === "" ? undefined : { texts: [value], where: variableOf(name) };
}

function fromFile(name: string, file: ConfigFile | undefined): Given | undefined {
  const texts = file?.texts.get(name);
  return texts && { texts, where: `${file?.path}: ${name}` };
}

function valueOf(name: string, flag: Flag<unknown>, given: Given | undefined): unknown {
  const { standard } = flag.about;
  const { texts, where } = given ?? { texts: standard === undefined ? [] : [standard], where: `--${name}` };
  const read = flag.read(
    flag.repeatable && !flag.fileOnly ? texts.flatMap((text) => text.split(",")).filter(Boolean) : texts,
  );
  if ("value" in read) return read.value;
  // A parser's own message quotes the value.
  const { problem } = read;
  if (problem.startsWith('"')) throw new UsageError(`${where}: ${problem}`);
  throw new UsageError(`${where} ${problem}, not "${oneLine(texts.join(","))}"`);
}
