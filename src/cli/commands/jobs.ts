import type { Command } from "commander";
import type { Action, Context } from "../command.ts";
import { EXIT, UsageError } from "../failure.ts";
import { jobsFromFiles } from "../jobs-from-files.ts";
import { jobsTable } from "../jobs-table.ts";
import { print, withOutput } from "../print.ts";
import { declareFlags } from "../settings/declare.ts";
import type { Values } from "../settings/flag.ts";
import { jobsFlags } from "../settings/jobs-flags.ts";
import { readLimitsFile } from "../settings/limits-file.ts";
import { resolveSettings } from "../settings/resolve.ts";

const EXAMPLES = `
Examples:
  stalewatch jobs -n shop
  kubectl get jobs,pods,cronjobs,events,leases -A -o yaml | stalewatch jobs -f -
  stalewatch jobs -f must-gather/ --at 2026-01-02T03:04:05Z -o json --exit-code`;

export function configure(command: Command, context: Context): Action {
  declareFlags(command, jobsFlags);
  withOutput(command).addHelpText("after", EXAMPLES);
  return async (options) => {
    const { terminal } = context;
    const settings = await resolveSettings(jobsFlags, { options, env: terminal.env });
    const answer = await answerOf(settings, context);
    await print(terminal, options["output"], answer, () => jobsTable(answer, terminal));
    const isStuck = answer.findings.some(
      ({ state, silencedUntil }) => state === "stuck" && silencedUntil === undefined,
    );
    return settings["exit-code"] && isStuck ? EXIT.found : EXIT.fine;
  };
}

async function answerOf(settings: Values<typeof jobsFlags>, context: Context) {
  const { filename: paths, server, at, all } = settings;
  if (paths.length > 0 && server !== undefined) throw new UsageError("--filename and --server cannot both be given");
  const namespaces = settings["all-namespaces"] ? [] : settings.namespace;
  const rules = settings.limits === undefined ? [] : await readLimitsFile(settings.limits);
  return jobsFromFiles({ paths, at, all, namespaces, rules }, context);
}
