import { type ClusterAccess, type Json, Kubelet, pause, type PodStep } from "../harness/index.ts";
import { type Life, lives } from "./lives.ts";

export const JOBS = 500;

/** Each Job has a successor after so long, whatever has become of it by then. */
const ROUND_SECONDS = 300;
/** In the first so many of them all are created, one after another. */
const SPREAD_SECONDS = 90;

/** The namespace of the load, and what is done to Jobs there. */
export class Place {
  readonly #access: ClusterAccess;
  readonly namespace: string;

  constructor(access: ClusterAccess, namespace: string) {
    this.#access = access;
    this.namespace = namespace;
  }

  create(resource: "jobs" | "cronjobs", object: object): Promise<Json> {
    return this.#access.raw.post(`/apis/batch/v1/namespaces/${this.namespace}/${resource}`, object);
  }

  patchJob(name: string, spec: object): Promise<Json> {
    return this.#access.raw.patch(this.#job(name), { spec });
  }

  deleteJob(name: string): Promise<Json> {
    return this.#access.raw.delete(this.#job(name), { propagationPolicy: "Foreground" });
  }

  async deletePods(job: string): Promise<void> {
    const pods = `/api/v1/namespaces/${this.namespace}/pods`;
    const { items = [] } = await this.#access.raw.get(`${pods}?labelSelector=batch.kubernetes.io/job-name=${job}`);
    await Promise.all(items.map(({ metadata: { name } }) => this.#access.raw.delete(`${pods}/${name}`)));
  }

  async jobs(): Promise<Json[]> {
    return (await this.#access.raw.get(`/apis/batch/v1/namespaces/${this.namespace}/jobs`)).items ?? [];
  }

  #job(name: string): string {
    return `/apis/batch/v1/namespaces/${this.namespace}/jobs/${name}`;
  }
}

/** Three CronJobs that fire each minute: runs that overlap, runs that fit, and runs of which each replaces the one before. */
const CRON_JOBS = [
  { concurrencyPolicy: "Allow", seconds: 80 },
  { concurrencyPolicy: "Forbid", seconds: 30 },
  { concurrencyPolicy: "Replace", seconds: 3_600 },
];

/** Lets the Jobs live in this namespace for so long. Fails when something that it does is refused. */
export async function load(access: ClusterAccess, place: Place, seconds: number): Promise<void> {
  await using _kubelet = new Kubelet(access, { namespace: place.namespace, plan: planner() });
  for (const { concurrencyPolicy, seconds: takes } of CRON_JOBS) {
    const name = concurrencyPolicy.toLowerCase();
    const spec = {
      schedule: "* * * * *",
      concurrencyPolicy,
      jobTemplate: { spec: jobSpec({}, { takes: String(takes) }) },
    };
    await place.create("cronjobs", { apiVersion: "batch/v1", kind: "CronJob", metadata: { name }, spec });
  }
  const started = performance.now();
  const done: Promise<unknown>[] = [];
  for (const { at, act } of deeds(seconds)) {
    await pause(Math.max(0, started + at * 1_000 - performance.now()));
    done.push(act(place));
  }
  await Promise.all(done);
  await pause(Math.max(0, started + seconds * 1_000 - performance.now()));
}

interface Deed {
  /** In seconds from the beginning. */
  readonly at: number;
  readonly act: (place: Place) => Promise<unknown>;
}

/** What is created and done, in order. The last round begins early enough to end. */
function deeds(seconds: number): readonly Deed[] {
  const all: Deed[] = [];
  for (let round = 0; round * ROUND_SECONDS < seconds; round += 1) {
    for (let index = 0; index < JOBS; index += 1) {
      const life = lives[index % lives.length] as Life;
      const job = `${life.name}-${index}-${round}`;
      const at = round * ROUND_SECONDS + (index * SPREAD_SECONDS) / JOBS;
      all.push({ at, act: (place) => place.create("jobs", jobOf(life, job, workSeconds(index))) });
      for (const { after, act } of life.acts ?? []) all.push({ at: at + after, act: (place) => act(place, job) });
    }
  }
  return all.toSorted((a, b) => a.at - b.at);
}

/** From 5 to 44. */
function workSeconds(index: number): number {
  return 5 + ((index * 7) % 40);
}

function jobOf({ name: life, spec = {}, pod = {} }: Life, name: string, seconds: number): object {
  const labels = { life, takes: String(seconds) };
  const limited = { ttlSecondsAfterFinished: 2 * ROUND_SECONDS, ...spec };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name, labels }, spec: jobSpec(limited, labels, pod) };
}

function jobSpec(spec: object, labels: object, pod: object = {}): object {
  const containers = [{ name: "main", image: "registry.example.com/main:1" }];
  const template = { metadata: { labels }, spec: { restartPolicy: "Never", containers, ...pod } };
  return { ...spec, template };
}

function planner(): (pod: Json) => readonly PodStep[] {
  const made = new Map<string, number>();
  return ({ metadata: { labels = {}, annotations = {} } }) => {
    const job = labels["batch.kubernetes.io/job-name"] ?? "";
    const before = made.get(job) ?? 0;
    made.set(job, before + 1);
    const seconds = Number(labels["takes"]);
    const index = annotations["batch.kubernetes.io/job-completion-index"] ?? "";
    const life = lives.find(({ name }) => name === labels["life"]);
    return life?.steps({ made: before, index, seconds }) ?? ["running", { seconds }, "succeeded"];
  };
}
