import { eventually, type Json, type RealCluster } from "../harness/index.ts";

/** A node that answers, and one that does not any more. */
export const WORKER = "worker-1";
export const LOST_WORKER = "worker-2";

/** A namespace of one scenario, what it has its cluster do there, and what it reports as scheduler and kubelet. */
export class Place {
  readonly cluster: RealCluster;
  readonly namespace: string;

  private constructor(cluster: RealCluster, namespace: string) {
    this.cluster = cluster;
    this.namespace = namespace;
  }

  /** Resolves once pods may be made there. */
  static async make(cluster: RealCluster, namespace: string): Promise<Place> {
    const place = new Place(cluster, namespace);
    await cluster.raw.post("/api/v1/namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace },
    });
    await eventually(`the default ServiceAccount of ${namespace}`, async () => {
      const { status } = await cluster.raw.exchange("GET", `${place.core}/serviceaccounts/default`);
      return status === 200;
    });
    return place;
  }

  get core(): string {
    return `/api/v1/namespaces/${this.namespace}`;
  }

  get batch(): string {
    return `/apis/batch/v1/namespaces/${this.namespace}`;
  }

  /** The Job `job` with one pod at a time, whose grace is a second. `template` is of the pod. */
  createJob(spec: object = {}, { name = "job", metadata = {}, template = {} }: JobParts = {}): Promise<Json> {
    const job = { apiVersion: "batch/v1", kind: "Job", metadata: { name, ...metadata }, spec: jobSpec(spec, template) };
    return this.cluster.raw.post(`${this.batch}/jobs`, job);
  }

  createCronJob(spec: object): Promise<Json> {
    return this.cluster.raw.post(`${this.batch}/cronjobs`, {
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata: { name: "cronjob" },
      spec: { jobTemplate: { spec: jobSpec({}, {}) }, ...spec },
    });
  }

  /** As it may lie there from a time when nobody validated that: today's API server refuses it. */
  async storeInvalid(spec: object): Promise<void> {
    const cronJob = await this.createCronJob({ schedule: "0 3 * * *" });
    const invalid = { ...cronJob, spec: { ...cronJob["spec"], ...spec } };
    const { status } = await this.cluster.raw.exchange("PUT", `${this.batch}/cronjobs/cronjob`, invalid);
    if (status !== 422) throw new Error(`the API server does not refuse ${JSON.stringify(spec)}: ${status}`);
    await this.cluster.writeToEtcd(`cronjobs/${this.namespace}/cronjob`, invalid);
  }

  job(name = "job"): Promise<Json> {
    return this.cluster.raw.get(`${this.batch}/jobs/${name}`);
  }

  cronJob(): Promise<Json> {
    return this.cluster.raw.get(`${this.batch}/cronjobs/cronjob`);
  }

  /** What the API holds of the Job says so. */
  async untilJob(what: string, holds: (job: Json) => unknown): Promise<void> {
    await eventually(`in ${this.namespace}: ${what}`, async () => Boolean(holds(await this.job())));
  }

  /** The oldest first. */
  async pods(): Promise<Json[]> {
    const { items = [] } = await this.cluster.raw.get(`${this.core}/pods`);
    return items.toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
  }

  /** Its pods once the Job controller has made so many. */
  podsMade(count: number): Promise<Json[]> {
    return eventually(`${count} pods in ${this.namespace}`, async () => {
      const pods = await this.pods();
      return pods.length >= count && pods;
    });
  }

  async podMade(): Promise<Json> {
    const [pod] = await this.podsMade(1);
    return pod as Json;
  }

  /** As the scheduler does. */
  async bind({ metadata: { name } }: Json, node: string = WORKER): Promise<void> {
    const target = { apiVersion: "v1", kind: "Node", name: node };
    await this.cluster.raw.post(`${this.core}/pods/${name}/binding`, {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name },
      target,
    });
  }

  /** As the kubelet does, or the scheduler of a pod that it cannot place. */
  report({ metadata: { name } }: Json, status: object): Promise<Json> {
    return this.cluster.raw.patch(`${this.core}/pods/${name}/status`, { status });
  }

  /** A new pod, placed and running. */
  async start(pod: Json, node: string = WORKER): Promise<void> {
    await this.bind(pod, node);
    await this.report(pod, podStatus("Running", { main: running() }));
  }

  end(pod: Json, phase: "Succeeded" | "Failed" = "Succeeded"): Promise<Json> {
    return this.report(pod, podStatus(phase, { main: ended(phase === "Succeeded" ? 0 : 1) }));
  }

  /** With its grace period, so that a pod on a node stays until its kubelet lets go. */
  async evict({ metadata: { name } }: Json): Promise<void> {
    await this.cluster.raw.delete(`${this.core}/pods/${name}`);
  }

  deleteJob(propagationPolicy: "Background" | "Foreground" | "Orphan", name = "job"): Promise<Json> {
    return this.cluster.raw.delete(`${this.batch}/jobs/${name}`, { propagationPolicy });
  }

  async events(reason: string): Promise<Json[]> {
    const { items = [] } = await this.cluster.raw.get(`${this.core}/events`);
    return items.filter((event) => event["reason"] === reason);
  }
}

interface JobParts {
  readonly name?: string;
  readonly metadata?: object;
  readonly template?: { readonly metadata?: object; readonly spec?: object };
}

function jobSpec(spec: object, template: { readonly metadata?: object; readonly spec?: object }): object {
  const containers = [{ name: "main", image: "registry.example.com/main:1" }];
  const pod = { restartPolicy: "Never", terminationGracePeriodSeconds: 1, containers, ...template.spec };
  return { ...spec, template: { ...template, spec: pod } };
}

/** As the API server writes times. */
export function timestamp(ms: number = Date.now()): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

interface PodStatus {
  readonly phase: string;
  readonly startTime: string;
  readonly containerStatuses: readonly object[];
}

/** What a kubelet reports of a pod, by the states of its containers. */
export function podStatus(phase: string, containers: Readonly<Record<string, object>>): PodStatus {
  const startTime = timestamp();
  return { phase, startTime, containerStatuses: Object.entries(containers).map(containerStatus) };
}

/** `state` may bring more fields of the status with it. */
export function containerStatus([name, state]: readonly [string, object]): object {
  return { name, image: "registry.example.com/main:1", imageID: "", restartCount: 0, ready: false, ...state };
}

export function running(): object {
  return { state: { running: { startedAt: timestamp() } } };
}

export function waiting(reason: string, message: string): object {
  return { state: { waiting: { reason, message } } };
}

export function ended(exitCode: number): { readonly state: object } {
  const at = timestamp();
  const reason = exitCode === 0 ? "Completed" : "Error";
  return { state: { terminated: { exitCode, reason, startedAt: at, finishedAt: at } } };
}

/** The scheduler's word on a pod that fits nowhere. */
export function unplaced(message: string): object {
  const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message };
  return { conditions: [{ ...condition, lastTransitionTime: timestamp() }] };
}

/** The time in a condition of a Job or a pod. */
export function transitionOf(object: Json, type: string): string {
  const conditions = (object["status"].conditions ?? []) as {
    type: string;
    status: string;
    lastTransitionTime: string;
  }[];
  return conditions.find((condition) => condition.type === type)?.lastTransitionTime ?? "";
}
