import { Manager, type ManagerOptions } from "../../../src/controller/index.ts";
import {
  addedKinds,
  EvidenceReader,
  type Finding,
  Findings,
  judges,
  type JudgesOptions,
  whenServed,
} from "../../../src/jobs/index.ts";
import { KubeClient } from "../../../src/kube/index.ts";
import { resources } from "../../../src/resources/index.ts";
import { type Log, noopLog, noopMeter, resolveEnv } from "../../../src/telemetry/index.ts";
import { type EmbeddedCluster, FATE_ANNOTATION } from "../../../src/testing/index.ts";

const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "registry.example/a:1" }] } };

export interface JobDraft {
  metadata?: object;
  spec?: object;
  status?: object;
  fate?: string;
}

export interface PodDraft {
  metadata?: object;
  spec?: object;
  status?: object;
}

export interface JudgingOptions extends Pick<ManagerOptions, "syncPeriod"> {
  parents?: NonNullable<JudgesOptions["parents"]>;
  seenUntil?: NonNullable<JudgesOptions["seenUntil"]>;
}

/** Everything that judges in one process, on an embedded cluster that may have others beside and before it. */
export class Judging implements AsyncDisposable {
  readonly cluster: EmbeddedCluster;
  readonly findings: Findings = new Findings({ meter: noopMeter });
  readonly logged: string[] = [];
  readonly evidence: EvidenceReader;
  /** Paths of the reads that caches do not make. */
  readonly evidenceReads: string[] = [];
  readonly manager: Manager;
  readonly #stop: AbortController = new AbortController();
  readonly #running: Promise<unknown>;

  private constructor(cluster: EmbeddedCluster, { syncPeriod = 0, ...judging }: JudgingOptions) {
    this.cluster = cluster;
    const note =
      (level: string): Log["info"] =>
      (message, { severity, kind } = {}) =>
        void this.logged.push([level, message, kind, severity].filter(Boolean).join(" "));
    const env = { clock: cluster.clock, log: { ...noopLog, info: note("info"), warn: note("warn") } };
    const transport = cluster.transport();
    const client = new KubeClient({ transport, env });
    const reading: typeof transport = {
      exchange: (request) => {
        this.evidenceReads.push(decodeURIComponent(request.path));
        return transport.exchange(request);
      },
      close: () => transport.close(),
    };
    this.evidence = new EvidenceReader({ client: new KubeClient({ transport: reading, env }), env: resolveEnv(env) });
    const informers = (): ReturnType<Manager["informers"]> => this.manager.informers();
    const { controllers } = judges({ findings: this.findings, evidence: this.evidence, informers, env, ...judging });
    const startWhenIn = whenServed({ client, clock: cluster.clock, kinds: addedKinds(judging.parents) });
    const startWhen = startWhenIn(undefined);
    this.manager = new Manager({ controllers, client, independent: true, startWhen, syncPeriod, env });
    this.#running = Promise.all([this.manager, this.evidence].map((part) => part.run({ signal: this.#stop.signal })));
  }

  /** Its first passes are over when this resolves. */
  static async start(cluster: EmbeddedCluster, options: JudgingOptions = {}): Promise<Judging> {
    const judging = new Judging(cluster, options);
    await cluster.settle();
    return judging;
  }

  list(): readonly Finding[] {
    return this.findings.list(this.cluster.clock.now(), { all: true });
  }

  states(): readonly string[] {
    return this.list().map((f) => `${f.object.name} ${f.kind} ${f.state} ${f.severity}`);
  }

  /** `jobs default/a StuckJobAge 60000`: what waits for its time. */
  waiting(): readonly string[] {
    const now = this.cluster.clock.monotonic();
    return this.manager
      .status()
      .controllers.flatMap(({ name, waiting }) =>
        [...waiting].map(({ key, dueAt, trigger }) => `${name} ${key} ${trigger.interval} ${dueAt - now}`),
      );
  }

  passes(controller: string): number {
    const status = this.manager.status().controllers.find(({ name }) => name === controller);
    return Object.values(status?.passes ?? {}).reduce((sum, count) => sum + count, 0);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.cluster.settle({ advance: 1_000 });
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

export function addJob(cluster: EmbeddedCluster, name: string, more: JobDraft = {}): { uid: string } {
  const annotations = more.fate === undefined ? {} : { [FATE_ANNOTATION]: more.fate };
  const { metadata } = cluster.objects.create(resources.jobs, {
    metadata: { name, annotations, ...more.metadata },
    spec: { template, ...more.spec },
    status: more.status ?? {},
  });
  return { uid: metadata.uid };
}

/** A pod of the Job of this name and uid, running unless it is to be otherwise. */
export function addPod(cluster: EmbeddedCluster, job: string, uid: string, more: PodDraft = {}): void {
  const owner = { apiVersion: "batch/v1", kind: "Job", name: job, uid, controller: true };
  const labels = { "batch.kubernetes.io/job-name": job };
  cluster.objects.create(resources.pods, {
    metadata: { name: `${job}-x`, labels, ownerReferences: [owner], ...more.metadata },
    spec: { ...template.spec, ...more.spec },
    status: { phase: "Running", ...more.status },
  });
}
