import type { Command } from "commander";
import { defined, systemClock } from "../../base/index.ts";
import { loadCluster } from "../../kube/index.ts";
import { type Diagnosis, examine, openTarget } from "../../sidecar/index.ts";
import type { Action, Context } from "../command.ts";
import { EXIT } from "../failure.ts";
import { print, withOutput } from "../print.ts";
import { declareFlags } from "../settings/declare.ts";
import { readParents } from "../settings/parents-file.ts";
import { resolveSettings } from "../settings/resolve.ts";
import { clusterFlags, judgeFlags, runFlags, writerFlags } from "../settings/run-flags.ts";
import { targetFlags, targetSpecs } from "../settings/target-flags.ts";
import { heartbeatOf, leaseOf } from "../settings/writers.ts";
import { styled, type Terminal } from "../terminal.ts";

/** All of it together: a doctor who does not come back helps nobody. */
const PATIENCE_MS = 30_000;

const flags = { ...clusterFlags, parents: judgeFlags.parents, ...targetFlags, ...writerFlags };

export function configure(command: Command, { terminal, signal }: Context): Action {
  declareFlags(command, flags);
  withOutput(command).addHelpText(
    "after",
    "\nExample:\n  stalewatch doctor --namespace shop --watch apps/v1/deployments",
  );
  return async (options) => {
    const settings = await resolveSettings(flags, { options, env: terminal.env, fileTable: runFlags });
    const { kubeconfig, context, namespace, watch } = settings;
    const targets = targetSpecs(settings);
    const { parents } = await readParents(settings.parents);
    await using cluster = await loadCluster(defined({ kubeconfig, context }));
    const lease = leaseOf(settings, cluster.namespace);
    const patience = AbortSignal.timeout(PATIENCE_MS);
    const diagnoses: Diagnosis[] = [];
    const all = examine({
      cluster,
      namespaces: namespace,
      watch,
      parents,
      targets: targets.map(openTarget),
      leaderElection: lease && { lease },
      heartbeat: heartbeatOf(settings, cluster.namespace),
      variables: terminal.env,
      clock: systemClock,
      signal: signal ? AbortSignal.any([signal, patience]) : patience,
    });
    for await (const diagnosis of all) {
      diagnoses.push(diagnosis);
      if (options["output"] === "table") terminal.out(line(terminal, diagnosis));
    }
    if (options["output"] !== "table") await print(terminal, options["output"], diagnoses, () => "");
    return diagnoses.every(({ ok }) => ok) ? EXIT.fine : EXIT.failed;
  };
}

function line(terminal: Terminal, { ok, check, found, remedy }: Diagnosis): string {
  const mark = ok ? styled(terminal, "green", "ok  ") : styled(terminal, "red", "FAIL");
  return `${mark}  ${check.padEnd(11)}  ${found}${remedy === undefined ? "" : `: ${remedy}`}\n`;
}
