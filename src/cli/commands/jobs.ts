import type { Command } from "commander";
import type { JobsAnswer } from "../../http/index.ts";
import type { Action, Context } from "../command.ts";
import { EXIT, UsageError } from "../failure.ts";
import { jobsFromFiles } from "../jobs-from-files.ts";
import { jobsFromServer } from "../jobs-from-server.ts";
import { jobsTable } from "../jobs-table.ts";
import { print, withOutput } from "../print.ts";
import { declareFlags } from "../settings/declare.ts";
import type { Values } from "../settings/flag.ts";
import { jobsFlags } from "../settings/jobs-flags.ts";
import { readLimitsFile } from "../settings/limits-file.ts";
import { readParents } from "../settings/parents-file.ts";
import { refuseWithServer } from "../settings/refuse-with-server.ts";
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
    const answer = await answerOf({ settings, options }, context);
    await print(terminal, options["output"], answer, () => jobsTable(answer, namespacesOf(settings), terminal));
    const isStuck = answer.findings.some(
      ({ state, silencedUntil }) => state === "stuck" && silencedUntil === undefined,
    );
    return settings["exit-code"] && isStuck ? EXIT.found : EXIT.fine;
  };
}

interface Asked {
  readonly settings: Values<typeof jobsFlags>;
  /** What stands on the command line. */
  readonly options: Readonly<Record<string, unknown>>;
}

async function answerOf({ settings, options }: Asked, context: Context): Promise<JobsAnswer> {
  const { filename: paths, server, at, all, kubeconfig } = settings;
  const patienceMs = settings["request-timeout"];
  const namespaces = namespacesOf(settings);
  if (server !== undefined) {
    if (paths.length > 0) throw new UsageError("--filename and --server cannot both be given");
    refuseWithServer(options, ["limits", "parents", "kubeconfig", "context"]);
  }
  if (at !== undefined && paths.length === 0) {
    throw new UsageError("--at is for files", "name some with --filename, or leave it out");
  }
  if (server !== undefined) {
    return jobsFromServer({ server, all, namespaces, timeoutMs: patienceMs, signal: context.signal });
  }
  const limits = await readLimitsFile(settings.limits);
  const parents = await readParents(settings.parents);
  if (paths.length > 0) return jobsFromFiles({ ...parents, paths, at, all, namespaces, rules: limits }, context);
  // Files need nothing of what talks to a cluster, which takes a second to load.
  const { jobsFromCluster } = await import("../jobs-from-cluster.ts");
  return jobsFromCluster(
    { kubeconfig, context: settings.context, namespaces, limits, ...parents, all, patienceMs },
    context,
  );
}

function namespacesOf(settings: Values<typeof jobsFlags>): readonly string[] {
  return settings["all-namespaces"] ? [] : settings.namespace;
}
