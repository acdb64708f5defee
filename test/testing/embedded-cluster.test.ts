import { describe, expect, test } from "vitest";
import { resources } from "../../src/resources/index.ts";
import { EmbeddedCluster, simulateJobs, StatusError, VirtualClock } from "../../src/testing/index.ts";
import { call, readFrames, startWatch } from "./client.ts";

const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const { configMaps, jobs, pods } = resources;
const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] } };

describe("objects and requests share one store", () => {
  test("what a test creates, a request lists", async () => {
    await using cluster = await EmbeddedCluster.start();
    cluster.objects.create(configMaps, { metadata: { name: "a" }, data: { k: "v" } });
    const { status, body } = await call(cluster.transport(), "GET", CONFIG_MAPS);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      kind: "ConfigMapList",
      metadata: { resourceVersion: cluster.currentVersion() },
      items: [{ metadata: { name: "a", namespace: "default" }, data: { k: "v" } }],
    });
  });

  test("what a request creates, a test reads", async () => {
    await using cluster = await EmbeddedCluster.start();
    const { status } = await call(cluster.transport(), "POST", JOBS, { metadata: { name: "j" }, spec: { template } });
    expect(status).toBe(201);
    expect(cluster.objects.get(jobs, "j")).toMatchObject({ spec: { backoffLimit: 6, parallelism: 1 } });
  });

  test("what a test does, watches see", async () => {
    await using cluster = await EmbeddedCluster.start();
    const from = cluster.currentVersion();
    const watch = await startWatch(cluster.transport(), `${CONFIG_MAPS}?watch=1&resourceVersion=${from}`);
    cluster.objects.create(configMaps, { metadata: { name: "a" } });
    cluster.objects.patch(configMaps, "a", { data: { k: "v" } });
    cluster.objects.delete(configMaps, "a");
    await cluster.settle();
    expect(watch.frames.map(({ type }) => type)).toEqual(["ADDED", "MODIFIED", "DELETED"]);
  });
});

describe("objects", () => {
  test("come out as copies", async () => {
    await using cluster = await EmbeddedCluster.start();
    const made = cluster.objects.create(configMaps, { metadata: { name: "a" }, data: { k: "v" } });
    made.data = { k: "changed" };
    expect(cluster.objects.get(configMaps, "a")?.data).toEqual({ k: "v" });
  });

  test("may be what no request could write: a status at once, any namespace, an impossible spec", async () => {
    await using cluster = await EmbeddedCluster.start();
    cluster.objects.create(jobs, { metadata: { name: "a", namespace: "new" }, status: { active: 3 } });
    expect(cluster.objects.get(jobs, "new/a")?.status).toEqual({ active: 3 });
    expect(cluster.objects.get({ group: "", resource: "namespaces" }, "new")).toBeDefined();
  });

  test("update gives a copy to change; writing spec and status together counts as a new generation", async () => {
    await using cluster = await EmbeddedCluster.start();
    cluster.objects.create(jobs, { metadata: { name: "a" }, spec: { template } });
    cluster.objects.update(jobs, "a", (job) => {
      job.spec.suspend = true;
      job.status.active = 1;
    });
    expect(cluster.objects.get(jobs, "a")).toMatchObject({
      metadata: { generation: 2 },
      spec: { suspend: true },
      status: { active: 1 },
    });
  });

  test("a pod on a node is deleted with its grace, or at once if that is asked", async () => {
    await using cluster = await EmbeddedCluster.start();
    for (const name of ["a", "b"]) cluster.objects.create(pods, { metadata: { name }, spec: { nodeName: "n" } });
    cluster.objects.delete(pods, "a");
    cluster.objects.delete(pods, "b", { gracePeriodSeconds: 0 });
    expect(cluster.objects.list(pods).map(({ metadata }) => metadata.name)).toEqual(["a"]);
  });

  test("what is not there is a 404 to whoever changes it, and undefined to whoever reads", async () => {
    await using cluster = await EmbeddedCluster.start();
    expect(cluster.objects.get(jobs, "nope")).toBeUndefined();
    expect(() => cluster.objects.patch(jobs, "nope", {})).toThrow(StatusError);
    expect(() => cluster.objects.delete(jobs, "nope")).toThrow('jobs.batch "nope" not found');
  });

  test("of a kind that is not served: an error with the remedy, until it is registered", async () => {
    await using cluster = await EmbeddedCluster.start();
    const widgets = { group: "example.com", version: "v1", kind: "Widget", resource: "widgets" };
    expect(() => cluster.objects.list(widgets)).toThrow("register() it first");
    cluster.register(widgets);
    cluster.objects.create(widgets, { metadata: { name: "w" } });
    const { body } = await call(cluster.transport(), "GET", "/apis/example.com/v1/widgets");
    expect(body.items).toMatchObject([{ kind: "Widget", apiVersion: "example.com/v1", metadata: { name: "w" } }]);
  });
});

