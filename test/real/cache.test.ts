import { afterAll, beforeAll, expect, test } from "vitest";
import { Informer } from "../../src/cache/index.ts";
import { type Cluster, KubeClient, loadCluster } from "../../src/kube/index.ts";
import { resources } from "../../src/resources/index.ts";
import { type ClusterAccess, clusterTools, describeReal, eventually, Kubelet, sharedCluster } from "./harness/index.ts";
import { background, createJob, endOf, forEach, jobNames, serverVersions, thirds, versionsOf } from "./jobs.ts";

describeReal("a cache of a real server", clusterTools, () => {
  let access: ClusterAccess;
  let cluster: Cluster;

  beforeAll(async () => {
    access = sharedCluster();
    cluster = await loadCluster({ kubeconfig: access.kubeconfig() });
  });
  afterAll(async () => {
    await cluster?.close();
  });

  test("equals a fresh list after 300 Jobs were created, run, failed and deleted", async () => {
    const namespace = await access.namespace("cache");
    const client = new KubeClient({ transport: cluster.transport });
    const scope = { namespace };
    const jobs = new Informer({ client, resource: resources.jobs, scope });
    const pods = new Informer({ client, resource: resources.pods, scope });
    const last = new Map<string, string>();
    jobs.addHandler((event) => last.set(event.object.metadata.name, event.type));
    const stop = new AbortController();
    const running = [jobs, pods].map((informer) => informer.run({ signal: stop.signal }));
    await Promise.all([jobs.whenSynced(), pods.whenSynced()]);

    const names = jobNames(300);
    const path = `/apis/batch/v1/namespaces/${namespace}/jobs`;
    const kubelet = new Kubelet(access, { namespace, plan: thirds });
    await forEach(names, (name) => createJob(access, namespace, name));
    await eventually("200 Jobs have ended, half of them failed", async () => {
      const ends = ((await access.raw.get(path)).items ?? []).map(endOf);
      return (
        ends.filter((end) => end === "Complete").length === 100 && ends.filter((end) => end === "Failed").length === 100
      );
    });
    const deleted = names.filter((_, index) => index % 2 === 0);
    await forEach(deleted, (name) => access.raw.delete(`${path}/${name}`, background));
    const podPath = `/api/v1/namespaces/${namespace}/pods`;
    await eventually("the pods of the deleted Jobs are gone", async () => {
      return Object.keys(await serverVersions(access, podPath)).length === 150;
    });
    await kubelet.stop();

    await eventually("both caches equal a fresh list", async () => {
      expect(versionsOf(jobs.lister.list())).toEqual(await serverVersions(access, path));
      expect(versionsOf(pods.lister.list())).toEqual(await serverVersions(access, podPath));
      return true;
    });
    expect(jobs.lister.list()).toHaveLength(150);
    expect(deleted.map((name) => last.get(name))).toEqual(deleted.map(() => "delete"));
    stop.abort();
    await Promise.all(running);
  });
});
