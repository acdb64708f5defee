import { createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Transport } from "../../src/base/index.ts";
import { Controller } from "../../src/controller/index.ts";
import type { CachesAnswer, IntervalsAnswer, JobsAnswer, QueuesAnswer } from "../../src/http/index.ts";
import { defineResource, resources } from "../../src/resources/index.ts";
import { Sidecar } from "../../src/sidecar/index.ts";
import { EmbeddedCluster, simulateJobs } from "../../src/testing/index.ts";
import { freePorts, optionsFor, type Rig, startSidecar } from "./rig.ts";

const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "registry.example/a:1" }] } };
const widgets = defineResource({ group: "example.com", version: "v1", kind: "Widget", resource: "widgets" });

let cluster: EmbeddedCluster;
beforeEach(async () => {
  cluster = await EmbeddedCluster.start();
});
afterEach(() => cluster[Symbol.asyncDispose]());

function addJob(name: string, namespace = "shop"): void {
  cluster.objects.create(resources.jobs, { metadata: { name, namespace }, spec: { template } });
}

/** How often a kind was looked for and not there. */
async function failedLists(sidecar: Rig, resource: string): Promise<number> {
  const { body } = await sidecar.get("metrics", "/metrics");
  const labels = `resource="${resource}",reason="not_found"`;
  return Number(new RegExp(`^stalewatch_list_failures_total\\{.*${labels}\\} (\\d+)$`, "m").exec(body)?.[1]);
}

/** The transport, and everything that came over it. */
function recorded(transport: Transport): { transport: Transport; received: () => string } {
  const chunks: Uint8Array[] = [];
  async function* noting(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      chunks.push(chunk);
      yield chunk;
    }
  }
  return {
    transport: {
      exchange: async (request) => {
        const answer = await transport.exchange(request);
        return { ...answer, body: noting(answer.body) };
      },
      close: () => transport.close(),
    },
    received: () => Buffer.concat(chunks).toString(),
  };
}

