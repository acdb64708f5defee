import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Transport } from "../../src/base/index.ts";
import type { CachesAnswer, DelayView, JobsAnswer } from "../../src/http/index.ts";
import { captfParents, genericParent } from "../../src/jobs/index.ts";
import { apiVersionOf, defineResource, type Resource, resources } from "../../src/resources/index.ts";
import { EmbeddedCluster } from "../../src/testing/index.ts";
import { type Rig, startSidecar } from "./rig.ts";

const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "registry.example/a:1" }] } };
const runs = defineResource({ group: "example.com", version: "v1", kind: "Run", resource: "runs" });
const MINUTE = 60_000;
const RULE = '{apiGroups: ["example.com"], resources: ["runs"], verbs: ["list", "watch"]}';

let cluster: EmbeddedCluster;
beforeEach(async () => {
  cluster = await EmbeddedCluster.start();
});
afterEach(() => cluster[Symbol.asyncDispose]());

function condition(type: string, status = "True"): object {
  return { type, status, lastTransitionTime: new Date(cluster.clock.now()).toISOString() };
}

interface Draft {
  namespace?: string;
  /** How its Job ended. */
  ends?: "Failed" | "Complete";
  controller?: boolean;
  apiVersion?: string;
  labels?: Record<string, string>;
}

/** An object that says Ready, and a Job of it. */
function addParent(kind: Resource, name: string, how: Draft = {}): void {
  const { ends = "Failed", controller = true, namespace = "shop", apiVersion = apiVersionOf(kind), labels = {} } = how;
  const place = kind.namespaced ? { namespace } : {};
  const status = { conditions: [condition("Ready")] };
  const draft = { metadata: { name, ...place }, status };
  const { uid } = cluster.objects.create(kind, draft).metadata;
  const ownerReferences = [{ apiVersion, kind: kind.kind, name, uid, controller }];
  addJob(`${name}-1`, { namespace, ownerReferences, labels }, ends);
}

function addJob(name: string, metadata: object, ends = "Failed"): void {
  const draft = { metadata: { namespace: "shop", ...metadata, name }, spec: { template } };
  cluster.objects.create(resources.jobs, { ...draft, status: { conditions: [condition(ends)] } });
}

function start(more: Parameters<typeof startSidecar>[1] = {}): Promise<Rig> {
  return startSidecar(cluster, { genericParents: true, ...more });
}

async function parentsIn(sidecar: Rig): Promise<readonly string[]> {
  const { findings } = await sidecar.json<JobsAnswer>("/api/v1/jobs?all");
  return findings
    .filter(({ object }) => object.kind !== "Job")
    .map(({ kind, object, reason }) => `${object.kind} ${object.name} ${kind} ${reason}`);
}

async function notesOf(sidecar: Rig): Promise<readonly string[]> {
  return (await sidecar.json<JobsAnswer>("/api/v1/jobs")).notes;
}

