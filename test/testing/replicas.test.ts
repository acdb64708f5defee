import { expect, test } from "vitest";
import { resources } from "../../src/resources/index.ts";
import { EmbeddedCluster, type Replica } from "../../src/testing/index.ts";
import { call, startWatch } from "./client.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const { configMaps } = resources;

async function twoServers(lagMs: number): Promise<EmbeddedCluster> {
  const cluster = await EmbeddedCluster.start({ replicas: 2 });
  (cluster.replicas[1] as Replica).lagMs = lagMs;
  // Once, so that both have seen the namespaces.
  await cluster.settle({ advance: lagMs });
  cluster.objects.create(configMaps, { metadata: { name: "a" } });
  return cluster;
}

const list = async (cluster: EmbeddedCluster, replica: number, query: string): Promise<number> => {
  const { body } = await call(cluster.transport({ replica }), "GET", `${CONFIG_MAPS}?${query}`);
  return (body.items as unknown[]).length;
};

test("a late server shows its own past to who accepts it", async () => {
  await using cluster = await twoServers(2_000);
  expect(await list(cluster, 0, "resourceVersion=0")).toBe(1);
  expect(await list(cluster, 1, "resourceVersion=0")).toBe(0);
  await cluster.settle({ advance: 2_000 });
  expect(await list(cluster, 1, "resourceVersion=0")).toBe(1);
});

test("its watches are as late as it is", async () => {
  await using cluster = await twoServers(2_000);
  const watch = await startWatch(cluster.transport({ replica: 1 }), `${CONFIG_MAPS}?watch=1&resourceVersion=0`);
  await cluster.settle({ advance: 1_999 });
  expect(watch.frames).toEqual([]);
  await cluster.settle({ advance: 1 });
  expect(watch.frames).toHaveLength(1);
});

test("a consistent read waits for it", async () => {
  await using cluster = await twoServers(2_000);
  let length: number | undefined;
  void list(cluster, 1, "").then((found) => (length = found));
  await cluster.settle({ advance: 1_900 });
  expect(length).toBeUndefined();
  await cluster.settle({ advance: 200 });
  expect(length).toBe(1);
});

test("later than three seconds, a consistent read is answered from the store, a version from the cache is 504", async () => {
  await using cluster = await twoServers(60_000);
  const version = cluster.currentVersion();
  let length: number | undefined;
  let status: number | undefined;
  void list(cluster, 1, "").then((found) => (length = found));
  void call(cluster.transport({ replica: 1 }), "GET", `${CONFIG_MAPS}?resourceVersion=${version}`).then(
    (answer) => (status = answer.status),
  );
  await cluster.settle({ advance: 3_100 });
  expect([length, status]).toEqual([1, 504]);
});

test("a client can be moved from one server to the other", async () => {
  await using cluster = await twoServers(60_000);
  let replica = 0;
  const transport = cluster.transport({ replica: () => replica });
  const count = async (): Promise<number> =>
    ((await call(transport, "GET", `${CONFIG_MAPS}?resourceVersion=0`)).body.items as unknown[]).length;
  expect(await count()).toBe(1);
  replica = 1;
  expect(await count()).toBe(0);
});

test("a write through either is seen by a consistent read through the other", async () => {
  await using cluster = await twoServers(1_000);
  const { status } = await call(cluster.transport({ replica: 1 }), "POST", CONFIG_MAPS, { metadata: { name: "b" } });
  expect(status).toBe(201);
  expect(await list(cluster, 0, "")).toBe(2);
});
