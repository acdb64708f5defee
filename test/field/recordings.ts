import type { ExpectedVerdict, FieldCase } from "./field-case.ts";
import { fieldCases } from "./field-cases.ts";
import { linesOf } from "./outcome.ts";
import { textOf } from "./tape.ts";
import { iso } from "./time.ts";

const FOLDER = "test/field/recordings";

/** The recordings of all cases and of their look-alikes, as whole files by their path. Their first line says what they tell. */
export function recordingFiles(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    fieldCases.flatMap((told) => [
      [`${FOLDER}/${told.id}.ndjson`, textOf(linesOf(told, false), { case: headerOf(told) })],
      [`${FOLDER}/${told.id}.healthy.ndjson`, textOf(linesOf(told, true), { case: healthyHeaderOf(told) })],
    ]),
  );
}

function headerOf(told: FieldCase): object {
  const { id, url, symptom, retold, verdicts } = told;
  return { id, url, symptom, retold, ...rulesIn(told), verdicts: verdicts.map(verdictText) };
}

function healthyHeaderOf(told: FieldCase): object {
  const { id, url, twin } = told;
  return { id, url, symptom: `Healthy: ${twin}`, ...rulesIn(told), verdicts: [] };
}

/** As the files of --parents and --limits have them. */
function rulesIn({ parents, limits }: FieldCase): object {
  return {
    parents: parents?.map(({ resource, ...rules }) => ({ ...rules, ...resource })),
    limits: limits?.map(({ kind, ages: { warningMs = 0 } }) => ({ kind, warning: `${warningMs / 1_000}s` })),
  };
}

function verdictText({ at, findings }: ExpectedVerdict): object {
  return { at: iso(at), findings: findings.map((finding) => ({ ...finding, since: iso(finding.since) })) };
}
