import type { Command } from "commander";
import { defined } from "../../base/index.ts";
import { stopOnSignals } from "../../controller/index.ts";
import { loadCluster } from "../../kube/index.ts";
import { openTarget, Sidecar, type SidecarOptions } from "../../sidecar/index.ts";
import type { Action, Context } from "../command.ts";
import { EXIT } from "../failure.ts";
import { logTo } from "../log-to.ts";
import { declareFlags } from "../settings/declare.ts";
import type { Values } from "../settings/flag.ts";
import { readLimitsFile } from "../settings/limits-file.ts";
import { readParents } from "../settings/parents-file.ts";
import { resolveSettings } from "../settings/resolve.ts";
import { runFlags } from "../settings/run-flags.ts";
import { heartbeatOf, leaseOf } from "../settings/writers.ts";
import { targetSpecs } from "../settings/target-flags.ts";
import { stalewatchVersion } from "../version.ts";

export function configure(command: Command, { terminal, signal }: Context): Action {
  declareFlags(command, runFlags);
  command.addHelpText("after", "\nExample:\n  stalewatch run --kubeconfig ~/.kube/config --namespace shop");
  return async (options) => {
    const settings = await resolveSettings(runFlags, { options, env: terminal.env });
    const { kubeconfig, context } = settings;
    const log = logTo(terminal, settings);
    const stop = signal ?? stopOnSignals();
    await using cluster = await loadCluster({ ...defined({ kubeconfig, context }), env: { log } });
    const sidecar = new Sidecar({
      cluster,
      namespaces: settings.namespace,
      watch: settings.watch,
      listen: {
        metrics: settings["metrics-bind-address"] ?? (cluster.inCluster ? ":8443" : "127.0.0.1:8443"),
        health: settings["health-probe-bind-address"],
        status: settings["status-bind-address"],
      },
      metricsSecure: settings["metrics-secure"],
      syncPeriodMs: settings["sync-period"],
      probeIntervalMs: settings["probe-interval"],
      lagBudgetMs: settings["lag-budget"],
      strictReadiness: settings["strict-readiness"],
      targets: targetSpecs(settings).map(openTarget),
      targetIntervalMs: settings["target-interval"],
      concurrency: settings.concurrency,
      qps: settings["kube-api-qps"],
      burst: settings["kube-api-burst"],
      ...defined({
        leaderElection: election(settings, cluster.namespace),
        heartbeat: heartbeatOf(settings, cluster.namespace),
      }),
      limits: await readLimitsFile(settings.limits),
      ...(await readParents(settings.parents)),
      featureGates: settings["feature-gates"].join(","),
      maxSeries: settings["max-series"],
      traceNoop: settings["trace-noop"],
      version: stalewatchVersion(),
      env: { log },
    });
    await sidecar.run({ signal: stop });
    return EXIT.fine;
  };
}

function election(settings: Values<typeof runFlags>, namespace: string): SidecarOptions["leaderElection"] {
  const lease = leaseOf(settings, namespace);
  if (!lease) return undefined;
  return {
    lease,
    leaseDurationMs: settings["leader-elect-lease-duration"],
    renewDeadlineMs: settings["leader-elect-renew-deadline"],
    retryPeriodMs: settings["leader-elect-retry-period"],
  };
}
