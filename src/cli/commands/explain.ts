import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { oneLine } from "../../base/index.ts";
import { type KindPage, renderKindPage, stuckKinds } from "../../jobs/index.ts";
import { ruleGroups, runbookUrl } from "../../mixin/index.ts";
import type { Action, Context } from "../command.ts";
import { EXIT, UsageError } from "../failure.ts";
import { didYouMean } from "../nearest.ts";
import { print, withOutput } from "../print.ts";

const EXAMPLES = `
Examples:
  stalewatch explain S13
  stalewatch explain StalewatchJobStuck
  stalewatch explain S13 -o json`;

/** A link of a runbook to another document beside it. */
const RELATIVE_LINK = /\]\((?!https?:)([^)\s]+)\)/g;

const rules = ruleGroups.flatMap((group) => group.rules);
const alerts: readonly string[] = [...new Set(rules.map(({ name }) => name))];

interface Explained {
  readonly value: object;
  readonly text: string;
}

export function configure(command: Command, { terminal }: Context): Action {
  command.argument("[S13|ALERT]", "id or name of a stuck kind, or name of an alert; all of them are listed without");
  withOutput(command).addHelpText("after", EXAMPLES);
  return async ({ output }, [name]) => {
    const { value, text } = name === undefined ? listOfAll() : await explained(name);
    await print(terminal, output, value, () => text);
    return EXIT.fine;
  };
}

function listOfAll(): Explained {
  const kinds = stuckKinds.map(({ id, name }) => ({ id, name })).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const lines = kinds.map(({ id, name }) => `${id.padEnd(4)} ${name}\n`);
  return { value: { kinds, alerts }, text: [...lines, "\n", ...alerts.map((name) => `${name}\n`)].join("") };
}

async function explained(given: string): Promise<Explained> {
  const isGiven = (name: string): boolean => name.toLowerCase() === given.toLowerCase();
  const kind = stuckKinds.find(({ id, name }) => isGiven(id) || isGiven(name));
  if (kind) return { value: kindView(kind), text: renderKindPage(kind) };
  const alert = alerts.find(isGiven);
  if (alert !== undefined) return explainedAlert(alert);
  const names = [...stuckKinds.flatMap(({ id, name }) => [id, name]), ...alerts];
  const remedy = didYouMean(given, names, "stalewatch explain lists all of them");
  throw new UsageError(`${oneLine(given)} is neither a stuck kind nor an alert`, remedy);
}

/** The page as data; an age that never comes is null. */
function kindView({ id, name, means, sees, lookAlike, reasons, limits, remedy, source }: KindPage): object {
  const { infoMs, warningMs, criticalMs } = limits;
  const ages = { info: secondsOf(infoMs), warning: secondsOf(warningMs), critical: secondsOf(criticalMs) };
  return { id, name, means, sees, lookAlike, reasons, ageSeconds: ages, remedy, source };
}

function secondsOf(ms: number = Number.POSITIVE_INFINITY): number | null {
  return Number.isFinite(ms) ? ms / 1_000 : null;
}

async function explainedAlert(alert: string): Promise<Explained> {
  const runbook = await readFile(new URL(`../../../docs/runbooks/${alert}.md`, import.meta.url), "utf8");
  const url = runbookUrl(alert);
  // A terminal is no place from which a relative link leads anywhere.
  const text = runbook.replace(RELATIVE_LINK, (_, path: string) => `](${new URL(path, url).href})`);
  return { value: { alert, rules: rules.filter(({ name }) => name === alert), runbook: text }, text };
}
