import { describe, expect, expectTypeOf, it } from "vitest";
import { isAlreadyExists, isConflict, isNotFound, KubeClient, type Live } from "../../src/kube/index.ts";
import { type Job, resources } from "../../src/resources/index.ts";
import { EmbeddedCluster } from "../../src/testing/index.ts";

const { jobs } = resources;
const draft = {
  metadata: { name: "a", namespace: "default", labels: { app: "x" } },
  spec: { template: { spec: { containers: [{ name: "main", image: "i" }], restartPolicy: "Never" } } },
};

async function started(): Promise<{ cluster: EmbeddedCluster; client: KubeClient }> {
  const cluster = await EmbeddedCluster.start();
  return { cluster, client: new KubeClient({ transport: cluster.transport(), env: { clock: cluster.clock } }) };
}

/** The one Job of the cluster, as caches get it. */
async function cachedJob(client: KubeClient): Promise<unknown> {
  for await (const { items } of client.list(jobs)) return items[0];
  return undefined;
}

describe("live objects", () => {
  it("have every field that the server sent, and can be changed and written back", async () => {
    const { cluster, client } = await started();
    await using _cluster = cluster;
    const created = await client.create(jobs, draft);
    expect(created).toMatchObject({ apiVersion: "batch/v1", kind: "Job", spec: draft.spec });
    const read = await client.get(jobs, { namespace: "default", name: "a" });
    read.spec.suspend = true;
    const updated = await client.update(jobs, read);
    expect(updated.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);
    updated.status.active = 3;
    const withStatus = await client.update(jobs, updated, { subresource: "status" });
    expect(withStatus).toMatchObject({ spec: { suspend: true, template: draft.spec.template }, status: { active: 3 } });
    await expect(client.update(jobs, read)).rejects.toSatisfy(isConflict);
  });

  it("are the only ones that update takes, at run time too", async () => {
    const { cluster, client } = await started();
    await using _cluster = cluster;
    await client.create(jobs, draft);
    const cached = (await cachedJob(client)) as Live<Job>;
    expect(cached).toMatchObject({ metadata: { name: "a" } });
    const refusal = { code: "NOT_LIVE", message: expect.stringMatching(/jobs\.v1\.batch.*patch it/) };
    await expect(client.update(jobs, cached)).rejects.toMatchObject(refusal);
    const live = await client.get(jobs, { namespace: "default", name: "a" });
    await expect(client.update(jobs, { ...live })).rejects.toMatchObject(refusal);
    await expect(client.update(jobs, structuredClone(live))).rejects.toMatchObject(refusal);
    await client.patch(jobs, cached.metadata, { type: "merge", body: { spec: { suspend: true } } });
    await expect(client.get(jobs, cached.metadata)).resolves.toMatchObject({ spec: { suspend: true } });
  });

  it("are told from others by the type checker", () => {
    expectTypeOf<Parameters<typeof KubeClient.prototype.update<Job>>[1]>().toEqualTypeOf<Live<Job>>();
    expectTypeOf<Job>().not.toExtend<Live<Job>>();
    expectTypeOf<Live<Job>>().toExtend<Job>();
    expectTypeOf<Awaited<ReturnType<typeof KubeClient.prototype.get<Job>>>>().toEqualTypeOf<Live<Job>>();
  });

  it("fail as the server says", async () => {
    const { cluster, client } = await started();
    await using _cluster = cluster;
    await expect(client.get(jobs, { namespace: "default", name: "a" })).rejects.toSatisfy(isNotFound);
    await client.create(jobs, draft);
    await expect(client.create(jobs, draft)).rejects.toSatisfy(isAlreadyExists);
    await expect(client.create(jobs, draft)).rejects.toMatchObject({
      code: "API_ALREADY_EXISTS",
      status: 409,
      resource: "jobs.v1.batch default/a",
      message: expect.stringContaining("create jobs.v1.batch default/a"),
    });
  });
});

