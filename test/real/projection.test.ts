import { afterAll, beforeAll, expect, test } from "vitest";
import type { ExchangeRequest, Transport } from "../../src/base/index.ts";
import { type Cluster, KubeClient, loadCluster } from "../../src/kube/index.ts";
import { type Job, type KubeObject, keyOf, type Resource, resources } from "../../src/resources/index.ts";
import { type ClusterAccess, clusterTools, describeReal, eventually, Kubelet, sharedCluster } from "./harness/index.ts";
import { createVariedObjects, jobNames, planOf } from "./varied-objects.ts";

type Wire = "protobuf" | "json";
type ByKey = Record<string, unknown>;

const inThree = { completionMode: "Indexed", completions: 3, parallelism: 3 };

/** What the API server says of Jobs that have ended, beside what all of them have. */
const ends = [
  { name: "succeeded-one", counts: { succeeded: 1 }, outcomes: ["SuccessCriteriaMet", "Complete"] },
  { name: "failed-one", counts: { failed: 1 }, outcomes: ["FailureTarget", "Failed"], spec: { backoffLimit: 0 } },
  {
    name: "succeeded-indexed",
    counts: { succeeded: 3, completedIndexes: "0-2" },
    outcomes: ["SuccessCriteriaMet", "Complete"],
    spec: inThree,
  },
  {
    name: "failed-indexed",
    counts: { failed: 3, failedIndexes: "0-2" },
    outcomes: ["FailureTarget", "Failed"],
    spec: { ...inThree, backoffLimit: 2_147_483_647, backoffLimitPerIndex: 0 },
  },
];

