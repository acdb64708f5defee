import type { Command } from "commander";
import { defined, systemClock, systemRandom } from "../../base/index.ts";
import { stopOnSignals } from "../../controller/index.ts";
import { record } from "../../dump/index.ts";
import { KubeClient, loadCluster } from "../../kube/index.ts";
import { openTarget } from "../../sidecar/index.ts";
import type { Action, Context } from "../command.ts";
import { EXIT, UsageError } from "../failure.ts";
import { declareFlags } from "../settings/declare.ts";
import { duration, optional, text } from "../settings/flag.ts";
import { scopeFlags } from "../settings/jobs-flags.ts";
import { readParents } from "../settings/parents-file.ts";
import { resolveSettings } from "../settings/resolve.ts";
import { clusterFlags, judgeFlags } from "../settings/run-flags.ts";
import { targetFlags, targetSpecs } from "../settings/target-flags.ts";
import { stalewatchVersion } from "../version.ts";

const recordFlags = {
  output: optional(
    { short: "o", value: "FILE", help: "a new file to write; compressed if its name ends in .gz" },
    text,
  ),
  for: optional({ value: "DURATION", help: "end by itself after this long", otherwise: "until Ctrl-C" }, duration),
  ...scopeFlags,
  parents: judgeFlags.parents,
  kubeconfig: clusterFlags.kubeconfig,
  context: clusterFlags.context,
  ...targetFlags,
};

export function configure(command: Command, { terminal, signal }: Context): Action {
  declareFlags(command, recordFlags);
  command.addHelpText("after", "\nExample:\n  stalewatch record -o incident.ndjson.gz --for 30m");
  return async (options) => {
    const settings = await resolveSettings(recordFlags, { options, env: terminal.env });
    const { output: path, kubeconfig, context } = settings;
    if (path === undefined) throw new UsageError("record needs a file to write", "name one with -o");
    await using cluster = await loadCluster(defined({ kubeconfig, context }));
    const stop = signal ?? stopOnSignals();
    const told = new Set<string>();
    await record(
      {
        client: new KubeClient({ transport: cluster.transport, userAgent: `stalewatch/${stalewatchVersion()}` }),
        ...(await readParents(settings.parents)),
        namespaces: settings["all-namespaces"] ? [] : settings.namespace,
        targets: targetSpecs(settings).map(openTarget),
        targetIntervalMs: settings["target-interval"],
        path,
        onTrouble: (trouble) => {
          if (!told.has(trouble)) terminal.err(`stalewatch: ${trouble}\n`);
          told.add(trouble);
        },
        env: { clock: systemClock, random: systemRandom },
      },
      settings.for === undefined ? stop : AbortSignal.any([stop, AbortSignal.timeout(settings.for)]),
    );
    return EXIT.fine;
  };
}