describe("patch", () => {
  it("knows three types, the status, and a version that must still hold", async () => {
    const { cluster, client } = await started();
    await using _cluster = cluster;
    const { metadata } = await client.create(jobs, draft);
    const ref = { namespace: "default", name: "a" };
    const merged = await client.patch(jobs, ref, {
      type: "merge",
      body: { metadata: { labels: { app: null, b: "1" } } },
    });
    expect(merged.metadata.labels).toMatchObject({ b: "1" });
    expect(merged.metadata.labels).not.toHaveProperty("app");
    const json = { type: "json", body: [{ op: "replace", path: "/spec/suspend", value: true }] } as const;
    await client.patch(jobs, ref, { type: "merge", body: { spec: { suspend: false } } });
    expect((await client.patch(jobs, ref, json)).spec.suspend).toBe(true);
    const strategic = { type: "strategic", body: { metadata: { finalizers: ["x.test/y"] } } } as const;
    expect((await client.patch(jobs, ref, strategic)).metadata.finalizers).toEqual(["x.test/y"]);
    const status = { type: "merge", body: { status: { active: 2 } } } as const;
    expect((await client.patch(jobs, ref, status, { subresource: "status" })).status.active).toBe(2);

    const { resourceVersion } = metadata;
    await expect(client.patch(jobs, ref, status, { resourceVersion })).rejects.toSatisfy(isConflict);
    await expect(client.patch(jobs, ref, json, { resourceVersion })).rejects.toSatisfy(isConflict);
    const now = (await client.get(jobs, ref)).metadata.resourceVersion;
    const patched = await client.patch(jobs, ref, json, { resourceVersion: now });
    await expect(
      client.patch(jobs, ref, status, { resourceVersion: patched.metadata.resourceVersion }),
    ).resolves.toBeDefined();
  });
});

describe("delete", () => {
  it("tells whether the object is gone or stays for its finalizers", async () => {
    const { cluster, client } = await started();
    await using _cluster = cluster;
    const ref = { namespace: "default", name: "a" };
    await client.create(jobs, draft);
    await expect(client.delete(jobs, ref, { propagationPolicy: "Background" })).resolves.toBeUndefined();
    await client.create(jobs, { ...draft, metadata: { ...draft.metadata, finalizers: ["x.test/y"] } });
    const staying = await client.delete(jobs, ref, { propagationPolicy: "Background" });
    expect(staying?.metadata.deletionTimestamp).toBeDefined();
  });

  it("takes the uid and version that must hold", async () => {
    const { cluster, client } = await started();
    await using _cluster = cluster;
    const ref = { namespace: "default", name: "a" };
    const { metadata } = await client.create(jobs, draft);
    await expect(client.delete(jobs, ref, { uid: "another" })).rejects.toSatisfy(isConflict);
    await expect(client.delete(jobs, ref, { resourceVersion: "1" })).rejects.toSatisfy(isConflict);
    const { uid, resourceVersion } = metadata;
    await client.delete(jobs, ref, { uid, resourceVersion, propagationPolicy: "Background" });
    await expect(client.get(jobs, ref)).rejects.toSatisfy(isNotFound);
  });

  it("changes nothing on a dry run", async () => {
    const { cluster, client } = await started();
    await using _cluster = cluster;
    const ref = { namespace: "default", name: "a" };
    await client.create(jobs, draft);
    await client.delete(jobs, ref, { dryRun: true, propagationPolicy: "Background" });
    await expect(client.get(jobs, ref)).resolves.toBeDefined();
  });
});

describe("the server itself", () => {
  it("tells its version, what it serves, and what it would allow", async () => {
    const { cluster, client } = await started();
    await using _cluster = cluster;
    expect((await client.serverVersion()).gitVersion).toMatch(/^v1\./);
    const served = await client.discover();
    expect(served).toContainEqual({
      group: "batch",
      version: "v1",
      kind: "Job",
      resource: "jobs",
      namespaced: true,
      hasStatus: true,
      verbs: expect.arrayContaining(["list", "watch"]),
    });
    expect(served).toContainEqual(expect.objectContaining({ group: "", version: "v1", kind: "Pod" }));
    expect(served.filter(({ resource }) => resource.includes("/"))).toEqual([]);
    await expect(client.review({ verb: "list", group: "batch", resource: "jobs" })).resolves.toMatchObject({
      allowed: true,
    });
    await expect(client.review({ verb: "get", nonResourcePath: "/metrics" })).resolves.toMatchObject({ allowed: true });
  });
});
