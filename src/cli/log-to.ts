import { createLog } from "../exposition/index.ts";
import type { Log } from "../telemetry/index.ts";
import type { Values } from "./settings/flag.ts";
import type { outputFlags } from "./settings/run-flags.ts";
import type { Terminal } from "./terminal.ts";

/** The log of a command: on standard error, in the form that suits whoever reads it. */
export function logTo(terminal: Terminal, settings: Pick<Values<typeof outputFlags>, "log-level" | "log-format">): Log {
  return createLog({
    level: settings["log-level"],
    format: settings["log-format"] ?? (terminal.interactive ? "text" : "json"),
    colour: terminal.interactive && !terminal.env["NO_COLOR"],
    write: (line) => terminal.err(line),
  });
}
