import type { Command } from "commander";
import type { Terminal } from "./terminal.ts";

/** What a command works with. */
export interface Context {
  readonly terminal: Terminal;
  /** Stops a command that runs until it is told to; SIGINT and SIGTERM unless given. */
  readonly signal?: AbortSignal;
}

/** Does the command's work and answers its exit code. Throws what is to be told in one line. */
export type Action = (options: Readonly<Record<string, unknown>>, args: readonly string[]) => Promise<number>;

/** What a file of commands/ exports. Loaded only when its command is named, so that the others cost nothing. */
export interface CommandModule {
  /** Declares flags, help and an example on `command`, and says what it does. */
  configure(command: Command, context: Context): Action;
}
