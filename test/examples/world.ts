import { controllerOf, isFinishedJob, isFinishedPod, type Job, resources } from "stalewatch";
import { EmbeddedCluster, type PodFate, simulateJobs, VirtualClock } from "stalewatch/testing";
import {
  APPROVED,
  BLOCK_MOVE,
  FINALIZER,
  inputsOf,
  OP,
  RUN,
  secrets,
  stateOf,
  type TerraformRun,
  terraformRuns,
} from "../../examples/job-runner/terraform-run.ts";

const { jobs, pods, configMaps, leases } = resources;
export const NAMESPACE = "infra";
/** Owns the runs. */
const ENVIRONMENT = { namespace: NAMESPACE, name: "environment" };

/** How a Job ends, and when. Asked once a Job. */
export type Fate = (op: string) => PodFate;

/**
 * A cluster with TerraformRuns, somebody to run their Jobs, and a stand-in for Terraform that writes and deletes states. Notes every
 * harm at the moment it is done, whoever does it.
 */
export class World implements AsyncDisposable {
  readonly clock: VirtualClock;
  readonly cluster: EmbeddedCluster;
  readonly harm: string[] = [];
  /** The Jobs that were created, as "NAME OP", in order. */
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
    this.#watchForHarm();
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

  #watchForHarm(): void {
    const { objects } = this.cluster;
    const before = new Map<string, TerraformRun>();
    objects.onChange(terraformRuns, ({ type, object: run }) => {
      const old = before.get(run.metadata.uid);
      before.set(run.metadata.uid, run);
      if (old) this.#judge(old, type === "DELETED" ? undefined : run);
    });
    objects.onChange(jobs, ({ type, object: job }) => {
      if (type !== "ADDED") return;
      const { labels = {}, name } = job.metadata;
      this.started.push(`${labels[RUN]} ${labels[OP]}`);
      const rivals = this.#rivals(job).filter((rival) => rival.metadata.name !== name && this.#isAtWork(rival));
      for (const rival of rivals) this.#note(`Job ${name} beside Job ${rival.metadata.name}`);
    });
  }

  /** Those that must not run at the same time: of the same run, or of the same cluster where both change something. */
  #rivals(job: Job): Job[] {
    const isChange = ({ metadata: { labels } }: Job): boolean => /apply|destroy/.test(labels?.[OP] ?? "");
    const clusterOf = ({ metadata: { labels } }: Job): string | undefined =>
      this.run(labels?.[RUN] ?? "")?.spec.cluster;
    return this.jobs().filter((other) => {
      if (other.metadata.labels?.[RUN] === job.metadata.labels?.[RUN]) return true;
      return isChange(job) && isChange(other) && clusterOf(job) !== undefined && clusterOf(job) === clusterOf(other);
    });
  }

  #judge(old: TerraformRun, now: TerraformRun | undefined): void {
    const { name } = old.metadata;
    const running = this.active(name).map(({ metadata }) => metadata.name);
    const working = this.jobs(name).filter((job) => this.#isAtWork(job));
    const dropped = old.metadata.finalizers?.includes(FINALIZER) && !now?.metadata.finalizers?.includes(FINALIZER);
    if (dropped && working.length > 0) this.#note(`the finalizer of ${name} dropped`);
    if (dropped && this.hasState(name)) this.#note(`${name} let go with its state`);
    const marked = old.metadata.annotations?.[BLOCK_MOVE] !== undefined;
    if (marked && now?.metadata.annotations?.[BLOCK_MOVE] === undefined && running.length > 0) {
      this.#note(`block-move of ${name} cleared`);
    }
    const active = old.status?.activeJob?.name;
    if (active && !now?.status?.activeJob && running.includes(active)) this.#note(`activeJob of ${name} cleared`);
  }

  #fateOf({ metadata: { uid, labels } }: Job): PodFate {
    const fate = this.#fates.get(uid) ?? this.fate(labels?.[OP] ?? "");
    this.#fates.set(uid, fate);
    return fate;
  }

  /** It runs, or a pod of it does. */
  #isAtWork(job: Job): boolean {
    if (!isFinishedJob(job)) return true;
    const own = this.cluster.objects.where(pods, (pod) => controllerOf(pod)?.uid === job.metadata.uid);
    return own.some((pod) => !isFinishedPod(pod));
  }

  /** Apply writes the state as soon as it runs; destroy deletes it at its end, if all went well. */
  #playTerraform(): void {
    const { objects } = this.cluster;
    objects.onChange(pods, ({ type, object: pod }) => {
      const job = objects.get(jobs, { namespace: NAMESPACE, name: controllerOf(pod)?.name ?? "" });
      const run = this.run(job?.metadata.labels?.[RUN] ?? "");
      if (type !== "MODIFIED" || !job || !run) return;
      const op = job.metadata.labels?.[OP];
      const ref = stateOf(run);
      const isThere = this.hasState(run.metadata.name);
      if (op === "apply" && pod.status.phase === "Running" && !isThere) {
        objects.create(secrets, { metadata: { ...ref, namespace: NAMESPACE } });
      } else if (op === "destroy" && pod.status.phase === "Succeeded" && isThere) objects.delete(secrets, ref);
    });
  }

  #note(what: string): void {
    this.harm.push(`${this.clock.monotonic()}: ${what}`);
  }
}
