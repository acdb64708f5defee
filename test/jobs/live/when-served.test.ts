import { expect, it, vi } from "vitest";
import { addedKinds, whenServed } from "../../../src/jobs/index.ts";
import { KubeClient } from "../../../src/kube/index.ts";
import type { Resource } from "../../../src/resources/index.ts";
import { EmbeddedCluster } from "../../../src/testing/index.ts";

const kinds = addedKinds();
const workloads = kinds[0] as Resource;
const installed = { group: "kueue.x-k8s.io", version: "v1beta1", kind: "Workload", resource: "workloads" };

interface Wait {
  served: boolean;
}

/** Who waits for Workloads in each of these namespaces; told when they are there. */
function waitFor(cluster: EmbeddedCluster, namespaces: readonly string[], signal: AbortSignal): readonly Wait[] {
  const client = new KubeClient({ transport: cluster.transport(), env: { clock: cluster.clock } });
  const startWhenIn = whenServed({ client, clock: cluster.clock, kinds });
  return namespaces.map((namespace) => {
    const wait = { served: false };
    const told = (): void => void (wait.served = true);
    startWhenIn(namespace)(workloads, signal)?.then(told, () => {}); // aborted at the end of the test
    return wait;
  });
}

it.each([401, 429, 500, 503])("a server that answers %d is no server that serves the kind", async (status) => {
  await using cluster = await EmbeddedCluster.start();
  const stop = new AbortController();
  const fault = cluster.faults.failRequests({ status });
  const [wait] = waitFor(cluster, ["shop"], stop.signal);
  await cluster.settle({ advance: 300_000 });
  fault.stop();
  await cluster.settle({ advance: 300_000 });
  expect(wait).toEqual({ served: false });
  cluster.register(installed);
  await cluster.settle({ advance: 60_000 });
  expect(wait).toEqual({ served: true });
  stop.abort();
});

it("a server that cannot be reached is none that serves the kind", async () => {
  await using cluster = await EmbeddedCluster.start();
  const stop = new AbortController();
  cluster.faults.unreachable(true);
  const [wait] = waitFor(cluster, ["shop"], stop.signal);
  await cluster.settle({ advance: 300_000 });
  expect(wait).toEqual({ served: false });
  cluster.faults.unreachable(false);
  cluster.register(installed);
  await cluster.settle({ advance: 60_000 });
  expect(wait).toEqual({ served: true });
  stop.abort();
});

it("is looked up once for all namespaces where it may not be listed", async () => {
  await using cluster = await EmbeddedCluster.start();
  cluster.forbid({ resource: "workloads" });
  const stop = new AbortController();
  const discover = vi.spyOn(KubeClient.prototype, "discover");
  const waits = waitFor(cluster, ["a", "b", "c", "d"], stop.signal);
  await cluster.settle({ advance: 599_000 });
  expect(waits.every(({ served }) => !served)).toBe(true);
  expect(discover.mock.calls.length).toBeLessThanOrEqual(10);
  cluster.register(installed);
  await cluster.settle({ advance: 61_000 });
  expect(waits.every(({ served }) => served)).toBe(true);
  stop.abort();
});
