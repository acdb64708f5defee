import { inject } from "vitest";
import { ClusterAccess } from "./cluster-access.ts";
import "./global-setup.ts";

/** The cluster that all suites share. Call it inside `describeReal(..., clusterTools, ...)`, in a hook or a test. */
export function sharedCluster(): ClusterAccess {
  const address = inject("cluster");
  if (address === undefined) throw new Error("the shared cluster was not started");
  return new ClusterAccess(address);
}
