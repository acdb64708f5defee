import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kindsInFiles, replayRecording, type ReplayAnswer } from "../../src/dump/index.ts";
import type { Finding } from "../../src/jobs/index.ts";
import type { ExpectedFinding, FieldCase } from "./field-case.ts";
import { from, Tape, type TapeLine, textOf } from "./tape.ts";
import { msAt } from "./time.ts";

/** What came of a case. Each line says in a few words what was wrong. */
export interface Outcome {
  /** The recording, judged at the times of the case. */
  readonly wrong: readonly string[];
  /** The same by somebody who began to watch in the middle. */
  readonly wrongAfterRestart: readonly string[];
  /** Findings of severity warning or above about the healthy look-alike. */
  readonly falseAlarms: readonly string[];
}

/** A finding's time may be this far from the API's. */
const TOLERANCE_MS = 1_000;

export function linesOf(told: FieldCase, healthy: boolean): readonly TapeLine[] {
  const tape = new Tape();
  told.tell(tape, healthy);
  return tape.lines(endOf(told, healthy));
}

function endOf({ end, twinEnd = end }: FieldCase, healthy: boolean): number {
  return healthy ? twinEnd : end;
}

/** Replays the recording and its look-alike, each as it is and from the middle on. */
export async function outcomeOf(told: FieldCase): Promise<Outcome> {
  const lines = linesOf(told, false);
  const twin = linesOf(told, true);
  const middle = told.verdicts.filter(({ at }) => at > told.restartAt);
  return {
    wrong: await wrongIn(told, lines, told.verdicts),
    wrongAfterRestart: await wrongIn(
      told,
      from(lines, told.restartAt),
      middle.map((one) => seenFrom(told, one)),
    ),
    falseAlarms: [...(await alarmsIn(told, twin)), ...(await alarmsIn(told, from(twin, told.restartAt)))],
  };
}

/** What nobody has a time of counts from the restart. */
function seenFrom({ restartAt }: FieldCase, verdict: FieldCase["verdicts"][number]): FieldCase["verdicts"][number] {
  const findings = verdict.findings.map((finding) =>
    finding.observed ? { ...finding, since: Math.max(finding.since, restartAt) } : finding,
  );
  return { ...verdict, findings };
}

async function wrongIn(
  told: FieldCase,
  lines: readonly TapeLine[],
  verdicts: FieldCase["verdicts"],
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const { at, findings } of verdicts) {
    const { final } = await replay(told, lines, at);
    const missed = findings.filter((expected) => !final.some((found) => isAsExpected(found, expected)));
    const more = final.filter((found) => !findings.some((expected) => isAsExpected(found, expected)));
    wrong.push(
      ...missed.map((one) => `${at} s: not found: ${expectedLine(one)}`),
      ...more.map((one) => `${at} s: found: ${foundLine(one)}`),
    );
  }
  return wrong;
}

async function alarmsIn(told: FieldCase, lines: readonly TapeLine[]): Promise<readonly string[]> {
  const { transitions } = await replay(told, lines, endOf(told, true));
  return transitions
    .filter(({ change, finding }) => change !== "cleared" && finding.severity !== "info")
    .map(({ at, finding }) => `${at}: ${foundLine(finding)}`);
}

function isAsExpected(found: Finding, expected: ExpectedFinding): boolean {
  const { kind, object, owner = object, since, severity, observed = false, reason } = expected;
  return (
    found.kind === kind &&
    nameOf(found.object) === object &&
    nameOf(found.owner) === owner &&
    found.severity === severity &&
    found.state === "stuck" &&
    Math.abs(Date.parse(found.since) - msAt(since)) <= TOLERANCE_MS &&
    (found.sinceSource === "observed") === observed &&
    (reason === undefined || found.reason === reason)
  );
}

function nameOf({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${kind}/${name}`;
}

function expectedLine({ kind, object, owner = object, since, severity }: ExpectedFinding): string {
  return `${kind} ${severity} ${object} of ${owner} since ${since} s`;
}

function foundLine({ kind, reason, severity, object, owner, since, sinceSource }: Finding): string {
  const seconds = (Date.parse(since) - msAt(0)) / 1_000;
  return `${kind} ${severity} ${nameOf(object)} of ${nameOf(owner)} since ${seconds} s (${reason}, ${sinceSource})`;
}

/** Through the pipeline of `stalewatch replay`, up to a time. */
async function replay(told: FieldCase, lines: readonly TapeLine[], until: number): Promise<ReplayAnswer> {
  const folder = await mkdtemp(join(tmpdir(), "stalewatch-field-"));
  try {
    const path = join(folder, `${told.id}.ndjson`);
    await writeFile(path, textOf(lines));
    const { answer, failure } = await replayRecording(path, {
      kinds: kindsInFiles(told.parents ? { parents: told.parents } : {}),
      stepMs: 1_000,
      until: msAt(until),
      rules: told.limits ?? [],
    });
    if (failure) throw failure;
    return answer;
  } finally {
    await rm(folder, { recursive: true });
  }
}
