import type { CommandModule } from "./command.ts";

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  load(): Promise<CommandModule>;
}

/** Every command, in the order of the help. */
export const commands: readonly CommandEntry[] = [
  {
    name: "version",
    summary: "the version of stalewatch, of Node, and the commit it was built from",
    load: () => import("./commands/version.ts"),
  },
];
