import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type ClusterAccess,
  clusterTools,
  describeReal,
  eventually,
  Kubelet,
  lintMetrics,
  type Rule,
  sampleOf,
  sharedCluster,
  Sidecar,
} from "./harness/index.ts";
import { createJob, forEach, jobNames } from "./jobs.ts";

const jobsCache = { name: "stalewatch", group: "batch", version: "v1", resource: "jobs" };

/** What the README has its reader grant, which must be enough. */
function grantedInReadme(): Rule[] {
  const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
  const [, verbs = "", kinds = ""] = /create clusterrole stalewatch --verb=(\S+) --resource=(\S+)/.exec(readme) ?? [];
  return kinds.split(",").map((kind) => {
    const [resource = "", ...group] = kind.split(".");
    return { apiGroups: [group.join(".")], resources: [resource], verbs: verbs.split(",") };
  });
}

interface CachesAnswer {
  caches: { resource: string; storeResourceVersion: string }[];
}

describeReal("stalewatch run beside a real controller-manager", [...clusterTools, "promtool"], () => {
  let access: ClusterAccess;
  let sidecar: Sidecar;
  let namespace: string;

  beforeAll(async () => {
    access = sharedCluster();
    namespace = await access.namespace("sidecar");
    const credentials = await access.user("stalewatch", grantedInReadme());
    sidecar = await Sidecar.start({ kubeconfig: access.kubeconfig({ credentials }) });
    await eventually("the sidecar is ready", async () => (await sidecar.readyz()).status === 200);
  });
  afterAll(async () => {
    await sidecar?.[Symbol.asyncDispose]();
  });

  test("reports store versions that the server confirms", async () => {
    const path = `/apis/batch/v1/namespaces/${namespace}/jobs`;
    await using _kubelet = new Kubelet(access, { namespace, plan: () => ["running"] });
    for (let round = 0; round < 5; round += 1) {
      const names = jobNames(6).map((name) => `round-${round}-${name}`);
      await forEach(names, (name) => createJob(access, namespace, name));
      const last = await eventually("the Jobs are active", async () => {
        const { items = [] } = await access.raw.get(path);
        return items.every((job) => job["status"].active === 1) && newest(items);
      });
      const stored = await eventually("the store has the last write", async () => {
        const version = sampleOf(await sidecar.metrics(), "store_resource_version", jobsCache) ?? 0;
        return version >= last && version;
      });
      expect(stored).toBeLessThanOrEqual(Number(await access.version("/apis/batch/v1/jobs")));
      const { caches } = await sidecar.api<CachesAnswer>("caches");
      const shown = Number(caches.find(({ resource }) => resource === "jobs")?.storeResourceVersion);
      expect(shown).toBeGreaterThanOrEqual(stored);
      expect(shown).toBeLessThanOrEqual(Number(await access.version("/apis/batch/v1/jobs")));
    }
  });

  test("serves a page that promtool finds nothing wrong with", async () => {
    expect(lintMetrics(await sidecar.metrics())).toBe("");
  });

  test("makes passes over the Jobs and writes nothing", async () => {
    const page = await sidecar.metrics();
    expect(sampleOf(page, "controller_runtime_reconcile_total", { controller: "jobs" })).toBeGreaterThan(0);
    expect(sidecar.log).not.toMatch(/forbidden/i);
  });

  test("exits 0 on SIGTERM", async () => {
    expect(await sidecar.stop()).toBe(0);
  });
});

function newest(items: readonly { metadata: { resourceVersion: string } }[]): number {
  return Math.max(...items.map(({ metadata }) => Number(metadata.resourceVersion)));
}
