import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { ExchangeRequest, Transport } from "../../src/base/index.ts";
import { KubeClient } from "../../src/kube/index.ts";
import { type KubeObject, type Resource, resources } from "../../src/resources/index.ts";
import { EmbeddedCluster, simulateJobs } from "../../src/testing/index.ts";
import { call } from "./client.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

/** Strikes one media type from what the client accepts. */
function without(type: string, transport: Transport): Transport {
  return {
    exchange(request: ExchangeRequest) {
      const accept = (request.headers["accept"] ?? "").split(",").filter((range) => !range.includes(type));
      return transport.exchange({ ...request, headers: { ...request.headers, accept: accept.join(",") } });
    },
    close: () => transport.close(),
  };
}

async function listed<T extends KubeObject>(client: KubeClient, resource: Resource<T>): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const page of client.list(resource)) items.push(...page.items);
  return items;
}

async function busyCluster(): Promise<EmbeddedCluster> {
  const cluster = await EmbeddedCluster.start();
  simulateJobs(cluster);
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox:1" }] } };
  const fates = ["succeeds 2s", "fails 1s", "runs-on", "image-pull-fails", "unschedulable", "over-quota"];
  for (const fate of fates) {
    const metadata = {
      name: fate.replace(" ", "-"),
      annotations: { "simulation.stalewatch/fate": fate, "with/unicode": "Zürich → 東京", "with/nothing": "" },
      finalizers: ["contract.test/hold"],
    };
    const spec = { template, completions: 200_000, backoffLimit: 0, activeDeadlineSeconds: 3_000_000_000 };
    cluster.objects.create(resources.jobs, { metadata, spec: fate === "succeeds 2s" ? { template } : spec });
  }
  cluster.objects.create(resources.jobs, { metadata: { name: "bare" }, spec: { template, suspend: true } });
  const schedule = { schedule: "*/5 * * * *", jobTemplate: { spec: { template } }, startingDeadlineSeconds: 0 };
  cluster.objects.create(resources.cronJobs, { metadata: { name: "nightly" }, spec: schedule });
  const lease = { renewTime: "2026-01-01T00:00:00.123456Z", leaseTransitions: 0, holderIdentity: "" };
  cluster.objects.create(resources.leases, { metadata: { name: "lease" }, spec: lease });
  cluster.objects.create(resources.configMaps, { metadata: { name: "map" }, data: { a: "1", "": "empty" } });
  await cluster.settle({ advance: 20_000 });
  return cluster;
}

describe("both wire formats carry the same objects", () => {
  test.each(Object.values(resources).map((resource) => [resource.kind, resource as Resource] as const))(
    "%s",
    async (_, resource) => {
      await using cluster = await busyCluster();
      const { clock } = cluster;
      const transport = cluster.transport();
      const protobuf = new KubeClient({ transport: without("application/json", transport), env: { clock } });
      const json = new KubeClient({ transport: without("protobuf", transport), env: { clock } });
      const fromProtobuf = await listed(protobuf, resource);
      expect(fromProtobuf.length).toBeGreaterThan(0);
      expect(fromProtobuf).toEqual(await listed(json, resource));
    },
  );

  test("watch events, bookmarks and errors too", async () => {
    await using cluster = await busyCluster();
    const { clock } = cluster;
    const seen: unknown[][] = [];
    for (const type of ["application/json", "protobuf"]) {
      const client = new KubeClient({ transport: without(type, cluster.transport()), env: { clock } });
      const events: unknown[] = [];
      const aborter = new AbortController();
      const read = async (): Promise<void> => {
        const options = { resourceVersion: "", sendInitialEvents: true, timeoutSeconds: 300, signal: aborter.signal };
        for await (const batch of client.watch(resources.pods, options)) events.push(...batch);
      };
      const end = read().catch((error: unknown) => events.push((error as { code: string }).code));
      await cluster.settle();
      cluster.faults.expire(resources.pods);
      await cluster.settle();
      await end;
      seen.push(events);
    }
    expect(seen[0]?.length).toBeGreaterThan(4);
    expect(seen[0]).toEqual(seen[1]);
    expect(seen[0]?.at(-1)).toBe("API_EXPIRED");
  });
});