describe("settle", () => {
  test("time moves only inside it", async () => {
    const clock = new VirtualClock();
    await using cluster = await EmbeddedCluster.start({ clock });
    const before = clock.monotonic();
    await cluster.settle();
    expect(clock.monotonic()).toBe(before);
    await cluster.settle({ advance: 5_000 });
    expect(clock.monotonic()).toBe(before + 5_000);
  });

  test("returns only when a reader that works on its bytes has come back", async () => {
    await using cluster = await EmbeddedCluster.start();
    cluster.objects.create(configMaps, { metadata: { name: "a" } });
    let done = false;
    const work = async (): Promise<void> => {
      const response = await cluster
        .transport()
        .exchange({ method: "GET", path: CONFIG_MAPS, headers: {}, pool: "requests" });
      for await (const _ of response.body) {
        for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      }
      done = true;
    };
    void work();
    await cluster.settle();
    expect(done).toBe(true);
  });

  test("with sockets it waits for quiet", async () => {
    await using cluster = await EmbeddedCluster.start({ http: true });
    const watch = await fetch(`${cluster.url}${CONFIG_MAPS}?watch=1`);
    const frames: unknown[] = [];
    void (async () => {
      for await (const chunk of watch.body as AsyncIterable<Uint8Array>) frames.push(chunk);
    })().catch(() => {}); // The cluster's end breaks it.
    cluster.objects.create(configMaps, { metadata: { name: "a" } });
    await cluster.settle();
    expect(frames).toHaveLength(1);
  });
});

async function someJobs(): Promise<unknown> {
  await using cluster = await EmbeddedCluster.start();
  simulateJobs(cluster);
  cluster.objects.create(jobs, { metadata: { generateName: "j-" }, spec: { template, parallelism: 3 } });
  await cluster.settle({ advance: 60_000 });
  return [cluster.objects.list(jobs), cluster.objects.list(pods), cluster.objects.list(resources.events)];
}

test("runs repeat: the same program gives the same uids and versions", async () => {
  expect(await someJobs()).toEqual(await someJobs());
});

test("nothing is left running after the end", async () => {
  const clock = new VirtualClock();
  {
    await using cluster = await EmbeddedCluster.start({ clock });
    const stop = simulateJobs(cluster);
    cluster.objects.create(jobs, { metadata: { name: "a" }, spec: { template, activeDeadlineSeconds: 1_000 } });
    const watch = await startWatch(cluster.transport(), `${JOBS}?watch=1&allowWatchBookmarks=true`);
    await cluster.settle({ advance: 2_000 });
    expect(watch.frames.length).toBeGreaterThan(1);
    stop();
  }
  await clock.advance(0);
  expect(clock.waitingTimers).toBe(0);
});

test("serves the same over a socket", async () => {
  await using cluster = await EmbeddedCluster.start({ http: true });
  cluster.objects.create(configMaps, { metadata: { name: "a" } });
  const direct = await call(cluster.transport(), "GET", CONFIG_MAPS);
  const response = await fetch(`${cluster.url}${CONFIG_MAPS}`);
  expect(await response.json()).toEqual(direct.body);
  const watch = await fetch(`${cluster.url}${CONFIG_MAPS}?watch=1&timeoutSeconds=1`);
  const frames = await readFrames(watch.body as AsyncIterable<Uint8Array>);
  expect(frames.map(({ type }) => type)).toEqual(["ADDED"]);
});
