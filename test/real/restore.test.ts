import { afterAll, beforeAll, expect, test } from "vitest";
import type { CachesAnswer, CacheView } from "../../src/http/index.ts";
import { clusterTools, describeReal, eventually, pause, RealCluster, sampleOf, Sidecar } from "./harness/index.ts";
import { createJob, forEach, jobNames, serverVersions } from "./jobs.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
const jobsPath = "/apis/batch/v1/namespaces/default/jobs";
const written = ["configmaps", "jobs", "leases", "pods"];
/** Nothing ever happens to these: their caches stand near the snapshot, and hold nothing that is lost. */
const idle = ["cronjobs", "daemonsets", "statefulsets"];
/** Beside what is judged: Jobs, pods, CronJobs and leases. */
const watched = ["v1/configmaps", "apps/v1/daemonsets", "apps/v1/statefulsets"];
/** So many more than the API server writes while it starts that nothing can take the old history over meanwhile. */
const LOST_WRITES = 500;

describeReal("a restore of etcd from an older snapshot", clusterTools, () => {
  let access: RealCluster;
  let sidecar: Sidecar;

  beforeAll(async () => {
    access = await RealCluster.start();
    await access.raw.post(configMaps, { metadata: { name: "busy" } });
    await forEach(jobNames(5), (name) => createJob(access, "default", name));
    await access.snapshotEtcd();
    const args = [...watched.map((kind) => `--watch=${kind}`), "--probe-interval=3s"];
    sidecar = await Sidecar.start({ kubeconfig: access.kubeconfig(), args });
  });
  afterAll(async () => {
    await sidecar?.[Symbol.asyncDispose]();
    await access?.stop();
  });

  test("takes each kind through rewind, after which its cache is as the server is, and nothing untrue is said", async () => {
    await everyKind("fresh before", ({ state }) => state === "fresh");
    await forEach(Array.from({ length: LOST_WRITES }).keys(), (count) =>
      access.raw.patch(`${configMaps}/busy`, { data: { count: String(count) } }),
    );
    const { metadata } = await access.raw.get(configMaps);
    const lost = Number(metadata.resourceVersion);
    await access.raw.post(configMaps, { metadata: { name: "lost" } });
    await access.raw.post(leases, { metadata: { name: "lost" } });
    await forEach(["lost-1", "lost-2", "lost-3"], (name) => createJob(access, "default", name));
    await everyKind("known to have come as far as what will be lost", (cache) => {
      const store = written.includes(cache.resource) ? Number(cache.storeResourceVersion) : Infinity;
      return Math.min(store, Number(cache.headResourceVersion)) > lost;
    });

    const seen = new Map<string, Set<string>>();
    const untrue: CacheView[] = [];
    const witness = new AbortController();
    const watching = look(witness.signal, (cache) => {
      const states = seen.get(cache.resource) ?? new Set();
      seen.set(cache.resource, states.add(cache.state));
      // Nobody is late: what is missed is gone for good.
      if (cache.state === "lagging" || cache.state === "stalled") untrue.push(cache);
    });
    await access.killControllerManager();
    await access.restoreEtcd();

    const isBack = ({ state, storeResourceVersion }: CacheView): boolean =>
      state === "fresh" && Number(storeResourceVersion) < lost;
    await everyKind("fresh after", isBack, 60_000);
    witness.abort();
    await watching;
    expect(untrue).toEqual([]);
    expect([...seen.keys()].toSorted()).toEqual([...written, ...idle].toSorted());
    const page = await sidecar.metrics();
    for (const resource of [...written, ...idle]) {
      const count = (name: string): number | undefined => sampleOf(page, name, { resource, reason: "rewind" });
      expect([resource, count("stalewatch_head_watch_restarts_total")]).toEqual([resource, 1]);
      if (written.includes(resource)) expect([resource, count("stalewatch_relists_total")]).toEqual([resource, 1]);
    }
    for (const kind of written) expect([kind, seen.get(kind)]).not.toEqual([kind, new Set(["fresh"])]);
    const { jobs } = await counts();
    expect(jobs).toBe(Object.keys(await serverVersions(access, jobsPath)).length);
    expect(jobs).toBe(5);
    expect((await sidecar.readyz()).status).toBe(200);

    await createJob(access, "default", "after");
    await eventually("the new history is followed", async () => (await counts()).jobs === 6);
  });

  async function caches(): Promise<readonly CacheView[]> {
    return (await sidecar.api<CachesAnswer>("caches")).caches;
  }

  async function counts(): Promise<Record<string, number>> {
    return Object.fromEntries((await caches()).map(({ resource, informer }) => [resource, informer?.objects ?? 0]));
  }

  async function everyKind(what: string, holds: (cache: CacheView) => boolean, timeoutMs = 30_000): Promise<void> {
    await eventually(
      `every kind is ${what}`,
      async () => {
        const all = await caches();
        const odd = all.filter((cache) => !holds(cache)).map(({ resource, state, why }) => ({ resource, state, why }));
        expect(odd).toEqual([]);
        return all.length === written.length + idle.length;
      },
      { timeoutMs },
    );
  }

  async function look(signal: AbortSignal, at: (cache: CacheView) => void): Promise<void> {
    while (!signal.aborted) {
      for (const cache of await caches()) at(cache);
      await pause(20);
    }
  }
});