test("a list of many objects comes in pieces that are whole together", async () => {
  await using cluster = await EmbeddedCluster.start();
  for (let count = 0; count < 1_001; count += 1) {
    cluster.objects.create(resources.configMaps, { metadata: { name: `c${count}` } });
  }
  const { clock } = cluster;
  const transport = cluster.transport();
  expect((await call(transport, "GET", CONFIG_MAPS)).body.items).toHaveLength(1_001);
  const client = new KubeClient({ transport: without("application/json", transport), env: { clock } });
  expect(await listed(client, resources.configMaps)).toHaveLength(1_001);
});

test("whatever a client sends, it gets an answer", async () => {
  await using cluster = await EmbeddedCluster.start();
  const transport = cluster.transport();
  const json = fc.oneof(fc.json(), fc.string());
  const nearly = fc.record(
    { metadata: fc.jsonValue(), spec: fc.jsonValue(), status: fc.jsonValue() },
    { requiredKeys: [] },
  );
  const meta = fc.record({
    metadata: fc.record({
      name: fc.constantFrom("a", "b"),
      labels: fc.jsonValue(),
      finalizers: fc.jsonValue(),
      ownerReferences: fc.jsonValue(),
    }),
  });
  const body = fc.oneof(
    json,
    nearly.map((value) => JSON.stringify(value)),
    meta.map((value) => JSON.stringify(value)),
  );
  const target = fc.constantFrom<[ExchangeRequest["method"], string][]>(
    ["POST", CONFIG_MAPS],
    ["PUT", `${CONFIG_MAPS}/a`],
    ["PATCH", `${CONFIG_MAPS}/a`],
    ["DELETE", `${CONFIG_MAPS}/b`],
    ["POST", "/apis/batch/v1/namespaces/default/jobs"],
    ["PATCH", "/apis/batch/v1/namespaces/default/jobs/j/status"],
    ["POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"],
  );
  const type = fc.constantFrom(
    "application/json",
    "application/merge-patch+json",
    "application/json-patch+json",
    "application/strategic-merge-patch+json",
  );
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] } };
  await fc.assert(
    fc.asyncProperty(target, body, type, async ([method, path], text, contentType) => {
      for (const [kind, name] of [
        ["configMaps", "a"],
        ["configMaps", "b"],
        ["jobs", "j"],
      ] as const) {
        if (!cluster.objects.get(resources[kind], name)) {
          cluster.objects.create(resources[kind], { metadata: { name }, spec: { template } });
        }
      }
      const headers = { "content-type": contentType };
      const answer = await call(transport, method, path, text, headers);
      expect(answer.status).toBeLessThan(501);
      await cluster.settle();
    }),
    { numRuns: 1_000 },
  );
});

test("the kubeconfig points at the port", async () => {
  await using cluster = await EmbeddedCluster.start({ http: true });
  const config = parse(cluster.kubeconfig()) as { clusters: [{ cluster: { server: string } }] };
  expect(config.clusters[0].cluster.server).toBe(cluster.url);
});

test("a watch cut in mid-frame breaks the socket too, and the server goes on", async () => {
  await using cluster = await EmbeddedCluster.start({ http: true });
  const response = await fetch(`${cluster.url}${CONFIG_MAPS}?watch=1`);
  cluster.faults.cutMidFrame(resources.configMaps);
  cluster.objects.create(resources.configMaps, { metadata: { name: "a" } });
  await expect(response.text()).rejects.toThrow();
  expect((await fetch(`${cluster.url}${CONFIG_MAPS}`)).status).toBe(200);
});

test("after a client has gone its watch is gone", async () => {
  await using cluster = await EmbeddedCluster.start({ http: true });
  const aborter = new AbortController();
  await fetch(`${cluster.url}${CONFIG_MAPS}?watch=1`, { signal: aborter.signal });
  expect(cluster.openWatches(resources.configMaps)).toBe(1);
  aborter.abort();
  await expect.poll(() => cluster.openWatches(resources.configMaps)).toBe(0);
});
