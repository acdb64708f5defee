// cli/: the command line: one file a command, one table of flags, one-line errors.
// Promises: only the command that is named is loaded; main answers an exit code and never ends the process itself.
// Does not hold logic of its own: commands turn flags into options of the folders below.
// Start with main.ts, then commands.ts and settings/run-flags.ts.
export { main } from "./main.ts";
export { renderFlagsPage } from "./settings/flags-page.ts";
export type { Terminal } from "./terminal.ts";
