import { existsSync, readFileSync } from "node:fs";
import type { Command } from "commander";
import type { Action, Context } from "../command.ts";
import { EXIT } from "../failure.ts";
import { print, withOutput } from "../print.ts";
import { stalewatchVersion } from "../version.ts";

export function configure(command: Command, { terminal }: Context): Action {
  withOutput(command).addHelpText("after", "\nExample:\n  stalewatch version -o json");
  return async ({ output }) => {
    const facts = { version: stalewatchVersion(), node: process.version, commit: commit() };
    await print(terminal, output, facts, () => {
      return `stalewatch ${facts.version}, Node ${facts.node.slice(1)}, commit ${facts.commit}\n`;
    });
    return EXIT.fine;
  };
}

/** The build notes it in dist/commit; a checkout is asked itself. */
function commit(): string {
  return read("../../commit") || checkedOut() || "unknown";
}

function checkedOut(): string {
  const head = read("../../../.git/HEAD");
  if (!head.startsWith("ref: ")) return head;
  const ref = head.slice("ref: ".length);
  const packed = read("../../../.git/packed-refs").split("\n");
  return read(`../../../.git/${ref}`) || (packed.find((line) => line.endsWith(` ${ref}`))?.split(" ")[0] ?? "");
}

function read(path: string): string {
  const url = new URL(path, import.meta.url);
  return existsSync(url) ? readFileSync(url, "utf8").trim() : "";
}
