import { expect, it } from "vitest";
import type { JobsAnswer } from "../../src/http/index.ts";
import { genericParent } from "../../src/jobs/index.ts";
import { apiVersionOf, defineResource, resources } from "../../src/resources/index.ts";
import { EmbeddedCluster } from "../../src/testing/index.ts";
import { startSidecar } from "./rig.ts";

const others = defineResource({ group: "batch.volcano.sh", version: "v1alpha1", kind: "Job", resource: "jobs" });

it("a kind of another group with the plural and kind of Jobs is counted by itself", async () => {
  await using cluster = await EmbeddedCluster.start();
  cluster.register(others);
  const lastTransitionTime = new Date(cluster.clock.now()).toISOString();
  const statusOf = (type: string): object => ({ conditions: [{ type, status: "True", lastTransitionTime }] });
  const { uid } = cluster.objects.create(others, {
    metadata: { name: "train", namespace: "shop" },
    status: statusOf("Ready"),
  }).metadata;
  const owner = { apiVersion: apiVersionOf(others), kind: "Job", name: "train", uid, controller: true };
  cluster.objects.create(resources.jobs, {
    metadata: { name: "train-1", namespace: "shop", ownerReferences: [owner] },
    spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "a:1" }] } } },
    status: statusOf("Failed"),
  });
  await using sidecar = await startSidecar(cluster, { parents: [genericParent({ ...others, namespaced: true })] });
  await cluster.settle({ advance: 3_600_000 });
  const { objects, healthy, findings } = await sidecar.json<JobsAnswer>("/api/v1/jobs");
  expect(findings.map(({ object }) => `${object.apiVersion} ${object.kind} ${object.name}`)).toEqual([
    "batch.volcano.sh/v1alpha1 Job train",
  ]);
  expect(objects).toMatchObject({ jobs: 1, "jobs.batch.volcano.sh": 1 });
  expect(healthy).toBe(1);
});
