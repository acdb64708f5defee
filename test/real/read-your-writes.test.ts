import { afterAll, beforeAll, expect, test } from "vitest";
import { Controller, Manager } from "../../src/controller/index.ts";
import { catalog, PrometheusMeter } from "../../src/exposition/index.ts";
import { type Cluster, KubeClient, loadCluster } from "../../src/kube/index.ts";
import { resources } from "../../src/resources/index.ts";
import {
  type ClusterAccess,
  clusterTools,
  DelayingProxy,
  describeReal,
  eventually,
  sampleOf,
  sharedCluster,
} from "./harness/index.ts";
import { forEach, jobNames } from "./jobs.ts";

const owners = 1_000;
/** Of the owners, those whose mark comes back before the child at the least; on a busy machine some come late. */
const early = owners / 4;

interface Outcome {
  /** Children that each owner has on the server, by owner uid. */
  children: Map<string, number>;
  page: string;
}

/**
 * A controller that makes one child for each owner, and marks the owner: the mark comes back as an event at once, the child
 * reaches the cache half a second later. What the next pass sees in that half second decides.
 */
describeReal("own writes on a real server, the cache of the children 500 ms late", clusterTools, () => {
  let access: ClusterAccess;
  let proxy: DelayingProxy;
  let cluster: Cluster;

  beforeAll(async () => {
    access = sharedCluster();
    proxy = await DelayingProxy.start(access, { resource: "leases", delayMs: 500 });
    cluster = await loadCluster({ kubeconfig: access.kubeconfig({ server: proxy.server }) });
  });
  afterAll(async () => {
    await cluster?.close();
    await proxy?.stop();
  });

  test("with the gate on each owner has exactly one child, and the skips are counted and timed", async () => {
    const { children, page } = await runExample("");
    expect([...children.values()]).toEqual(Array.from({ length: owners }, () => 1));
    const labels = { controller: "example", group: "coordination.k8s.io", resource: "leases" };
    const skips = sampleOf(page, "stale_sync_skips_total", labels) ?? 0;
    const waits = sampleOf(page, "stale_sync_wait_seconds_count", labels) ?? 0;
    const waited = sampleOf(page, "stale_sync_wait_seconds_sum", labels) ?? 0;
    expect(skips).toBeGreaterThanOrEqual(early);
    expect(waits).toBeGreaterThanOrEqual(early);
    expect(waited / waits).toBeGreaterThan(0.05);
    expect(waited / waits).toBeLessThan(5); // woken by the event, not by the fallback interval
  });

  test("with the gate off the same controller makes duplicates", async () => {
    const { children, page } = await runExample("StaleControllerConsistencyConfigMap=false");
    expect(children.size).toBe(owners);
    expect([...children.values()].filter((count) => count > 1).length).toBeGreaterThanOrEqual(early);
    expect(sampleOf(page, "stale_sync_skips_total", { controller: "example", resource: "leases" }) ?? 0).toBe(0);
  });

  async function runExample(featureGates: string): Promise<Outcome> {
    const namespace = await access.namespace("own-writes");
    const scope = { namespace, labelSelector: "example=owner" };
    const meter = new PrometheusMeter({ catalog, processMetrics: false });
    const marked = new Map<string, () => void>();
    const controller = new Controller("example", {
      for: { resource: resources.configMaps, scope },
      owns: [{ resource: resources.leases, scope: { namespace } }],
      concurrency: 16,
      async reconcile({ object, cached, write }) {
        if (cached(resources.leases).ownedBy(object).length > 0) return;
        await write.create(resources.leases, { metadata: { generateName: "child-" }, spec: {} });
        const mark = { metadata: { annotations: { "example.com/child": "made" } } };
        await write.patch(resources.configMaps, object.metadata, { type: "merge", body: mark });
        marked.get(object.metadata.name)?.();
      },
    });
    const client = new KubeClient({ transport: cluster.transport, qps: 1_000, burst: 1_000, env: { meter } });
    const stop = new AbortController();
    const manager = new Manager({ controllers: [controller], client, featureGates, env: { meter } });
    const running = manager.run({ signal: stop.signal });

    const names = jobNames(owners);
    // Never more owners at work than workers, so that the mark does not wait in the queue until the child is there.
    const startOne = async (name: string): Promise<void> => {
      const made = new Promise<void>((resolve) => marked.set(name, resolve));
      await createOwner(access, namespace, name);
      await made;
    };
    await forEach(names, startOne, { atOnce: 8 });
    await eventually("every owner has a child", async () => (await childrenOf(access, namespace)).size === owners);
    // One more look at every owner, after which nothing may have been made again.
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    await forEach(names, (name) => access.raw.patch(`${path}/${name}`, { data: { look: "again" } }));
    await eventually("every owner was looked at again", async () => {
      const versions =
        (await access.raw.get(path)).items?.map(({ metadata }) => Number(metadata.resourceVersion)) ?? [];
      const page = (await meter.scrape()).body.toString();
      const seen = sampleOf(page, "store_resource_version", { resource: "configmaps" }) ?? 0;
      return seen >= Math.max(...versions) && idle(page);
    });
    stop.abort();
    await running;
    return { children: await childrenOf(access, namespace), page: (await meter.scrape()).body.toString() };
  }
});

function idle(page: string): boolean {
  const labels = { controller: "example" };
  return (
    sampleOf(page, "workqueue_depth", labels) === 0 && sampleOf(page, "controller_runtime_active_workers", labels) === 0
  );
}

async function createOwner(access: ClusterAccess, namespace: string, name: string): Promise<void> {
  const metadata = { name, labels: { example: "owner" } };
  await access.raw.post(`/api/v1/namespaces/${namespace}/configmaps`, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata,
  });
}

async function childrenOf(access: ClusterAccess, namespace: string): Promise<Map<string, number>> {
  const { items = [] } = await access.raw.get(`/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`);
  const counts = new Map<string, number>();
  for (const { metadata } of items) {
    const owner = (metadata as { ownerReferences?: { uid: string }[] }).ownerReferences?.[0]?.uid ?? "";
    counts.set(owner, (counts.get(owner) ?? 0) + 1);
  }
  return counts;
}
