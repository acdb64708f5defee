import { afterAll, beforeAll, expect, test } from "vitest";
import { Informer } from "../../src/cache/index.ts";
import { catalog, PrometheusMeter } from "../../src/exposition/index.ts";
import { type Cluster, KubeClient, loadCluster } from "../../src/kube/index.ts";
import { resources } from "../../src/resources/index.ts";
import { clusterTools, describeReal, eventually, pause, RealCluster, sampleOf, Sidecar } from "./harness/index.ts";
import { background, createJob, forEach, jobNames, serverVersions, versionsOf } from "./jobs.ts";

interface CachesAnswer {
  caches: { resource: string; informer: { objects: number } }[];
}

const jobsPath = "/apis/batch/v1/namespaces/default/jobs";
const jobsKind = { group: "batch", version: "v1", resource: "jobs" };

/** kube-apiserver is away for 20 s, and what the caches knew is compacted away meanwhile. */
describeReal("an outage of a real server", clusterTools, () => {
  let access: RealCluster;
  let cluster: Cluster;
  let sidecar: Sidecar;

  beforeAll(async () => {
    access = await RealCluster.start();
    const kubeconfig = access.kubeconfig();
    cluster = await loadCluster({ kubeconfig });
    sidecar = await Sidecar.start({ kubeconfig });
  });
  afterAll(async () => {
    await sidecar?.[Symbol.asyncDispose]();
    await cluster?.close();
    await access?.stop();
  });

  test("caches equal the server again within 60 s, every failure is counted, and the sidecar says why", async () => {
    const meter = new PrometheusMeter({ catalog, processMetrics: false });
    const client = new KubeClient({ transport: cluster.transport });
    const informer = new Informer({ client, resource: resources.jobs, env: { meter } });
    const stop = new AbortController();
    const running = informer.run({ signal: stop.signal });
    await informer.whenSynced();
    const names = jobNames(60);
    await forEach(names, (name) => createJob(access, "default", name));
    await eventually("the controller-manager is done with them", async () => {
      const { items = [] } = await access.raw.get(jobsPath);
      return items.every((job) => job["status"].active === 1);
    });
    await sidecarReaches(await newest());

    await access.killApiServer();
    await forEach(names.slice(50), (name) => access.deleteFromEtcd(`jobs/default/${name}`));
    await access.compactEtcd();
    const why = await eventually("the sidecar says why", async () => {
      const { body } = await sidecar.readyz();
      return /ECONNREFUSED|refused|unreachable/.test(body) && body;
    });
    expect(why).toMatch(/jobs/);
    await pause(20_000);
    expect(sidecar.running).toBe(true);
    await access.startApiServer();
    await forEach(names.slice(0, 30), (name) => access.raw.delete(`${jobsPath}/${name}`, background));
    await createJob(access, "default", "after");

    const last = await newest();
    await Promise.all([
      eventually(
        "the cache equals the server",
        async () => {
          expect(versionsOf(informer.lister.list("default"))).toEqual(await serverVersions(access, jobsPath));
          return true;
        },
        { timeoutMs: 60_000, everyMs: 500 },
      ),
      sidecarReaches(last),
    ]);
    expect(informer.lister.list("default")).toHaveLength(21);
    const { caches } = await sidecar.api<CachesAnswer>("caches");
    const present = Object.keys(await serverVersions(access, jobsPath)).length;
    expect(caches.find(({ resource }) => resource === "jobs")?.informer.objects).toBe(present);
    expect((await sidecar.readyz()).status).toBe(200);

    const own = (await meter.scrape()).body.toString();
    for (const page of [own, await sidecar.metrics()]) {
      const restarts = (reason: string): number =>
        sampleOf(page, "stalewatch_watch_restarts_total", { ...jobsKind, reason }) ?? 0;
      expect(restarts("unreachable")).toBeGreaterThan(0);
      expect(restarts("expired")).toBe(1);
      const listFailures = { ...jobsKind, reason: "unreachable" };
      expect(sampleOf(page, "stalewatch_list_failures_total", listFailures)).toBeGreaterThan(0);
      expect(sampleOf(page, "stalewatch_relists_total", { ...jobsKind, reason: "expired" })).toBe(1);
      // Of those that went while nobody could tell, no event was left.
      const gone = { ...jobsKind, change: "deleted" };
      expect(sampleOf(page, "stalewatch_relist_differences_total", gone)).toBeGreaterThanOrEqual(10);
    }
    stop.abort();
    await running;
  });

  async function newest(): Promise<number> {
    return Math.max(...Object.values(await serverVersions(access, jobsPath)).map(Number));
  }

  async function sidecarReaches(version: number): Promise<void> {
    await eventually(
      "the sidecar's store has reached the server",
      async () => (sampleOf(await sidecar.metrics(), "store_resource_version", { resource: "jobs" }) ?? 0) >= version,
      { timeoutMs: 60_000, everyMs: 500 },
    );
  }
});
