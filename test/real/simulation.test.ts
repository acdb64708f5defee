import { expect, test } from "vitest";
import { resources } from "../../src/resources/index.ts";
import { EmbeddedCluster, FATE_ANNOTATION, simulateJobs } from "../../src/testing/index.ts";
import {
  type ClusterAccess,
  clusterTools,
  describeReal,
  eventually,
  type Json,
  Kubelet,
  sharedCluster,
} from "./harness/index.ts";

const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] } };

/** Jobs by what becomes of their pods; the name's first word is the fate. */
const scenario: Readonly<Record<string, object>> = {
  "good-one": {},
  "good-many": { parallelism: 2, completions: 3 },
  "bad-at-once": { backoffLimit: 0 },
  "on-for-ever": { parallelism: 2 },
  "on-too-long": { activeDeadlineSeconds: 2 },
  "on-later": { suspend: true },
  "on-and-off": {},
};

const fateOf = (name: string): string => name.split("-", 1)[0] ?? "";

interface World {
  jobs(): Promise<Json[]>;
  events(): Promise<Json[]>;
  suspend(name: string, suspend: boolean): Promise<unknown>;
  until(what: string, check: () => Promise<boolean>): Promise<unknown>;
}

/** Times, generated names and uids differ between two clusters; nothing else may. */
function comparable(value: unknown, name: string): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "TIME")
    .replaceAll(new RegExp(`${name}-[a-z0-9]{5}\\b`, "g"), "POD");
  return JSON.parse(text) as unknown;
}

/** Lets the scenario run, suspends and resumes, and tells how every Job stands and what was said about it. */
async function play(world: World): Promise<Record<string, unknown>> {
  const statusOf = async (name: string): Promise<Json> => {
    const job = (await world.jobs()).find(({ metadata }) => metadata.name === name);
    return (job?.["status"] ?? {}) as Json;
  };
  const has = async (name: string, condition: string): Promise<boolean> => {
    const conditions = ((await statusOf(name))["conditions"] ?? []) as { type: string; status: string }[];
    return conditions.some(({ type, status }) => `${type}=${status}` === condition);
  };
  const ready = async (name: string, pods: number): Promise<boolean> => (await statusOf(name))["ready"] === pods;

  for (const name of ["good-one", "good-many"]) await world.until(`${name} ends`, () => has(name, "Complete=True"));
  for (const name of ["bad-at-once", "on-too-long"]) await world.until(`${name} fails`, () => has(name, "Failed=True"));
  await world.until("pods of on-for-ever", () => ready("on-for-ever", 2));
  await world.until("the pod of on-and-off", () => ready("on-and-off", 1));
  await world.suspend("on-and-off", true);
  await world.suspend("on-later", false);
  await world.until("on-and-off stands", async () => {
    return (await has("on-and-off", "Suspended=True")) && (await statusOf("on-and-off"))["terminating"] === 0;
  });
  await world.until("on-later runs", () => ready("on-later", 1));
  await world.suspend("on-and-off", false);
  await world.until("on-and-off runs again", () => ready("on-and-off", 1));

  const events = await world.events();
  const told = (await world.jobs()).map(({ metadata: { name }, ...job }) => {
    const about = events.filter(
      (event) => event["involvedObject"].kind === "Job" && event["involvedObject"].name === name,
    );
    const words = about.map(
      (event) => `${event["type"] as string} ${event["reason"] as string}: ${event["message"] as string}`,
    );
    return [name, comparable({ status: job["status"] as object, events: words.sort() }, name)];
  });
  return Object.fromEntries(told) as Record<string, unknown>;
}

async function playReal(cluster: ClusterAccess): Promise<Record<string, unknown>> {
  const namespace = await cluster.namespace("simulation");
  const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`;
  await using _kubelet = new Kubelet(cluster, {
    namespace,
    plan: ({ metadata }) => {
      const end = { good: ["succeeded" as const], bad: ["failed" as const] }[fateOf(metadata.name)] ?? [];
      return ["running", ...end];
    },
  });
  for (const [name, spec] of Object.entries(scenario)) {
    await cluster.raw.post(jobs, { metadata: { name }, spec: { template, ...spec } });
  }
  return await play({
    jobs: async () => (await cluster.raw.get(jobs)).items ?? [],
    events: async () => (await cluster.raw.get(`/api/v1/namespaces/${namespace}/events`)).items ?? [],
    suspend: (name, suspend) => cluster.raw.patch(`${jobs}/${name}`, { spec: { suspend } }),
    until: (what, check) => eventually(what, check),
  });
}

async function playSimulated(): Promise<Record<string, unknown>> {
  await using cluster = await EmbeddedCluster.start();
  simulateJobs(cluster);
  const fates: Readonly<Record<string, string>> = { good: "succeeds 1s", bad: "fails 1s", on: "runs-on" };
  for (const [name, spec] of Object.entries(scenario)) {
    const annotations = { [FATE_ANNOTATION]: fates[fateOf(name)] };
    cluster.objects.create(resources.jobs, { metadata: { name, annotations }, spec: { template, ...spec } });
  }
  return await play({
    jobs: () => Promise.resolve(cluster.objects.list(resources.jobs) as unknown as Json[]),
    events: () => Promise.resolve(cluster.objects.list(resources.events) as unknown as Json[]),
    suspend: (name, suspend) => Promise.resolve(cluster.objects.patch(resources.jobs, name, { spec: { suspend } })),
    async until(what, check) {
      for (let tries = 0; !(await check()); tries += 1) {
        if (tries > 600) throw new Error(`waited in vain: ${what}`);
        await cluster.settle({ advance: 100 });
      }
    },
  });
}

describeReal("simulated Jobs", clusterTools, () => {
  test("say the same as those of a real controller-manager: statuses, conditions and events", async () => {
    const real = await playReal(sharedCluster());
    expect(Object.keys(real).sort()).toEqual(Object.keys(scenario).sort());
    expect(await playSimulated()).toEqual(real);
  });
});
