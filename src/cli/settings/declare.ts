import type { Command } from "commander";
import type { Flag, FlagTable } from "./flag.ts";

/** Adds each flag of the table to the command's help and parsing. Values are read later, by `resolveSettings`. */
export function declareFlags(command: Command, table: FlagTable): void {
  for (const [name, flag] of Object.entries(table)) {
    if (flag.fileOnly) continue;
    const value = flag.about.value === undefined ? "[true|false]" : `<${flag.about.value}>`;
    const short = flag.about.short === undefined ? "" : `-${flag.about.short}, `;
    const option = command.createOption(`${short}--${name} ${value}`, helpOf(flag));
    if (flag.repeatable) option.argParser((text: string, before: string[] | undefined) => [...(before ?? []), text]);
    command.addOption(option);
  }
}

/** The help line with what holds when the flag is not given. */
function helpOf({ about, repeatable }: Flag<unknown>): string {
  const standard = about.standard ?? about.otherwise;
  const notes = [repeatable ? "repeatable" : "", standard === undefined ? "" : `default ${standard}`].filter(Boolean);
  return notes.length > 0 ? `${about.help} (${notes.join(", ")})` : about.help;
}
