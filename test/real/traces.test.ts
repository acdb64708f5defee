import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Controller, Manager } from "../../src/controller/index.ts";
import { startTracing, type Tracing } from "../../src/exposition/index.ts";
import { type Cluster, KubeClient, loadCluster } from "../../src/kube/index.ts";
import { resources } from "../../src/resources/index.ts";
import {
  type ClusterAccess,
  clusterTools,
  describeReal,
  eventually,
  Jaeger,
  type JaegerSpan,
  sharedCluster,
} from "./harness/index.ts";

const service = "traces-test";

describeReal("traces of passes on a real server, in a real backend", [...clusterTools, "jaeger"], () => {
  let access: ClusterAccess;
  let cluster: Cluster;
  let jaeger: Jaeger;
  let tracing: Tracing;

  beforeAll(async () => {
    access = sharedCluster();
    cluster = await loadCluster({ kubeconfig: access.kubeconfig() });
    jaeger = await Jaeger.start();
    vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", jaeger.endpoint);
    vi.stubEnv("OTEL_SERVICE_NAME", service);
    tracing = await startTracing();
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await cluster?.close();
    await jaeger?.[Symbol.asyncDispose]();
  });

  /** Three passes of one controller write the object of another, whose worker is busy with it: its next pass has three causes. */
  test("a pass started by three merged triggers links to the three passes that wrote", async () => {
    const namespace = await access.namespace("traces");
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const create = (name: string, role: string): Promise<unknown> =>
      access.raw.post(path, { apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels: { role } } });
    const selected = (role: string): object => ({ namespace, labelSelector: `role=${role}` });
    const first = Promise.withResolvers<void>();
    const writers: string[] = [];

    const writer = new Controller("writer", {
      for: { resource: resources.configMaps, scope: selected("writer") },
      async reconcile({ object, write, span }) {
        const data = { [object.metadata.name]: "wrote" };
        await write.patch(resources.configMaps, { namespace, name: "target" }, { type: "merge", body: { data } });
        writers.push(span.context?.spanId ?? "");
      },
    });
    const target = new Controller("target", {
      for: { resource: resources.configMaps, scope: selected("target") },
      async reconcile({ object, write }) {
        if (object.data === undefined) return first.promise;
        const annotations = { "example.com/seen": Object.keys(object.data).sort().join(".") };
        const body = { metadata: { annotations } };
        await write.patch(resources.configMaps, object.metadata, { type: "merge", body });
      },
    });

    await create("target", "target");
    const client = new KubeClient({ transport: cluster.transport });
    const stop = new AbortController();
    const manager = new Manager({ controllers: [writer, target], client, env: { tracer: tracing.tracer } });
    const running = manager.run({ signal: stop.signal });
    for (const name of ["a", "b", "c"]) await create(name, "writer");
    await eventually("all three have written", () => writers.length === 3);
    const written = (await access.raw.get(`${path}/target`)).metadata.resourceVersion;
    await eventually("the cache of the target has all three writes", () =>
      manager.status().caches.some(({ storeVersion }) => Number(storeVersion) >= Number(written)),
    );
    first.resolve();
    await eventually("the second pass has written", async () => {
      const { annotations } = (await access.raw.get(`${path}/target`)).metadata as { annotations?: object };
      return JSON.stringify(annotations ?? {}).includes("a.b.c");
    });
    stop.abort();
    await running;
    await tracing.stop(5_000);

    const pass = await eventually("the pass arrives in Jaeger", async () =>
      (await jaeger.spans(service)).find(
        (span) => span.operationName === "target reconcile" && linksOf(span).length === 3,
      ),
    );
    expect(linksOf(pass).sort()).toEqual(writers.sort());
    const passes = (await jaeger.spans(service)).filter((span) => span.operationName === "writer reconcile");
    expect(passes.map(({ spanID }) => spanID).sort()).toEqual(writers);
    expect(new Set(passes.map(({ traceID }) => traceID)).size).toBe(3);
  });
});

function linksOf(span: JaegerSpan): string[] {
  return span.references.filter(({ refType }) => refType === "FOLLOWS_FROM").map(({ spanID }) => spanID);
}
