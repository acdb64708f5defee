import { describe, expect, test } from "vitest";
import { EmbeddedCluster, VirtualClock } from "../../src/testing/index.ts";
import { resources } from "../../src/resources/index.ts";
import { call, readFrames, startWatch } from "./client.ts";

const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

describe("objects and requests share one store", () => {
  test("what a test creates, a request lists", async () => {
    await using cluster = await EmbeddedCluster.start();
    cluster.objects.create(resources.configMaps, { metadata: { name: "a" }, data: { k: "v" } });
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
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] } };
    const { status } = await call(cluster.transport(), "POST", JOBS, { metadata: { name: "j" }, spec: { template } });
    expect(status).toBe(201);
    expect(cluster.objects.get(resources.jobs, "j")).toMatchObject({ spec: { backoffLimit: 6, parallelism: 1 } });
  });
});

describe("watching", () => {
  test("delivers changes after the version asked for, in order", async () => {
    await using cluster = await EmbeddedCluster.start();
    const from = cluster.currentVersion();
    const watch = await startWatch(cluster.transport(), `${CONFIG_MAPS}?watch=1&resourceVersion=${from}`);
    cluster.objects.create(resources.configMaps, { metadata: { name: "a" } });
    cluster.objects.patch(resources.configMaps, "a", { data: { k: "v" } });
    cluster.objects.delete(resources.configMaps, "a");
    await cluster.settle();
    expect(watch.frames.map(({ type }) => type)).toEqual(["ADDED", "MODIFIED", "DELETED"]);
  });
});

test("time moves only inside settle", async () => {
  const clock = new VirtualClock();
  await using cluster = await EmbeddedCluster.start({ clock });
  const before = clock.monotonic();
  await cluster.settle();
  expect(clock.monotonic()).toBe(before);
  await cluster.settle({ advance: 5_000 });
  expect(clock.monotonic()).toBe(before + 5_000);
});

test("serves the same over a socket", async () => {
  await using cluster = await EmbeddedCluster.start({ http: true });
  cluster.objects.create(resources.configMaps, { metadata: { name: "a" } });
  const direct = await call(cluster.transport(), "GET", CONFIG_MAPS);
  const response = await fetch(`${cluster.url}${CONFIG_MAPS}`);
  expect(await response.json()).toEqual(direct.body);
  const watch = await fetch(`${cluster.url}${CONFIG_MAPS}?watch=1&timeoutSeconds=1`);
  const frames = await readFrames(watch.body as AsyncIterable<Uint8Array>);
  expect(frames.map(({ type }) => type)).toEqual(["ADDED"]);
});
