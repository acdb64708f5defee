import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StalewatchError } from "../base/index.ts";
import type { AgeLimits } from "../jobs/index.ts";
import { type Cluster, loadCluster } from "../kube/index.ts";
import type { Target } from "../lag/index.ts";
import { controllerOf, type Job, type OwnerReference, resources } from "../resources/index.ts";
import { type ListenAddresses, Sidecar, type SidecarUrls } from "../sidecar/index.ts";
import type { Log } from "../telemetry/index.ts";
import { EmbeddedCluster, type PodFate, simulateJobs } from "../testing/index.ts";
import { exampleController, terraformRuns } from "./job-runner.ts";
import { Neighbour } from "./neighbour.ts";

/** In life an image has ten minutes before anybody is told, and thirty until it is critical. Nobody watches a demo for that long. */
export const demoLimits: { readonly S13: AgeLimits } = { S13: { warningMs: 5_000, criticalMs: 60_000 } };

/** In life a read every 15 s and 30 s of budget do, and a target is asked every 15 s. */
export const demoLag: {
  readonly probeIntervalMs: number;
  readonly lagBudgetMs: number;
  readonly targetIntervalMs: number;
} = { probeIntervalMs: 2_000, lagBudgetMs: 5_000, targetIntervalMs: 500 };

export const NAMESPACE = "shop";
/** Owns the runs. */
const ENVIRONMENT = { name: "environment", namespace: NAMESPACE };

export interface StageOptions {
  readonly listen: ListenAddresses;
  readonly version: string;
  readonly log: Log;
}

/** Where what the demo tells is served: it cannot do without these. */
export interface DemoUrls extends SidecarUrls {
  readonly metrics: string;
  readonly status: string;
}

interface RunningSidecar {
  readonly urls: DemoUrls;
  /** Aborts, with the reason, when the sidecar fails. */
  readonly failed: AbortSignal;
  stop(): Promise<void>;
}

interface Parts {
  readonly cluster: EmbeddedCluster;
  readonly kubeconfig: string;
  readonly owner: OwnerReference;
  readonly sidecar: RunningSidecar;
  readonly neighbour: Neighbour;
  readonly unpushed: Set<string>;
  readonly close: () => Promise<void>;
}

/**
 * Everything that the demo runs, in this process: an API server on a loopback port, stand-ins for Job controller and kubelet and for
 * somebody else's controller, and the sidecar with the example controller beside it. Nothing is left of it once it is disposed of.
 */
export class Stage implements AsyncDisposable {
  readonly cluster: EmbeddedCluster;
  /** A file for kubectl. */
  readonly kubeconfig: string;
  readonly urls: DemoUrls;
  /** Aborts, with the reason, when the sidecar fails. */
  readonly failed: AbortSignal;
  /** Somebody else's controller, which the sidecar watches too. */
  readonly neighbour: Neighbour;
  /** The names of the runs whose image nobody has pushed yet. */
  readonly unpushed: Set<string>;
  readonly #owner: OwnerReference;
  readonly #close: () => Promise<void>;

  private constructor({ cluster, kubeconfig, owner, sidecar, neighbour, unpushed, close }: Parts) {
    this.neighbour = neighbour;
    this.unpushed = unpushed;
    this.cluster = cluster;
    this.kubeconfig = kubeconfig;
    this.urls = sidecar.urls;
    this.failed = sidecar.failed;
    this.#owner = owner;
    this.#close = close;
  }

  /** Errors: those of the listeners. */
  static async set(options: StageOptions): Promise<Stage> {
    const closers: (() => unknown)[] = [];
    const close = async (): Promise<void> => {
      for (const closer of closers.splice(0).reverse()) await closer();
    };
    try {
      const cluster = await EmbeddedCluster.start({ http: true });
      closers.push(() => cluster[Symbol.asyncDispose]());
      cluster.register({ ...terraformRuns, subresources: ["status"] });
      // Before anybody watches: nothing is written from then on until all of them know one version.
      const { uid } = cluster.objects.create(resources.configMaps, { metadata: ENVIRONMENT }).metadata;
      const owner = { apiVersion: "v1", kind: "ConfigMap", name: ENVIRONMENT.name, uid };
      const unpushed = new Set<string>();
      closers.push(simulateJobs(cluster, { fate: (job) => fateOf(job, unpushed) }));

      const directory = await mkdtemp(join(tmpdir(), "stalewatch-"));
      closers.push(() => rm(directory, { recursive: true, force: true }));
      const kubeconfig = join(directory, "kubeconfig");
      await writeFile(kubeconfig, cluster.kubeconfig());

      const connection = await loadCluster({ kubeconfig });
      closers.push(() => connection.close());
      const neighbour = await Neighbour.start(connection.transport, options.log);
      closers.push(() => neighbour.stop());
      const sidecar = await startSidecar(connection, neighbour.target(), options);
      closers.push(() => sidecar.stop());
      return new Stage({ cluster, kubeconfig, owner, sidecar, neighbour, unpushed, close });
    } catch (error) {
      await close();
      throw error;
    }
  }

  /** A run needs an owner: a ConfigMap will do. */
  createRun(name: string, image: string): void {
    this.cluster.objects.create(terraformRuns, {
      metadata: { name, namespace: NAMESPACE, ownerReferences: [this.#owner] },
      spec: { image },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }
}

async function startSidecar(
  cluster: Cluster,
  target: Target,
  { listen, version, log }: StageOptions,
): Promise<RunningSidecar> {
  const controllers = [await exampleController()];
  const sidecar = new Sidecar({
    cluster,
    controllers,
    listen,
    version,
    limits: [{ kind: "S13", ages: demoLimits.S13 }],
    targets: [target],
    ...demoLag,
    env: { log },
  });
  const stopping = new AbortController();
  const failed = new AbortController();
  const ended = sidecar.run({ signal: stopping.signal }).catch((error: unknown) => failed.abort(error));
  const stop = async (): Promise<void> => {
    stopping.abort();
    await ended;
  };
  const { metrics, status, health } = await sidecar.whenListening();
  if (metrics !== undefined && status !== undefined) {
    return { urls: { metrics, status, health }, failed: failed.signal, stop };
  }
  await stop();
  throw new StalewatchError(
    "BAD_ADDRESS",
    "the demo tells what /metrics and /api/v1 serve",
    "leave their listeners on",
  );
}

function fateOf(job: Job, unpushed: ReadonlySet<string>): PodFate {
  const isThere = !unpushed.has(controllerOf(job)?.name ?? "");
  return isThere ? { end: "succeeds", afterMs: 2_000 } : { end: "image-pull-fails" };
}