describe("a kind that is found to own Jobs", () => {
  it("is judged although it came after the sidecar, by another version than its Jobs name if need be", async () => {
    await using sidecar = await start();
    await cluster.settle({ advance: MINUTE });
    cluster.register(runs);
    addParent(runs, "export", { apiVersion: "example.com/v1alpha1" });
    await cluster.settle({ advance: 2_000 });
    expect(await parentsIn(sidecar)).toEqual(["Run export S36 ReadyButJobFailed"]);
    await cluster.settle({ advance: 5 * MINUTE });
    const { findings } = await sidecar.json<JobsAnswer>("/api/v1/jobs");
    expect(findings.find(({ object }) => object.kind === "Run")).toMatchObject({
      state: "stuck",
      owner: { name: "export" },
    });
    // Another object of the kind costs no further look.
    addParent(runs, "other");
    await cluster.settle();
    expect(await parentsIn(sidecar)).toHaveLength(2);
    // The cache's, and that of the head beside it.
    for (const kind of [runs, resources.jobs]) expect(cluster.openWatches(kind)).toBe(2);
  });

  it.each<[string, Draft, object]>([
    ["its Job is Complete", { ends: "Complete" }, {}],
    ["it does not control the Job", { controller: false }, {}],
    ["nobody asked for it", {}, { genericParents: false }],
  ])("is not found wrong where %s", async (_, draft, options) => {
    cluster.register(runs);
    addParent(runs, "export", draft);
    await using sidecar = await start(options);
    await cluster.settle({ advance: 10 * MINUTE });
    expect(await parentsIn(sidecar)).toEqual([]);
    expect(await notesOf(sidecar)).toEqual([]);
  });

  it("is told once with the rule to add where it may not be read, and judged when it may", async () => {
    cluster.register(runs);
    const allow = cluster.forbid({ resource: "runs" });
    addParent(runs, "export");
    await using sidecar = await start();
    await cluster.settle({ advance: 25 * MINUTE });
    const why = `Run.example.com owns Jobs and is not judged: may not list or watch runs.example.com: add to a ClusterRole: ${RULE}`;
    expect(await notesOf(sidecar)).toEqual([why]);
    expect(sidecar.lines.filter(({ fields }) => JSON.stringify(fields).includes("runs.example.com"))).toEqual([
      { level: "warn", message: "a kind that owns Jobs is not judged", fields: { why } },
    ]);
    allow();
    await cluster.settle({ advance: 10 * MINUTE });
    expect(await parentsIn(sidecar)).toEqual(["Run export S36 ReadyButJobFailed"]);
    expect(await notesOf(sidecar)).toEqual([]);
  });

  it("may be gone, come back and go again", async () => {
    const uid = "00000000-0000-4000-8000-000000000001";
    addJob("left", {
      ownerReferences: [{ apiVersion: "example.com/v1", kind: "Run", name: "export", uid, controller: true }],
    });
    await using sidecar = await start();
    await cluster.settle({ advance: 2_000 });
    expect(await notesOf(sidecar)).toEqual([
      "Run.example.com owns Jobs and is not judged: is not served by the API server",
    ]);
    cluster.register(runs);
    addParent(runs, "again");
    await cluster.settle({ advance: 10 * MINUTE });
    expect(await parentsIn(sidecar)).toEqual(["Run again S36 ReadyButJobFailed"]);
    cluster.objects.delete(runs, "shop/again");
    cluster.faults.failRequests({ match: { resource: "runs" }, status: 404 });
    cluster.faults.endWatches(runs);
    await cluster.settle({ advance: 10 * MINUTE });
    expect(await parentsIn(sidecar)).toEqual([]);
    addJob("after", {}, "Complete");
    await cluster.settle();
    expect((await sidecar.json<JobsAnswer>("/api/v1/jobs")).objects["jobs"]).toBe(2);
  });

  it("is looked for again soon when the API server could not be asked", async () => {
    cluster.register(runs);
    addParent(runs, "export");
    const transport = cluster.transport();
    let isDown = true;
    const exchange: Transport["exchange"] = (request) => {
      if (isDown && request.path === "/apis") throw new Error("no answer");
      return transport.exchange(request);
    };
    const server = { server: "embedded", transport: { exchange, close: () => transport.close() } };
    await using sidecar = await start({ cluster: server });
    await cluster.settle({ advance: 10_000 });
    expect(await notesOf(sidecar)).toEqual([expect.stringMatching(/^Run\.example\.com cannot be looked for: /)]);
    isDown = false;
    await cluster.settle({ advance: MINUTE });
    expect(await parentsIn(sidecar)).toEqual(["Run export S36 ReadyButJobFailed"]);
    expect(await notesOf(sidecar)).toEqual([]);
  });

  it("is one of twenty at most, whatever names references have", async () => {
    await using sidecar = await start();
    for (let index = 1; index <= 22; index += 1) {
      const plural = "x".repeat(index === 1 ? 63 : 1);
      const kind = { group: `g${index}.example.com`, version: "v1", kind: `K${index}`, resource: plural };
      cluster.register(kind);
      addParent(defineResource(kind), `p${index}`);
    }
    const uid = "00000000-0000-4000-8000-000000000001";
    for (const [index, apiVersion] of [
      "apps/v1",
      "v1",
      "coordination.k8s.io/v1",
      "a b.c/v1",
      "example.com/v1/x",
    ].entries()) {
      addJob(`odd-${index}`, { ownerReferences: [{ apiVersion, kind: "K", name: "x", uid, controller: true }] });
    }
    await cluster.settle({ advance: 10_000 });
    expect(await parentsIn(sidecar)).toHaveLength(20);
    expect(await notesOf(sidecar)).toEqual([
      expect.stringMatching(/^K21\.g21\.example\.com owns Jobs and is not judged: 20 other kinds are, and no more: /),
      expect.stringMatching(/^K22\.g22\.example\.com /),
    ]);
  });

  it("is judged in each namespace that is watched, unless it has none", async () => {
    const sites = defineResource({ ...runs, kind: "Site", resource: "sites", namespaced: false });
    cluster.register(runs);
    cluster.register(sites);
    addParent(sites, "site", { namespace: "bank" });
    for (const namespace of ["shop", "bank", "else"]) addParent(runs, `in-${namespace}`, { namespace });
    await using sidecar = await start({ namespaces: ["shop", "bank"] });
    await cluster.settle({ advance: 2_000 });
    expect((await parentsIn(sidecar)).toSorted()).toEqual([
      "Run in-bank S36 ReadyButJobFailed",
      "Run in-shop S36 ReadyButJobFailed",
    ]);
    expect(await notesOf(sidecar)).toEqual([
      "Site.example.com owns Jobs and is not judged: it has no namespace, and the Jobs of only some are watched",
    ]);
  });
});

