import type { TestProject } from "vitest/node";
import type { ClusterAddress } from "./cluster-access.ts";
import { RealCluster } from "./real-cluster.ts";
import { clusterTools, missingLine, missingTools } from "./tools.ts";

declare module "vitest" {
  interface ProvidedContext {
    cluster: ClusterAddress | undefined;
  }
}

/** One cluster for all suites that do not break it; each suite keeps to namespaces of its own. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const missing = missingTools(clusterTools);
  if (missing.length > 0) {
    console.warn(`Suites that need a cluster are skipped. ${missingLine(missing)}`);
    project.provide("cluster", undefined);
    return async () => undefined;
  }
  const cluster = await RealCluster.start();
  project.provide("cluster", cluster.address);
  return async () => {
    const failed = project.vitest.state.getCountOfFailedTests() > 0;
    if (failed) console.warn(`The logs of the cluster are kept in ${cluster.directory}`);
    await cluster.stop({ keepLogs: failed });
  };
}
