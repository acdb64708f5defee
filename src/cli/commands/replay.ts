import type { Command } from "commander";
import { counted, oneLine } from "../../base/index.ts";
import { kindsInFiles, recordedParents, replayRecording, type ReplayAnswer } from "../../dump/index.ts";
import type { CacheView } from "../../http/index.ts";
import { groupsOf } from "../../jobs/index.ts";
import { targetCacheView } from "../../sidecar/index.ts";
import type { Action, Context } from "../command.ts";
import { EXIT } from "../failure.ts";
import { countsOf, findingsTable } from "../jobs-table.ts";
import { lagTable } from "../lag-table.ts";
import { plainTable } from "../plain-table.ts";
import { print, withOutput } from "../print.ts";
import { declareFlags } from "../settings/declare.ts";
import { duration, flag, optional } from "../settings/flag.ts";
import { time } from "../settings/jobs-flags.ts";
import { readLimitsFile } from "../settings/limits-file.ts";
import { readParents } from "../settings/parents-file.ts";
import { resolveSettings } from "../settings/resolve.ts";
import { judgeFlags } from "../settings/run-flags.ts";
import type { Terminal } from "../terminal.ts";

const replayFlags = {
  step: flag({ value: "DURATION", standard: "10s", help: "judge this often between events" }, duration),
  until: optional({ value: "TIME", help: "go on to this time, or no further", otherwise: "the recording's end" }, time),
  ...judgeFlags,
};

const HEAD: readonly string[] = ["NAMESPACE", "OBJECT", "CHANGE", "AT", "SEVERITY", "KIND", "REASON"];
const NAMES = 2;

export function configure(command: Command, { terminal }: Context): Action {
  command.argument("<FILE>", "a recording, as stalewatch record writes it");
  declareFlags(command, replayFlags);
  withOutput(command).addHelpText("after", "\nExample:\n  stalewatch replay incident.ndjson.gz -o json");
  return async (options, [path = ""]) => {
    const settings = await resolveSettings(replayFlags, { options, env: terminal.env });
    const { step, until, limits } = settings;
    const { parents, genericParents } = await readParents(settings.parents);
    const found = genericParents ? await recordedParents(path, parents) : [];
    const kinds = kindsInFiles({ parents: [...parents, ...found], genericParents });
    const rules = await readLimitsFile(limits);
    const { answer, failure, beganAt } = await replayRecording(path, { kinds, stepMs: step, until, rules });
    if (until !== undefined && until < beganAt) {
      terminal.err(`stalewatch: ${oneLine(path)} begins at ${new Date(beganAt).toISOString()}, after --until\n`);
    }
    const printed = { ...answer, caches: answer.caches.map(targetCacheView) };
    await print(terminal, options["output"], printed, () => table(printed, terminal));
    if (failure) throw failure;
    return EXIT.fine;
  };
}

type Printed = Omit<ReplayAnswer, "caches"> & { readonly caches: readonly CacheView[] };

/** What changed and when; what is stuck at the end, and what to do about it; how late caches were. */
function table({ transitions, final, caches }: Printed, terminal: Terminal): string {
  const changes = counted(transitions.length, "change");
  const parts = [
    ...(transitions.length > 0 ? [changesTable(transitions, terminal.columns)] : []),
    ...(final.length > 0 ? [findingsTable({ findings: final, groups: groupsOf(final) }, terminal)] : []),
    `${changes}; at the end ${countsOf(final) || "nothing is stuck"}.`,
    ...(caches.length > 0
      ? [`Caches when they were last seen:\n${lagTable({ caches, delays: [] }, terminal)}`.trimEnd()]
      : []),
  ];
  return `${parts.join("\n\n")}\n`;
}

function changesTable(transitions: ReplayAnswer["transitions"], columns: number): string {
  const rows = transitions.map(({ at, change, finding: { object, severity, kind, reason } }) => {
    const second = `${at.slice(0, 19)}Z`;
    return [object.namespace, `${object.kind}/${object.name}`, change, second, severity, kind, reason].map(oneLine);
  });
  return plainTable(HEAD, rows, { columns, flexible: NAMES });
}
