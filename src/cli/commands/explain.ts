import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { oneLine } from "../../base/index.ts";
import { renderKindPage, stuckKinds } from "../../jobs/index.ts";
import { ruleGroups } from "../../mixin/index.ts";
import type { Action, Context } from "../command.ts";
import { EXIT, UsageError } from "../failure.ts";
import { didYouMean } from "../nearest.ts";

const EXAMPLES = `
Examples:
  stalewatch explain S13
  stalewatch explain StalewatchJobStuck`;

const alerts: readonly string[] = [...new Set(ruleGroups.flatMap(({ rules }) => rules.map(({ name }) => name)))];

export function configure(command: Command, { terminal }: Context): Action {
  command.argument("[S13|ALERT]", "id or name of a stuck kind, or name of an alert; all of them are listed without");
  command.addHelpText("after", EXAMPLES);
  return async (_options, [name]) => {
    terminal.out(name === undefined ? listOfAll() : await pageOf(name));
    return EXIT.fine;
  };
}

function listOfAll(): string {
  const byId = stuckKinds.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const kinds = byId.map(({ id, name }) => `${id.padEnd(4)} ${name}\n`);
  return [...kinds, "\n", ...alerts.map((name) => `${name}\n`)].join("");
}

async function pageOf(given: string): Promise<string> {
  const isGiven = (name: string): boolean => name.toLowerCase() === given.toLowerCase();
  const kind = stuckKinds.find(({ id, name }) => isGiven(id) || isGiven(name));
  if (kind) return renderKindPage(kind);
  const alert = alerts.find(isGiven);
  if (alert !== undefined) return readFile(new URL(`../../../docs/runbooks/${alert}.md`, import.meta.url), "utf8");
  const names = [...stuckKinds.flatMap(({ id, name }) => [id, name]), ...alerts];
  const remedy = didYouMean(given, names, "stalewatch explain lists all of them");
  throw new UsageError(`${oneLine(given)} is neither a stuck kind nor an alert`, remedy);
}
