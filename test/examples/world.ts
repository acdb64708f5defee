import { controllerOf, isFinishedJob, type Job, resources } from "stalewatch";
import { EmbeddedCluster, type PodFate, simulateJobs, VirtualClock } from "stalewatch/testing";
import {
  APPROVED,
  inputsOf,
  OP,
  RUN,
  secrets,
  type TerraformRun,
  terraformRuns,
} from "../../examples/job-runner/terraform-run.ts";
import { watchForHarm } from "./harm.ts";

const { jobs, pods, configMaps, leases } = resources;
export const NAMESPACE = "infra";
/** Owns the runs. */
const ENVIRONMENT = { namespace: NAMESPACE, name: "environment" };

/** How a Job ends, and when. Asked once a Job. */
export type Fate = (op: string) => PodFate;

/** A cluster with TerraformRuns, somebody to run their Jobs, and a stand-in for Terraform that writes and deletes states. */
export class World implements AsyncDisposable {
  readonly clock: VirtualClock;
  readonly cluster: EmbeddedCluster;
  /** What was done that must never be done, as it happened. */
  readonly harm: readonly string[];
  /** The Jobs that were created, as "RUN OP", in order. */
  readonly started: string[] = [];
  fate: Fate = () => ({ end: "succeeds", afterMs: 2_000 });
  readonly #owner: { apiVersion: string; kind: string; name: string; uid: string };
  readonly #fates: Map<string, PodFate> = new Map();
  readonly #stopJobs: () => void;

  private constructor(clock: VirtualClock, cluster: EmbeddedCluster) {
    this.clock = clock;
    this.cluster = cluster;
    cluster.register({ ...terraformRuns, subresources: ["status"] });
    const { uid } = cluster.objects.create(configMaps, { metadata: ENVIRONMENT }).metadata;
    this.#owner = { apiVersion: "v1", kind: "ConfigMap", name: ENVIRONMENT.name, uid };
    this.harm = watchForHarm(this);
    cluster.objects.onChange(jobs, ({ type, object: { metadata } }) => {
      if (type === "ADDED") this.started.push(`${metadata.labels?.[RUN]} ${metadata.labels?.[OP]}`);
    });
    this.#playTerraform();
    this.#stopJobs = simulateJobs(cluster, { fate: (job) => this.#fateOf(job) });
  }

  static async start(): Promise<World> {
    const clock = new VirtualClock();
    return new World(clock, await EmbeddedCluster.start({ clock }));
  }

  create(name: string, spec: Partial<TerraformRun["spec"]> = {}, options: { owned?: boolean } = {}): void {
    const { owned = true } = options;
    this.cluster.objects.create(terraformRuns, {
      metadata: { namespace: NAMESPACE, name, ownerReferences: owned ? [this.#owner] : [] },
      spec: { image: "registry.example/terraform:v1", drift: { intervalSeconds: 0 }, ...spec },
    });
  }

  /** Somebody takes an ownerless run over. */
  adopt(name: string): void {
    this.change(name, { metadata: { ownerReferences: [this.#owner] } });
  }

  /** Merges into a run; nothing if there is none. */
  change(name: string, patch: object): void {
    if (this.run(name)) this.cluster.objects.patch(terraformRuns, `${NAMESPACE}/${name}`, patch);
  }

  approve(name: string): void {
    const run = this.run(name);
    if (run) this.change(name, { metadata: { annotations: { [APPROVED]: inputsOf(run) } } });
  }

  delete(name: string): void {
    if (this.run(name)) this.cluster.objects.delete(terraformRuns, `${NAMESPACE}/${name}`);
  }

  run(name: string): TerraformRun | undefined {
    return this.cluster.objects.get(terraformRuns, `${NAMESPACE}/${name}`);
  }

  runs(): TerraformRun[] {
    return this.cluster.objects.list(terraformRuns);
  }

  /** Reason of the condition Ready. */
  reason(name: string): string | undefined {
    return this.run(name)?.status?.conditions?.find(({ type }) => type === "Ready")?.reason;
  }

  jobs(name?: string): Job[] {
    return this.cluster.objects.where(jobs, ({ metadata }) => name === undefined || metadata.labels?.[RUN] === name);
  }

  /** The Jobs of a run that are at work. */
  active(name: string): Job[] {
    return this.jobs(name).filter((job) => !isFinishedJob(job));
  }

  /** Who holds which lease, by the lease's name; "" for nobody. */
  holders(): Record<string, string> {
    const own = this.cluster.objects.list(leases, NAMESPACE);
    return Object.fromEntries(own.map(({ metadata, spec }) => [metadata.name, spec.holderIdentity ?? ""]));
  }

  hasState(name: string): boolean {
    return this.cluster.objects.get(secrets, `${NAMESPACE}/tfstate-default-${name}`) !== undefined;
  }

  /** Everything that matters, for people. */
  describe(): string {
    const runs = this.runs().map(({ metadata, spec, status }) =>
      JSON.stringify({ ...metadata, managedFields: 0, spec, status }),
    );
    const jobs = this.jobs().map(({ metadata, status }) =>
      JSON.stringify({ name: metadata.name, conditions: status.conditions }),
    );
    return [...runs, ...jobs, JSON.stringify(this.holders())].join("\n");
  }

  pass(ms: number): Promise<void> {
    return this.clock.advance(ms);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopJobs();
    await this.cluster[Symbol.asyncDispose]();
  }

  #fateOf({ metadata: { uid, labels } }: Job): PodFate {
    const fate = this.#fates.get(uid) ?? this.fate(labels?.[OP] ?? "");
    this.#fates.set(uid, fate);
    return fate;
  }

  /** Apply writes the state as soon as it runs; destroy deletes it at its end, if all went well. */
  #playTerraform(): void {
    const { objects } = this.cluster;
    objects.onChange(pods, ({ type, object: pod }) => {
      const job = objects.get(jobs, { namespace: NAMESPACE, name: controllerOf(pod)?.name ?? "" });
      const { [RUN]: name = "", [OP]: op = "" } = job?.metadata.labels ?? {};
      if (type !== "MODIFIED") return;
      const ref = { namespace: NAMESPACE, name: `tfstate-default-${name}` };
      const what = `${op} ${pod.status.phase}`;
      if (what === "apply Running" && !this.hasState(name)) objects.create(secrets, { metadata: ref });
      if (what === "destroy Succeeded" && this.hasState(name)) objects.delete(secrets, ref);
    });
  }
}
