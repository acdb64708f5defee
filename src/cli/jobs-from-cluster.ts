import { defined, systemClock } from "../base/index.ts";
import type { JobsAnswer } from "../http/index.ts";
import type { LimitRules, Parents } from "../jobs/index.ts";
import { loadCluster } from "../kube/index.ts";
import { lookOnce } from "../sidecar/index.ts";
import type { Context } from "./command.ts";
import { stalewatchVersion } from "./version.ts";

export interface JobsFromClusterOptions extends Parents {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly namespaces: readonly string[];
  readonly limits: LimitRules;
  readonly all: boolean;
  readonly patienceMs: number;
}

/** What is stuck in a cluster now. Says on standard error what could not be read. Errors: those of `loadCluster` and `lookOnce`. */
export async function jobsFromCluster(
  options: JobsFromClusterOptions,
  { terminal, signal }: Context,
): Promise<JobsAnswer> {
  const { kubeconfig, context, ...rest } = options;
  await using cluster = await loadCluster(defined({ kubeconfig, context }));
  const seen = await lookOnce({ ...rest, cluster, version: stalewatchVersion(), ...defined({ signal }) });
  for (const note of seen.notes) terminal.err(`stalewatch: ${note}\n`);
  return { at: new Date(systemClock.now()).toISOString(), ...seen };
}