describe("a sidecar", () => {
  it("tells what is cached, queued and stuck", async () => {
    addJob("export-1");
    await using sidecar = await startSidecar(cluster);
    await cluster.settle({ advance: 90_000 });
    const { caches } = await sidecar.json<CachesAnswer>("/api/v1/caches");
    expect(caches.map(({ group, resource, informer }) => [group, resource, informer?.objects])).toEqual([
      ["batch", "jobs", 1],
      ["", "pods", 0],
      ["batch", "cronjobs", 0],
      ["coordination.k8s.io", "leases", 0],
    ]);
    expect(caches[0]).toMatchObject({
      target: "self",
      name: "stalewatch",
      storeResourceVersion: cluster.currentVersion(),
      state: "fresh",
      lagMinSeconds: 0,
      eventsBehind: 0,
      confirmedBy: "probe",
    });
    const { controllers } = await sidecar.json<QueuesAnswer>("/api/v1/queues");
    expect(controllers.map(({ controller }) => controller)).toEqual([
      "jobs",
      "pods",
      "cronjobs",
      "leases",
      "workloads",
    ]);
    expect(controllers[0]).toMatchObject({ controller: "jobs", totals: { depth: 0, processing: 0, waiting: 1 } });
    expect(controllers[0]?.waiting[0]).toMatchObject({
      key: "shop/export-1",
      interval: "EvidenceRefresh",
      dueInSeconds: 30,
    });
    const [intervals] = (await sidecar.json<IntervalsAnswer>("/api/v1/intervals")).controllers;
    expect(intervals).toMatchObject({
      controller: "jobs",
      rescues: { resync: 0, requeue: 0 },
      totals: { waiting: 1 },
      waiting: controllers[0]?.waiting,
    });
    expect(intervals?.intervals.find(({ name }) => name === "StuckJobAge")).toMatchObject({
      sort: "schedule",
      seconds: 60,
      source: "compiled in",
      requeues: { asked: 2, fired: 2, superseded: 0, dropped: 0, waiting: 0 },
    });
    const jobs = await sidecar.json<JobsAnswer>("/api/v1/jobs");
    expect(jobs).toMatchObject({ objects: { jobs: 1, pods: 0 }, healthy: 0 });
    expect(jobs.findings[0]).toMatchObject({ kind: "S01", state: "stuck", ageSeconds: 90 });
    const { body } = await sidecar.get("metrics", "/metrics");
    expect(body).toContain('stalewatch_stuck_objects{kind="S01",reason="StatusEmpty",namespace="shop"} 1');
    expect(body).toMatch(/^stalewatch_build_info\{version="1\.2\.3",/m);
  });

  it("counts what is only watched as healthy, and lists it for ?all", async () => {
    addJob("young");
    await using sidecar = await startSidecar(cluster);
    expect(await sidecar.json<JobsAnswer>("/api/v1/jobs")).toMatchObject({ healthy: 1, findings: [] });
    expect(await sidecar.json<JobsAnswer>("/api/v1/jobs?all")).toMatchObject({
      healthy: 1,
      findings: [{ state: "watching" }],
    });
  });

  it("caches only the pods that Jobs have made", async () => {
    const stopJobs = simulateJobs(cluster);
    addJob("export-1");
    cluster.objects.create(resources.pods, {
      metadata: { name: "web", namespace: "shop" },
      spec: { containers: [{ name: "web", image: "registry.example/web:1" }] },
    });
    await using sidecar = await startSidecar(cluster);
    await cluster.settle({ advance: 1_000 });
    expect(await sidecar.json<JobsAnswer>("/api/v1/jobs")).toMatchObject({ objects: { jobs: 1, pods: 1 }, healthy: 1 });
    stopJobs();
  });

  it("counts a Job once, also when a controller beside it keeps a cache of some Jobs", async () => {
    const scope = { labelSelector: "app=shop" };
    const beside = new Controller("beside", { for: { resource: resources.jobs, scope }, reconcile: () => {} });
    for (const app of ["shop", "bank"]) {
      cluster.objects.create(resources.jobs, { metadata: { name: `of-${app}`, labels: { app } }, spec: {} });
    }
    await using sidecar = await startSidecar(cluster, { controllers: [beside] });
    expect((await sidecar.json<JobsAnswer>("/api/v1/jobs")).objects["jobs"]).toBe(2);
    const { caches } = await sidecar.json<CachesAnswer>("/api/v1/caches");
    const ofJobs = caches.filter(({ resource }) => resource === "jobs");
    expect(ofJobs.map(({ name, informer }) => [name, informer?.objects])).toEqual([
      ["stalewatch", 2],
      ["controllers", 1],
    ]);
  });

  it("watches the namespaces it is told to, each on its own", async () => {
    for (const namespace of ["shop", "bank", "other"]) addJob("export-1", namespace);
    cluster.forbid({ resource: "pods", namespace: "bank" });
    await using sidecar = await startSidecar(cluster, { namespaces: ["shop", "bank"] });
    await cluster.settle({ advance: 90_000 });
    const { controllers } = await sidecar.json<QueuesAnswer>("/api/v1/queues");
    const names = controllers.map(({ controller }) => controller);
    expect(names.filter((name) => name.startsWith("jobs"))).toEqual(["jobs-shop", "jobs-bank"]);
    const { objects, findings } = await sidecar.json<JobsAnswer>("/api/v1/jobs");
    expect(objects["jobs"]).toBe(2);
    expect(findings.map(({ object }) => object.namespace)).toEqual(["shop"]);
  });

  it.each([
    { namespaces: [], names: { jobs: ["stalewatch"], pods: ["stalewatch", "stalewatch:metadata"] } },
    { namespaces: ["shop"], names: { jobs: ["stalewatch"], pods: ["stalewatch", "stalewatch:metadata"] } },
    {
      namespaces: ["shop", "bank"],
      names: {
        jobs: ["stalewatch-shop", "stalewatch-bank"],
        pods: ["stalewatch-shop", "stalewatch-bank", "stalewatch-shop:metadata", "stalewatch-bank:metadata"],
      },
    },
  ])("names the caches of the namespaces $namespaces", async ({ namespaces, names }) => {
    const watch = [{ group: "", version: "v1", resource: "pods" }];
    await using sidecar = await startSidecar(cluster, { namespaces, watch });
    const { caches } = await sidecar.json<CachesAnswer>("/api/v1/caches");
    const namesOf = (plural: string): string[] =>
      caches.filter(({ resource }) => resource === plural).map(({ name }) => name);
    expect({ jobs: namesOf("jobs"), pods: namesOf("pods") }).toEqual(names);
    const { body } = await sidecar.get("metrics", "/metrics");
    expect([...body.matchAll(/^store_resource_version\{/gm)]).toHaveLength(caches.length);
  });

  it("keeps caches of further kinds, of which only the metadata travels", async () => {
    cluster.register(widgets);
    cluster.objects.create(widgets, { metadata: { name: "w", namespace: "shop" }, spec: { password: "swordfish" } });
    const { transport, received } = recorded(cluster.transport());
    const watch = [
      { group: "example.com", version: "v1", resource: "widgets" },
      { group: "batch", version: "v1", resource: "jobs" }, // cached anyway, once
    ];
    await using sidecar = await startSidecar(cluster, { cluster: { server: "embedded", transport }, watch });
    cluster.objects.patch(widgets, "shop/w", { spec: { password: "marlin" } });
    await cluster.settle();
    const { caches } = await sidecar.json<CachesAnswer>("/api/v1/caches");
    expect(caches.map(({ resource, informer }) => [resource, informer?.objects])).toEqual([
      ["jobs", 0],
      ["pods", 0],
      ["cronjobs", 0],
      ["leases", 0],
      ["widgets", 1],
    ]);
    const version = cluster.objects.get(widgets, "shop/w")?.metadata.resourceVersion;
    expect((await sidecar.get("metrics", "/metrics")).body).toMatch(
      new RegExp(`^store_resource_version\\{.*resource="widgets"\\} ${version}$`, "m"),
    );
    expect(received()).toContain('"name":"w"');
    expect(received()).not.toMatch(/swordfish|marlin/);
  });

  it("writes nothing to the cluster", async () => {
    addJob("export-1");
    const version = cluster.currentVersion();
    await using _sidecar = await startSidecar(cluster);
    await cluster.settle({ advance: 600_000 });
    expect(cluster.currentVersion()).toBe(version);
  });

  it("stops in order and leaves nothing open", async () => {
    const sidecar = await startSidecar(cluster);
    expect(cluster.openWatches()).toBe(8); // those of the caches and those beside them
    await sidecar.stop();
    expect(cluster.openWatches()).toBe(0);
    for (const listener of ["metrics", "health", "status"] as const) {
      await expect(sidecar.get(listener, "/")).rejects.toThrow("fetch failed");
    }
  });
});

describe("readiness", () => {
  it("waits for the first lists, while the process is alive and serves", async () => {
    cluster.faults.unreachable(true);
    await using sidecar = await startSidecar(cluster);
    expect(await sidecar.get("health", "/healthz")).toEqual({ status: 200, body: "ok\n" });
    const early = await sidecar.get("health", "/readyz");
    expect(early.status).toBe(500);
    expect(early.body).toMatch(/^\[-\]cache-jobs\.v1\.batch failed: not filled yet, backing-off: .*ECONNREFUSED/m);
    cluster.faults.unreachable(false);
    await cluster.settle({ advance: 60_000 });
    expect(await sidecar.get("health", "/readyz")).toEqual({ status: 200, body: "ok\n" });
  });

  it("does not wait longer than two minutes", async () => {
    cluster.faults.unreachable(true);
    await using sidecar = await startSidecar(cluster);
    await cluster.settle({ advance: 119_000 });
    expect((await sidecar.get("health", "/readyz")).status).toBe(500);
    await cluster.settle({ advance: 1_000 });
    const late = await sidecar.get("health", "/readyz?verbose");
    expect(late.status).toBe(200);
    expect(late.body).toMatch(/^\[\+\]cache-jobs\.v1\.batch ok: not filled yet, /m);
  });

  it("never fails for a cache that trails, and says why", async () => {
    await using sidecar = await startSidecar(cluster);
    cluster.faults.unreachable(true);
    await cluster.settle({ advance: 60_000 });
    const degraded = await sidecar.get("health", "/readyz?verbose");
    expect(degraded.status).toBe(200);
    expect(degraded.body).toMatch(/^\[\+\]cache-pods\.v1 ok: degraded, .*ECONNREFUSED/m);
    cluster.faults.unreachable(false);
    await cluster.settle({ advance: 90_000 });
    expect((await sidecar.get("health", "/readyz?verbose")).body).toMatch(/^\[\+\]cache-pods\.v1 ok$/m);
  });
});

async function leads(sidecar: Rig): Promise<string | undefined> {
  const { body } = await sidecar.get("metrics", "/metrics");
  return /^leader_election_master_status\{name="stalewatch"\} (\d)$/m.exec(body)?.[1];
}

describe("with an election", () => {
  const lease = { namespace: "default", name: "stalewatch" };
  const leaderElection = { lease };
  it("one of two leads; both measure, serve and are ready; the other follows when it stops", async () => {
    addJob("export-1");
    const first = await startSidecar(cluster, { leaderElection });
    await using second = await startSidecar(cluster, { leaderElection });
    await cluster.settle({ advance: 90_000 });
    expect([await leads(first), await leads(second)]).toEqual(["1", "0"]);
    for (const sidecar of [first, second]) {
      expect((await sidecar.get("health", "/readyz")).status).toBe(200);
      expect((await sidecar.json<JobsAnswer>("/api/v1/jobs")).findings).toHaveLength(1);
    }
    await first.stop();
    await cluster.settle({ advance: 4_400 });
    expect(await leads(second)).toBe("1");
    expect(cluster.objects.get(resources.leases, lease)?.spec.leaseTransitions).toBe(1);
  });

  it("a lost lease ends the sidecar; an outage ends none that has no lease to lose", async () => {
    const first = await startSidecar(cluster, { leaderElection });
    const other = await startSidecar(cluster);
    cluster.faults.unreachable(true);
    const lost = expect(first.stopped).rejects.toMatchObject({ code: "LEADERSHIP_LOST" });
    await cluster.settle({ advance: 12_000 });
    await lost;
    await expect(first.get("health", "/healthz")).rejects.toThrow("fetch failed");
    expect((await other.get("health", "/healthz")).status).toBe(200);
    cluster.faults.unreachable(false);
    await other.stop();
  });
});

describe("bad input", () => {
  it.each([
    ["list and watch", {}],
    ["watch", { verb: "watch" }],
  ])("a forbidden %s costs that cache alone, and one line names the rule", async (_, denial) => {
    const allow = cluster.forbid({ ...denial, resource: "pods" });
    await using sidecar = await startSidecar(cluster);
    const rule = 'apiGroups: [""], resources: ["pods"], verbs: ["list", "watch"]';
    const lines = sidecar.lines.filter(({ level }) => level === "warn").map(({ fields }) => String(fields["error"]));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toMatch(/^[^\n]+$/);
    expect(lines[0]).toContain(rule);
    expect((await sidecar.get("health", "/readyz?verbose")).body).toContain(rule);
    const { caches } = await sidecar.json<CachesAnswer>("/api/v1/caches");
    expect(caches.find(({ resource }) => resource === "jobs")?.informer?.synced).toBe(true);
    allow();
    await cluster.settle({ advance: 120_000 });
    expect((await sidecar.get("health", "/readyz")).status).toBe(200);
  });

  it("a kind that the server lacks is told once, with the nearest right one, and cached when it comes", async () => {
    const watch = [
      { group: "example.com", version: "v1", resource: "widgets" },
      { group: "batch", version: "v1", resource: "cronjbos" },
    ];
    await using sidecar = await startSidecar(cluster, { watch });
    await cluster.settle({ advance: 120_000 });
    const told = sidecar.lines.filter(({ message }) => message === "a kind of --watch is not cached");
    expect(told.map(({ fields }) => fields["why"])).toEqual([
      "the API server does not serve widgets.v1.example.com: install it",
      "the API server does not serve cronjbos.v1.batch: did you mean batch/v1/cronjobs?",
    ]);
    const ready = await sidecar.get("health", "/readyz?verbose");
    expect(ready.status).toBe(200);
    expect(ready.body).toContain("[+]cache-cronjbos.v1.batch ok: the API server does not serve cronjbos.v1.batch");
    expect(await failedLists(sidecar, "widgets")).toBe(5);
    cluster.register(widgets);
    await cluster.settle({ advance: 30_000 });
    expect(await failedLists(sidecar, "widgets")).toBe(5);
    expect(await failedLists(sidecar, "cronjbos")).toBe(6);
    const { caches } = await sidecar.json<CachesAnswer>("/api/v1/caches");
    expect(caches.map(({ resource }) => resource)).toContain("widgets");
  });

  it("a port in use ends it at once, and nothing of it stays open", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const { port } = taken.address() as { port: number };
    const { options, lines } = optionsFor(cluster, { listen: { ...freePorts, status: `127.0.0.1:${port}` } });
    const sidecar = new Sidecar(options);
    await expect(sidecar.run({ signal: new AbortController().signal })).rejects.toMatchObject({
      code: "ADDRESS_IN_USE",
      message: `--status-bind-address: another process listens on 127.0.0.1:${port}: stop it, choose another port, or port 0 for a free one`,
    });
    await expect(sidecar.whenListening()).rejects.toMatchObject({ code: "ADDRESS_IN_USE" });
    const metrics = lines.find(({ fields }) => fields["listener"] === "metrics");
    await expect(fetch(String(metrics?.fields["url"]))).rejects.toThrow("fetch failed");
    expect(cluster.openWatches()).toBe(0);
    taken.close();
  });

  it.each([
    [{ listen: { ...freePorts, metrics: "0.0.0.0:0" } }, "ADDRESS_NOT_LOOPBACK", /--metrics-secure=false$/],
    [{ listen: { ...freePorts, health: "8081" } }, "BAD_ADDRESS", /^--health-probe-bind-address: "8081"/],
    [
      { featureGates: "StaleControllerConsistencyJobs=false" },
      "BAD_FEATURE_GATE",
      /did you mean StaleControllerConsistencyJob\?$/,
    ],
  ])("%j is refused before anything is served", async (more, code, message) => {
    const sidecar = new Sidecar(optionsFor(cluster, more).options);
    const failed = sidecar.run({ signal: new AbortController().signal });
    await expect(failed).rejects.toMatchObject({ code, message: expect.stringMatching(message) as string });
    expect(cluster.openWatches()).toBe(0);
  });

  it("metrics go out in plain HTTP to anywhere when the user says so", async () => {
    const listen = { ...freePorts, metrics: "0.0.0.0:0" };
    await using sidecar = await startSidecar(cluster, { listen, metricsSecure: false });
    expect((await sidecar.get("metrics", "/metrics")).status).toBe(200);
  });
});
