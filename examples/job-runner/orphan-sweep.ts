import { type DeepReadonly, isConflict, isNotFound, keyOf, type Lease, resources, type Sweep } from "stalewatch";
import { dropHolder, isHeld } from "./leases.ts";
import { CLUSTER, MANAGED, RUN, terraformRuns } from "./terraform-run.ts";

/** Clears away what no pass will: leases that were taken for nothing, and those of runs and clusters that are gone. */
export async function sweepOrphans(sweep: Sweep): Promise<void> {
  const { live, write, signal } = sweep;
  const needed = new Set<string>();
  for await (const { items } of live.list(terraformRuns, { signal })) {
    for (const { metadata, spec } of items) {
      needed.add(keyOf({ namespace: metadata.namespace, name: `${RUN}=${metadata.name}` }));
      needed.add(keyOf({ namespace: metadata.namespace, name: `${CLUSTER}=${spec.cluster}` }));
    }
  }
  const isNeeded = ({ namespace, labels = {} }: DeepReadonly<Lease>["metadata"]): boolean =>
    [RUN, CLUSTER].some((label) => needed.has(keyOf({ namespace, name: `${label}=${labels[label]}` })));

  // Listed after the runs: somebody who has needed a lease since then has changed it, and each write names the version read here.
  for await (const { items } of live.list(resources.leases, { labelSelector: `${MANAGED}=true`, signal })) {
    for (const lease of items) {
      if (await isHeld(sweep, lease)) continue;
      try {
        const { uid, resourceVersion } = lease.metadata;
        if (!isNeeded(lease.metadata)) await write.delete(resources.leases, lease.metadata, { uid, resourceVersion });
        else if (lease.spec.holderIdentity) await dropHolder(write, lease);
      } catch (error) {
        if (!isConflict(error) && !isNotFound(error)) throw error;
      }
    }
  }
}
