import { type Outcome, outcomeOf } from "../../test/field/outcome.ts";
import type { FieldCase } from "../../test/field/field-case.ts";
import { fieldCases } from "../../test/field/field-cases.ts";
import { type UntoldCase, untoldCases } from "../../test/field/untold-cases.ts";

/** What came of all cases. */
export interface FieldCaseTable {
  /** As Markdown. */
  readonly text: string;
  /** Share of the recordings whose every verdict is right, also after a restart; 0 to 1. */
  readonly right: number;
  readonly falseAlarms: number;
}

interface Judged {
  readonly told: FieldCase;
  readonly outcome: Outcome;
}

/** Replays every case. */
export async function fieldCaseTable(): Promise<FieldCaseTable> {
  const judged: Judged[] = [];
  for (const told of fieldCases) judged.push({ told, outcome: await outcomeOf(told) });
  const right = judged.filter(({ outcome }) => isRight(outcome)).length;
  const falseAlarms = judged.reduce((sum, { outcome }) => sum + outcome.falseAlarms.length, 0);
  const rows = [...judged.map(toldRow), ...untoldCases.map(untoldRow)].sort();
  const shown = untoldCases.filter(({ shownBy }) => shownBy !== undefined).length;
  const text = [
    `${fieldCases.length} of ${rows.length} reports are recordings; ${right} of them are judged rightly, and there are ${falseAlarms} false alarms on their`,
    `healthy look-alikes. ${shown} others are shown by other tests, ${untoldCases.length - shown} by none.`,
    "",
    "| case | what the report tells | outcome |",
    "|---|---|---|",
    ...rows,
  ];
  return { text: `${text.join("\n")}\n`, right: right / fieldCases.length, falseAlarms };
}

export async function fieldCasesDoc(): Promise<string> {
  const { text } = await fieldCaseTable();
  return `${INTRODUCTION}\n${text}`;
}

const INTRODUCTION = `# Field cases

Generated from the cases in \`test/field\`: \`npm run generate\`. \`npm run field-cases\` replays them and prints the table.

Public reports of stuck Jobs, stale caches, storms of resyncs, lost leaders and alerts that lied. Each that a verdict can show is retold, with
made-up names, as a recording in \`test/field/recordings\` and beside it as its healthy look-alike, which differs in one thing. The first
line of a recording has the report's address and what must be found at which times, worked out from the report:

\`\`\`
stalewatch replay test/field/recordings/A08.ndjson
\`\`\`

A case is right when at each of its times exactly the findings that it names are there: kind, object, owner, severity, and since when,
within a second of the time in the API (or of the first sight where the API has none: *observed*). The same must hold for somebody who
begins to watch in the middle. No finding of the look-alike may be a warning or worse at any time. Where a case needs \`--parents\` or
\`--limits\`, the first line has what those files hold:

\`\`\`
head -n 1 test/field/recordings/A38.ndjson | jq .case.parents > parents.yaml
stalewatch replay test/field/recordings/A38.ndjson --parents parents.yaml
\`\`\`
`;

function isRight({ wrong, wrongAfterRestart }: Outcome): boolean {
  return wrong.length === 0 && wrongAfterRestart.length === 0;
}

function toldRow({ told, outcome }: Judged): string {
  const findings = told.verdicts.flatMap((verdict) => verdict.findings);
  const kinds = [...new Set(findings.map(({ kind }) => kind))].join(", ") || "no finding";
  const observed = findings.some((finding) => finding.observed) ? ", observed" : "";
  const wrong = isRight(outcome) ? "right" : `**wrong**: ${[...outcome.wrong, ...outcome.wrongAfterRestart][0]}`;
  const alarms = outcome.falseAlarms.length === 0 ? "" : `; **false alarm** ${outcome.falseAlarms[0]}`;
  const retold = told.retold === undefined ? "" : ` *Retold:* ${told.retold}`;
  return row(told, `${told.symptom}${retold}`, `${wrong}: ${kinds}${observed}${alarms}`);
}

function untoldRow(untold: UntoldCase): string {
  const { shownBy, why } = untold;
  return row(untold, untold.symptom, shownBy ? `shown by \`${shownBy[0]}\`: ${shownBy[1]}` : `not shown: ${why}`);
}

function row({ id, url }: { readonly id: string; readonly url: string }, told: string, outcome: string): string {
  return `| [${id}](${url}) | ${told} | ${outcome.replaceAll("|", "\\|")} |`;
}
