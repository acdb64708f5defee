import { duration, type Flag, flag, yesOrNo } from "./flag.ts";
import { scopeFlags, serverFlags } from "./jobs-flags.ts";
import { clusterFlags, runFlags } from "./run-flags.ts";
import { targetFlags } from "./target-flags.ts";

/** As for `run`, but sooner: nobody waits for long. */
function sooner(name: "probe-interval" | "target-interval"): Flag<number> {
  return { ...runFlags[name], about: { ...runFlags[name].about, standard: "5s" } };
}

export const lagFlags: {
  readonly for: Flag<number>;
  readonly "exit-code": Flag<boolean>;
} & typeof scopeFlags &
  Pick<typeof clusterFlags, "kubeconfig" | "context" | "watch" | "config"> &
  Pick<typeof runFlags, "probe-interval" | "lag-budget" | "kube-api-qps" | "kube-api-burst"> &
  typeof targetFlags &
  typeof serverFlags = {
  for: flag({ value: "DURATION", standard: "30s", help: "watch for this long before answering" }, duration),
  "exit-code": flag({ standard: "false", help: "exit with 10 when a cache is lagging or stalled" }, yesOrNo),
  ...scopeFlags,
  watch: clusterFlags.watch,
  ...targetFlags,
  "target-interval": sooner("target-interval"),
  "probe-interval": sooner("probe-interval"),
  "lag-budget": runFlags["lag-budget"],
  "kube-api-qps": runFlags["kube-api-qps"],
  "kube-api-burst": runFlags["kube-api-burst"],
  kubeconfig: clusterFlags.kubeconfig,
  context: clusterFlags.context,
  config: clusterFlags.config,
  ...serverFlags,
};
