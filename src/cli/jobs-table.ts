import { counted, formatDuration, oneLine } from "../base/index.ts";
import type { JobsAnswer } from "../http/index.ts";
import type { Finding, FindingGroup } from "../jobs/index.ts";
import { plainTable, type TableRow } from "./plain-table.ts";
import { type Style, styled, type Terminal } from "./terminal.ts";
import { wrap } from "./wrap.ts";

const HEAD: readonly string[] = ["NAMESPACE", "OBJECT", "OWNER", "STATE", "KIND", "REASON", "AGE"];
const STATE = 3;
/** How many columns, from the first, hold names. */
const NAMES = 3;
const MARGIN = 2;
const INDENT = "  ";
/** Of a group's members; the rest is in `-o json`. */
const MOST_NAMES = 5;

const COLOURS: Readonly<Record<string, Style>> = { critical: "red", warning: "yellow" };

/** A line of the table, and under it what it means and what to type next. */
interface Entry {
  readonly cells: readonly string[];
  readonly message: string;
  readonly next: string | undefined;
}

/**
 * What is stuck, as kubectl prints lists: a line an object, under it the reason in a sentence and the next command to type. Objects
 * that one cause holds up are one line. No line is longer than `terminal.columns`. `namespaces` are those that were asked about; empty
 * for all.
 */
export function jobsTable(
  answer: JobsAnswer,
  namespaces: readonly string[],
  terminal: Pick<Terminal, "columns" | "colour">,
): string {
  const summary = `${wrap(oneLine(summaryOf(answer, namespaces)), terminal.columns)}\n`;
  return answer.findings.length === 0 ? summary : `${findingsTable(answer, terminal)}\n\n${summary}`;
}

/** The table of `jobsTable` by itself. */
export function findingsTable(
  { findings, groups }: Pick<JobsAnswer, "findings" | "groups">,
  terminal: Pick<Terminal, "columns" | "colour">,
): string {
  const byCause = new Map(groups.map((group) => [group.cause, group]));
  const told = new Set<FindingGroup>();
  const entries: Entry[] = [];
  for (const finding of findings) {
    const group = isMember(finding) ? byCause.get(finding.cause ?? "") : undefined;
    if (!group) entries.push(single(finding));
    // The first is the worst of its members, and stands for all of them.
    else if (!told.has(group)) entries.push(grouped(group, finding));
    if (group) told.add(group);
  }
  return tableOf(entries, terminal);
}

function isMember({ state, silencedUntil }: Finding): boolean {
  return state !== "watching" && silencedUntil === undefined;
}

function single(finding: Finding): Entry {
  const { object, owner, reason, kind, message, next } = finding;
  const isOwn = owner.kind === object.kind && owner.name === object.name;
  const ownerCell = isOwn ? "<none>" : `${owner.kind}/${owner.name}`;
  const cells = [object.namespace || "<none>", `${object.kind}/${object.name}`, ownerCell];
  return { cells: [...cells, stateOf(finding), kind, reason, ageOf(finding)], message, next: next[0] };
}

function grouped({ cause, members, objects }: FindingGroup, first: Finding): Entry {
  const { object, reason, kind, message, next } = first;
  const more = members - Math.min(objects.length, MOST_NAMES);
  const names = `${objects.slice(0, MOST_NAMES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return {
    cells: ["", `${members} objects`, cause, stateOf(first), kind, reason, ageOf(first)],
    message: `${names}. ${object.kind} ${object.name}: ${message}`,
    next: next[0],
  };
}

function stateOf({ state, severity, silencedUntil }: Finding): string {
  if (silencedUntil !== undefined) return "silenced";
  return state === "stuck" ? severity : state;
}

function ageOf({ ageSeconds }: Finding): string {
  return formatDuration(ageSeconds * 1_000);
}

function tableOf(entries: readonly Entry[], { columns, colour }: Pick<Terminal, "columns" | "colour">): string {
  const rows = entries.flatMap(({ cells, message, next }): TableRow[] => [
    cells.map(oneLine),
    wrap(oneLine(message), columns - MARGIN, INDENT),
    // A command that is too long for a line can be pasted all the same.
    ...(next === undefined ? [] : [wrap(`$ ${oneLine(next)}`, columns - MARGIN, INDENT, " \\")]),
  ]);
  return plainTable(HEAD, rows, { columns, flexible: NAMES, paint: (cell, at) => painted(cell, at, colour) });
}

function painted(cell: string, at: number, colour: boolean): string {
  const style = at === STATE ? COLOURS[cell] : undefined;
  return style === undefined ? cell : styled({ colour }, style, cell);
}

function summaryOf({ findings, healthy, objects }: JobsAnswer, namespaces: readonly string[]): string {
  const { jobs = 0, pods = 0 } = objects;
  const isNothingThere = findings.length === 0 && jobs === 0 && pods === 0;
  if (isNothingThere && namespaces.length > 0) {
    // Nobody is to take a mistyped name for a healthy namespace.
    return `No Jobs and no pods in ${namespaces.length === 1 ? "namespace" : "namespaces"} ${namespaces.join(", ")}.`;
  }
  const looked = `${counted(jobs, "Job")} and ${counted(pods, "pod")} looked at, ${counted(healthy, "Job")} healthy`;
  return findings.length === 0 ? `Nothing is stuck: ${looked}.` : `${countsOf(findings)}; ${looked}.`;
}

/** `1 critical, 2 warning`: how many there are of each state; empty when there are none. */
export function countsOf(findings: readonly Finding[]): string {
  const counts = (["critical", "warning", "info", "queued", "watching", "silenced"] as const).flatMap((state) => {
    const count = findings.filter((finding) => stateOf(finding) === state).length;
    return count > 0 ? [`${count} ${state}`] : [];
  });
  return counts.join(", ");
}