/** Both wires must give the same projected objects, and nothing that the server did not say. */
describeReal("projection from a real server", clusterTools, () => {
  let access: ClusterAccess;
  let cluster: Cluster;
  let namespace: string;

  beforeAll(async () => {
    access = sharedCluster();
    cluster = await loadCluster({ kubeconfig: access.kubeconfig() });
    namespace = await access.namespace("projection");
    await using _kubelet = new Kubelet(access, { namespace, plan: planOf });
    await createVariedObjects(access, namespace);
    await eventually("the Jobs have come to rest", async () => {
      const { items = [] } = await access.raw.get(`/apis/batch/v1/namespaces/${namespace}/jobs`);
      return items.every((job) => atRest(job.metadata.name, job["status"]));
    });
  });

  afterAll(async () => {
    await cluster?.close();
  });

  test("the corpus has at least 40 Jobs that differ", () => {
    expect(jobNames.length).toBeGreaterThanOrEqual(40);
    expect(new Set(jobNames).size).toBe(jobNames.length);
  });

  const kinds: { kind: string; resource: Resource; group: string; least: number }[] = [
    { kind: "Job", resource: resources.jobs, group: "apis/batch/v1", least: jobNames.length },
    { kind: "Pod", resource: resources.pods, group: "api/v1", least: 20 },
    { kind: "CronJob", resource: resources.cronJobs, group: "apis/batch/v1", least: 4 },
    { kind: "Lease", resource: resources.leases, group: "apis/coordination.k8s.io/v1", least: 5 },
    { kind: "Event", resource: resources.events, group: "api/v1", least: 3 },
    { kind: "ConfigMap", resource: resources.configMaps, group: "api/v1", least: 1 },
  ];

  test.each(kinds)("$kind", async ({ resource, group, least }) => {
    const raw = await access.raw.get(`/${group}/namespaces/${namespace}/${resource.resource}`);
    const version = raw.metadata.resourceVersion;
    const expected: ByKey = {};
    for (const item of raw.items ?? []) expected[keyOf(item.metadata)] = item;
    expect(Object.keys(expected).length).toBeGreaterThanOrEqual(least);

    for (const read of [listed, watched]) {
      const protobuf = await read(over(cluster.transport, "protobuf"), resource, namespace, version);
      const json = await read(over(cluster.transport, "json"), resource, namespace, version);
      expect(protobuf).toEqual(json);
      expect(Object.keys(json).sort()).toEqual(Object.keys(expected).sort());
      expect(expected).toMatchObject(withoutEmpties(json) as ByKey);
    }
  });

  /** Of a field that both wires forget, no comparison of the two would tell. */
  test.each(ends)("the end of $name is told in full", async ({ name, counts, outcomes, ...more }) => {
    for (const wire of ["protobuf", "json"] as const) {
      const found = await watched(over(cluster.transport, wire), resources.jobs, namespace);
      const { metadata, spec, status } = found[`${namespace}/${name}`] as Job;
      const named = ["name", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp", "labels"];
      expect(Object.keys(metadata)).toEqual(named);
      const limits = { backoffLimit: 6, suspend: false, podReplacementPolicy: "TerminatingOrFailed" };
      expect(spec).toEqual({ ...limits, completionMode: "NonIndexed", parallelism: 1, completions: 1, ...more.spec });
      const { conditions = [], startTime, completionTime, uncountedTerminatedPods, ...rest } = status;
      expect(conditions.map(({ type }) => type)).toEqual(outcomes);
      for (const condition of conditions) {
        expect(Object.keys(condition)).toEqual(["type", "status", "lastTransitionTime", "reason", "message"]);
      }
      expect(startTime).toMatch(/^\d{4}-.*Z$/);
      expect(completionTime !== undefined).toBe(outcomes.includes("Complete"));
      expect(uncountedTerminatedPods).toEqual({});
      expect(rest).toEqual({ terminating: 0, ready: 0, ...counts });
    }
  });
});

function atRest(name: string, status: { conditions?: { type: string }[]; active?: number; ready?: number }): boolean {
  const ended = (status.conditions ?? []).some(({ type }) => type === "Complete" || type === "Failed");
  if (name.startsWith("succeeded-") || name.startsWith("failed-")) return ended;
  if (name === "running-three") return status.ready === 3;
  return name === "running-one" ? status.ready === 1 : true;
}

/** The same transport with one wire's word in Accept, and the promise that this wire was used. */
function over(transport: Transport, wire: Wire): Transport {
  return {
    ...transport,
    close: async () => undefined,
    async exchange(request: ExchangeRequest) {
      const watch = request.path.includes("watch=");
      const accept = { protobuf: "application/vnd.kubernetes.protobuf", json: "application/json" }[wire];
      const headers = { ...request.headers, accept: watch ? `${accept};stream=watch` : accept };
      const answer = await transport.exchange({ ...request, headers });
      expect(answer.headers["content-type"]).toContain(accept);
      return answer;
    },
  };
}

async function listed(transport: Transport, resource: Resource, namespace: string, version: string): Promise<ByKey> {
  const client = new KubeClient({ transport });
  const found: ByKey = {};
  const options = { namespace, resourceVersion: version, resourceVersionMatch: "Exact", limit: 7 } as const;
  for await (const page of client.list<KubeObject>(resource, options)) {
    for (const item of page.items) found[keyOf(item.metadata)] = item;
  }
  return found;
}

async function watched(transport: Transport, resource: Resource, namespace: string): Promise<ByKey> {
  const client = new KubeClient({ transport });
  const found: ByKey = {};
  const options = { namespace, resourceVersion: "", sendInitialEvents: true, timeoutSeconds: 30 };
  for await (const events of client.watch<KubeObject>(resource, options)) {
    for (const event of events) {
      if (event.type === "BOOKMARK" && event.initialEventsEnd) return found;
      if (event.type === "ADDED") found[keyOf(event.object.metadata)] = event.object;
      else throw new Error(`${event.type} instead of the present state`);
    }
  }
  throw new Error("the watch ended before the end of the initial events");
}

/** A projected object has `{}` where a required struct is zero; the server's JSON leaves such a field out. */
function withoutEmpties(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpties);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, field]) => [name, withoutEmpties(field)] as const);
  return Object.fromEntries(entries.filter(([, field]) => !isEmptyObject(field)));
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}