describe("--parents beside --watch", () => {
  const watch = [{ group: "example.com", version: "v1", resource: "runs" }];

  it.each([
    { parents: [genericParent({ ...runs })], genericParents: false, names: ["stalewatch", "stalewatch:metadata"] },
    { parents: [], genericParents: true, names: ["stalewatch", "stalewatch:metadata"] },
    { parents: [], genericParents: false, names: ["stalewatch"] },
  ])("makes two caches of two names, and measures the kind once: $genericParents", async ({ names, ...parents }) => {
    cluster.register({ ...runs, subresources: ["status"] });
    addParent(runs, "export");
    await using sidecar = await startSidecar(cluster, { watch, ...parents });
    await cluster.settle({ advance: MINUTE });
    cluster.objects.patch(runs, "shop/export", { status: { observedGeneration: 1 } });
    await cluster.settle({ advance: MINUTE });
    cluster.objects.patch(runs, "shop/export", { spec: { wanted: 1 } });
    await cluster.settle({ advance: MINUTE });
    cluster.objects.patch(runs, "shop/export", { status: { observedGeneration: 2 } });
    await cluster.settle({ advance: MINUTE });
    const { caches, delays } = await sidecar.json<CachesAnswer & { delays: readonly DelayView[] }>("/api/v1/caches");
    expect(caches.flatMap(({ resource, name }) => (resource === "runs" ? [name] : [])).toSorted()).toEqual(names);
    expect(delays.find(({ resource }) => resource === "runs")).toMatchObject({
      delay: "observed_generation",
      count: 1,
    });
    const { body } = await sidecar.get("metrics", "/metrics");
    expect([...body.matchAll(/^store_resource_version\{/gm)]).toHaveLength(caches.length);
  });
});

describe("--parents captf", () => {
  it("judges all its kinds, also beside generic, each once", async () => {
    await using sidecar = await start({ parents: captfParents });
    for (const { resource } of captfParents) {
      cluster.register(resource);
      const kind = defineResource(resource);
      const label = "captf.infrastructure.cluster.x-k8s.io";
      const name = resource.kind.toLowerCase();
      addParent(kind, name, {
        labels: { [`${label}/owner-kind`]: resource.kind, [`${label}/owner-name`]: name, [`${label}/op`]: "apply" },
      });
    }
    await cluster.settle({ advance: 2 * MINUTE });
    expect((await parentsIn(sidecar)).toSorted()).toEqual([
      "TerraformCluster terraformcluster S36 ReadyButJobFailed",
      "TerraformMachine terraformmachine S36 ReadyButJobFailed",
      "TerraformMachinePool terraformmachinepool S36 ReadyButJobFailed",
    ]);
    for (const { resource } of captfParents) expect(cluster.openWatches(resource)).toBe(2);
  });
});
