import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import {
  type ClusterAccess,
  clusterTools,
  DelayingProxy,
  describeReal,
  eventually,
  Jaeger,
  type Json,
  Kubelet,
  lintMetrics,
  Prometheus,
  RawClient,
  RealCluster,
  sharedCluster,
} from "./harness/index.ts";
import { createJob, endOf } from "./jobs.ts";

/** What the other suites rely on: if one of these fails, look here first. */
describeReal("the harness", clusterTools, () => {
  test("serves the version that tools/real-components pins", async () => {
    const version = await sharedCluster().raw.get<{ gitVersion: string }>("/version");
    expect(version.gitVersion).toMatch(/^v1\.37\.\d+$/);
  });

  test("a played kubelet runs Jobs to their end", async () => {
    const cluster = sharedCluster();
    const namespace = await cluster.namespace("kubelet");
    await using _kubelet = new Kubelet(cluster, {
      namespace,
      plan: ({ metadata }) => (metadata.name.startsWith("bad-") ? ["running", "failed"] : ["running", "succeeded"]),
    });
    await createJob(cluster, namespace, "good");
    await createJob(cluster, namespace, "bad");
    const ended = async (name: string): Promise<string | undefined> =>
      endOf(await cluster.raw.get(`/apis/batch/v1/namespaces/${namespace}/jobs/${name}`));
    expect(await eventually("good ends", () => ended("good"))).toBe("Complete");
    expect(await eventually("bad ends", () => ended("bad"))).toBe("Failed");
  });

  test("the proxy delays, silences and cuts the watches of its kind only", async () => {
    const cluster = sharedCluster();
    const namespace = await cluster.namespace("proxy");
    await using proxy = await DelayingProxy.start(cluster, { resource: "jobs", delayMs: 1500 });
    const client = new RawClient(proxy.server, cluster.authority.ca.cert);
    const jobs = watchNames(client, `/apis/batch/v1/namespaces/${namespace}/jobs`);
    const leases = watchNames(client, `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`);

    await createLease(cluster, namespace, "first");
    await createJob(cluster, namespace, "first");
    const sent = performance.now();
    await eventually("the lease arrives", () => leases.names.includes("first"));
    expect(jobs.names).toEqual([]);
    await eventually("the job arrives", () => jobs.names.includes("first"), { everyMs: 10 });
    expect(performance.now() - sent).toBeGreaterThan(1400);

    proxy.delayMs = 0;
    proxy.halfOpen();
    await createJob(cluster, namespace, "second");
    await createLease(cluster, namespace, "second");
    await eventually("the lease arrives", () => leases.names.includes("second"));
    expect(jobs.names).not.toContain("second");
    proxy.cut();
    await jobs.ended;
    client.close();
    await leases.ended;
  });

  test("who has no right is refused, and a token may have expired", async () => {
    const cluster = sharedCluster();
    const namespace = await cluster.namespace("users");
    const ca = cluster.authority.ca.cert;
    const status = async (credentials: object, path: string): Promise<number> =>
      (await new RawClient(cluster.server, ca, credentials).exchange("GET", path)).status;
    const reader = await cluster.user("lease-reader", [
      { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["list"] },
    ]);
    expect(await status(reader, "/apis/coordination.k8s.io/v1/leases")).toBe(200);
    expect(await status(reader, "/apis/batch/v1/jobs")).toBe(403);
    const fresh = await cluster.serviceAccountToken(namespace, "fresh", 600);
    const expired = await cluster.serviceAccountToken(namespace, "expired", -600);
    expect(await status({ token: fresh }, "/apis/batch/v1/jobs")).toBe(403);
    expect(await status({ token: expired }, "/apis/batch/v1/jobs")).toBe(401);
  });
});

describeReal("a cluster of one's own", clusterTools, () => {
  test("comes back after a kill, without the history that was compacted meanwhile", async () => {
    await using cluster = await RealCluster.start({ controllerManager: false });
    const before = await cluster.version("/apis/batch/v1/jobs");
    await createLease(cluster, "default", "later");
    await cluster.killApiServer();
    await cluster.compactEtcd();
    await cluster.startApiServer();
    const watch = `/apis/batch/v1/jobs?watch=true&resourceVersion=${before}&timeoutSeconds=5`;
    const events: Json[] = [];
    for await (const { object } of cluster.raw.lines(watch, AbortSignal.timeout(10_000))) events.push(object);
    expect(events).toMatchObject([{ kind: "Status", code: 410 }]);
  });
});

describeReal("Jaeger", ["jaeger"], () => {
  test("takes OTLP and gives links back as references", async () => {
    await using jaeger = await Jaeger.start();
    const linked = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
    const span = {
      traceId: "5b8aa5a2d2c872e8321cf37308d69df2",
      spanId: "051581bf3cb55c13",
      name: "pass",
      kind: 5,
      startTimeUnixNano: `${Date.now()}000000`,
      endTimeUnixNano: `${Date.now() + 1}000000`,
      links: [linked],
    };
    const service = { attributes: [{ key: "service.name", value: { stringValue: "harness" } }] };
    await fetch(`${jaeger.endpoint}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ resourceSpans: [{ resource: service, scopeSpans: [{ spans: [span] }] }] }),
    });
    const spans = await eventually("the span arrives", async () => (await jaeger.spans("harness")).at(0));
    expect(spans.references).toMatchObject([
      { refType: "FOLLOWS_FROM", traceID: linked.traceId, spanID: linked.spanId },
    ]);
  });
});

describeReal("Prometheus", ["prometheus", "promtool"], () => {
  test("scrapes a page, answers queries and lints", async () => {
    const page = "# HELP things_total Things.\n# TYPE things_total counter\nthings_total 3\n";
    const server = createServer((_, response) => response.setHeader("content-type", "text/plain").end(page));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    await using prometheus = await Prometheus.start({ targets: [`127.0.0.1:${port}`] });
    const sample = await eventually("the scrape", async () => (await prometheus.query("things_total")).at(0));
    expect(sample.value[1]).toBe("3");
    await expect(prometheus.query("things_total(")).rejects.toThrow("parse error");
    server.close();
    expect(lintMetrics(page)).toBe("");
    expect(lintMetrics(page.replace("# HELP things_total Things.\n", ""))).toContain("no help text");
  });
});

interface Watched {
  readonly names: string[];
  readonly ended: Promise<void>;
}

function watchNames(client: RawClient, collection: string): Watched {
  const names: string[] = [];
  const follow = async (): Promise<void> => {
    const events = client.lines(`${collection}?watch=true`, new AbortController().signal);
    for await (const { object } of events) names.push(object.metadata.name);
  };
  return { names, ended: follow().catch(() => undefined) };
}

async function createLease(cluster: ClusterAccess, namespace: string, name: string): Promise<Json> {
  return cluster.raw.post(`/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`, {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name },
    spec: {},
  });
}
