import type { Command } from "commander";
import { oneLine } from "../../base/index.ts";
import { judgedKinds, recordedParents, replayRecording, type ReplayAnswer } from "../../dump/index.ts";
import { targetCacheView } from "../../sidecar/index.ts";
import type { Action, Context } from "../command.ts";
import { EXIT } from "../failure.ts";
import { plainTable } from "../plain-table.ts";
import { print, withOutput } from "../print.ts";
import { declareFlags } from "../settings/declare.ts";
import { duration, flag, optional } from "../settings/flag.ts";
import { time } from "../settings/jobs-flags.ts";
import { readLimitsFile } from "../settings/limits-file.ts";
import { readParents } from "../settings/parents-file.ts";
import { resolveSettings } from "../settings/resolve.ts";
import { judgeFlags } from "../settings/run-flags.ts";

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
    const kinds = judgedKinds({ parents: [...parents, ...found], genericParents });
    const rules = await readLimitsFile(limits);
    const { answer, failure } = await replayRecording(path, { kinds, stepMs: step, until, rules });
    const printed = { ...answer, caches: answer.caches.map(targetCacheView) };
    await print(terminal, options["output"], printed, () => table(answer, terminal.columns));
    if (failure) throw failure;
    return EXIT.fine;
  };
}

function table({ transitions, final }: ReplayAnswer, columns: number): string {
  const rows = transitions.map(({ at, change, finding: { object, severity, kind, reason } }) => {
    return [object.namespace, `${object.kind}/${object.name}`, change, at, severity, kind, reason].map(oneLine);
  });
  const changes = rows.length === 0 ? "" : `${plainTable(HEAD, rows, { columns, flexible: NAMES })}\n\n`;
  return `${changes}${transitions.length} changes; ${final.length} findings at the end.\n`;
}
