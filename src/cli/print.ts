import type { Command } from "commander";
import type { Terminal } from "./terminal.ts";

type OutputFormat = "table" | "json" | "yaml";

const FORMATS: readonly OutputFormat[] = ["table", "json", "yaml"];

/** Adds `-o`. */
export function withOutput(command: Command): Command {
  return command.addOption(
    command.createOption("-o, --output <FORMAT>", "how to print the answer").choices(FORMATS).default("table"),
  );
}

/** Prints `value` as JSON or YAML, or what `table` makes of it. */
export async function print(
  terminal: Terminal,
  format: unknown,
  value: unknown,
  table: () => string | Promise<string>,
): Promise<void> {
  if (format === "json") return terminal.out(`${JSON.stringify(value, null, 2)}\n`);
  if (format === "yaml") return terminal.out((await import("yaml")).stringify(value));
  terminal.out(await table());
}
