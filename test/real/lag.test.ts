import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { Controller, isFinishedJob, KubeClient, loadCluster, Manager, removeFinalizer, resources } from "stalewatch";
import { jobRunner } from "../../examples/job-runner/job-runner.ts";
import { BLOCK_MOVE, FINALIZER, terraformRuns } from "../../examples/job-runner/terraform-run.ts";
import {
  type ClusterAccess,
  clusterTools,
  DelayingProxy,
  describeReal,
  eventually,
  type Json,
  Kubelet,
  pause,
  type Rule,
  sharedCluster,
} from "./harness/index.ts";

const example = join(import.meta.dirname, "../../examples/job-runner");
const DELAY_MS = 4_000;
const UNGATED = "StaleControllerConsistencyTerraformRun=false";

/** A manager that works, and how to stop it. */
interface Running {
  stop(): Promise<void>;
}

describeReal("the example controller on a real server", clusterTools, () => {
  let access: ClusterAccess;

  beforeAll(async () => {
    access = sharedCluster();
    const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const crd = parse(readFileSync(join(example, "crd.yaml"), "utf8")) as Json;
    await access.raw.post(definitions, crd);
    await eventually("the kind is served", async () => {
      const { conditions = [] } = (await access.raw.get(`${definitions}/${crd.metadata.name}`))["status"] as {
        conditions?: { type: string; status: string }[];
      };
      return conditions.some(({ type, status }) => type === "Established" && status === "True");
    });
  });
  afterAll(async () => {
    await access?.raw.delete("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/terraformruns.example.com");
  });

  test.each([
    { late: "list", resource: ["jobs"] },
    { late: "object", resource: ["terraformruns"] },
    { late: "list and object", resource: ["jobs", "terraformruns"] },
    { late: "nothing", resource: [] },
  ])("$late late: starts one Job, and lets nothing go while that runs", async ({ resource }) => {
    await using stage = await Stage.set(access, resource);
    const manager = await stage.run(jobRunner(), UNGATED);
    await stage.createRun();
    const job = await stage.firstJob();
    await eventually(
      "the status names the Job",
      async () => (await stage.theRun())?.["status"]?.activeJob?.name === job,
    );
    await stage.touchRun();
    await stage.deleteRun();

    const seen: object[] = [];
    for (let waitedMs = 0; waitedMs < DELAY_MS + 2_000; waitedMs += 200) {
      seen.push(await stage.marks());
      await pause(200);
    }
    const all = { jobs: [job], finalizer: true, blockMove: true, activeJob: job };
    expect(seen).toEqual(seen.map(() => all));

    await stage.finishPods();
    await eventually("the run is gone", async () => (await stage.theRun()) === undefined);
    await manager.stop();
  });

  test("the twin, which believes its cache, lets go while the Job runs", async () => {
    await using stage = await Stage.set(access, ["jobs"]);
    const manager = await stage.run(believer(), UNGATED);
    await stage.createRun();
    const job = await stage.firstJob();
    await stage.deleteRun();
    await eventually("the run is gone", async () => (await stage.theRun()) === undefined, { timeoutMs: DELAY_MS });
    expect(stage.jobsSeen, "and its Job was at work").toEqual(new Set([job]));
    await manager.stop();
  });

  test("with no more rights than rbac.yaml gives it runs a life from end to end, as the leader", async () => {
    const { rules } = parse(readFileSync(join(example, "rbac.yaml"), "utf8")) as { rules: Rule[] };
    const credentials = await access.user("job-runner", rules);
    await using stage = await Stage.set(access, [], access.kubeconfig({ credentials }));
    const manager = await stage.run(jobRunner(), "", true);
    await stage.createRun({ cluster: "production", variables: { size: "1" } });
    await stage.firstJob();
    await stage.finishPods();
    await eventually("it is up to date", async () => {
      const status = (await stage.theRun())?.["status"];
      return status?.conditions?.[0]?.reason === "UpToDate" && status.appliedInputs && !status.activeJob;
    });
    expect(await stage.holders()).toEqual(["", ""]);
    await stage.deleteRun();
    await eventually("it is gone, and its lease with it", async () => {
      return (await stage.theRun()) === undefined && (await stage.holders()).length === 1;
    });
    await manager.stop();
  });

  test("the server refuses a name that leaves Jobs too little room", async () => {
    await using stage = await Stage.set(access, []);
    await expect(stage.createRun({}, "x".repeat(37))).rejects.toThrow("at most 36 characters");
    await stage.createRun({}, "x".repeat(36));
  });
});

/** One namespace with at most one run in it, seen as an independent witness sees it; and a way to it on which watches are late. */
class Stage implements AsyncDisposable {
  /** The names of all Jobs that were ever looked at. */
  readonly jobsSeen: Set<string> = new Set();
  readonly #access: ClusterAccess;
  readonly #namespace: string;
  readonly #proxy: DelayingProxy;
  readonly #kubeconfig: string | undefined;
  readonly #kubelet: Kubelet;

  private constructor(access: ClusterAccess, namespace: string, proxy: DelayingProxy, kubeconfig: string | undefined) {
    this.#access = access;
    this.#namespace = namespace;
    this.#proxy = proxy;
    this.#kubeconfig = kubeconfig;
    this.#kubelet = new Kubelet(access, { namespace, plan: () => ["running"] });
  }

  /** Through a proxy that holds back the watches of these kinds, unless by a kubeconfig of its own. */
  static async set(access: ClusterAccess, resource: readonly string[], kubeconfig?: string): Promise<Stage> {
    const namespace = await access.namespace("lag");
    const proxy = await DelayingProxy.start(access, { resource, delayMs: DELAY_MS });
    return new Stage(access, namespace, proxy, kubeconfig);
  }

  /** Resolves once its caches are filled. */
  async run(
    controller: ConstructorParameters<typeof Manager>[0]["controllers"][number],
    featureGates: string,
    elects = false,
  ): Promise<Running> {
    const kubeconfig = this.#kubeconfig ?? this.#access.kubeconfig({ server: this.#proxy.server });
    const cluster = await loadCluster({ kubeconfig });
    const lease = { namespace: this.#namespace, name: "job-runner" };
    const manager = new Manager({
      controllers: [controller],
      featureGates,
      ...(elects
        ? { cluster, leaderElection: { lease } }
        : { client: new KubeClient({ transport: cluster.transport }) }),
    });
    const stop = new AbortController();
    const running = manager.run({ signal: stop.signal });
    await eventually("it works", () => manager.status().state === "running");
    return {
      stop: async () => {
        stop.abort();
        await running;
        await cluster.close();
      },
    };
  }

  async createRun(spec: object = {}, name = "web"): Promise<void> {
    const { raw } = this.#access;
    const core = `/api/v1/namespaces/${this.#namespace}/configmaps`;
    const owner = { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "environment-" } };
    const { metadata } = await raw.post(core, owner);
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: metadata.name, uid: metadata.uid }];
    await raw.post(this.#path("terraformruns"), {
      apiVersion: "example.com/v1",
      kind: "TerraformRun",
      metadata: { name, ownerReferences },
      spec: { image: "registry.example/terraform:v1", drift: { intervalSeconds: 0 }, ...spec },
    });
  }

  async touchRun(): Promise<void> {
    await this.#access.raw.patch(this.#path("terraformruns/web"), { metadata: { labels: { touched: "yes" } } });
  }

  async deleteRun(): Promise<void> {
    await this.#access.raw.delete(this.#path("terraformruns/web"));
  }

  async theRun(): Promise<Json | undefined> {
    const { items = [] } = await this.#access.raw.get(this.#path("terraformruns"));
    return items.find(({ metadata }) => metadata.name === "web");
  }

  async firstJob(): Promise<string> {
    return eventually("a Job", async () => (await this.#unfinishedJobs())[0]);
  }

  /** What stands for a Job, and the Jobs that run. */
  async marks(): Promise<object> {
    const run = await this.theRun();
    const metadata = run?.metadata as { finalizers?: string[]; annotations?: Record<string, string> } | undefined;
    return {
      jobs: await this.#unfinishedJobs(),
      finalizer: metadata?.finalizers?.includes(FINALIZER) ?? false,
      blockMove: metadata?.annotations?.[BLOCK_MOVE] !== undefined,
      activeJob: run?.["status"]?.activeJob?.name as string | undefined,
    };
  }

  async finishPods(): Promise<void> {
    const path = `/api/v1/namespaces/${this.#namespace}/pods`;
    await eventually("the pod runs", async () => {
      const { items = [] } = await this.#access.raw.get(path);
      const running = items.filter(({ status }) => (status as { phase?: string }).phase === "Running");
      for (const { metadata } of running) {
        await this.#access.raw.patch(`${path}/${metadata.name}/status`, { status: { phase: "Succeeded" } });
      }
      return running.length > 0;
    });
  }

  /** Of all leases of runs and clusters, by their names. */
  async holders(): Promise<string[]> {
    const path = `/apis/coordination.k8s.io/v1/namespaces/${this.#namespace}/leases?labelSelector=example.com/managed`;
    const { items = [] } = await this.#access.raw.get(path);
    return items.map((lease) => (lease["spec"] as { holderIdentity?: string }).holderIdentity ?? "");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#kubelet.stop();
    await this.#proxy.stop();
  }

  async #unfinishedJobs(): Promise<string[]> {
    const { items = [] } = await this.#access.raw.get(`/apis/batch/v1/namespaces/${this.#namespace}/jobs`);
    for (const { metadata } of items) this.jobsSeen.add(metadata.name);
    return items.filter((job) => !isEnded(job)).map(({ metadata }) => metadata.name);
  }

  #path(rest: string): string {
    return `/apis/example.com/v1/namespaces/${this.#namespace}/${rest}`;
  }
}

function isEnded(job: Json): boolean {
  const { conditions = [] } = job["status"] as { conditions?: { type: string }[] };
  return conditions.some(({ type }) => type === "Complete" || type === "Failed");
}

/** Takes "my cache shows no running Job" for "no Job runs". */
function believer(): InstanceType<typeof Controller> {
  return new Controller("believer", {
    for: terraformRuns,
    owns: [resources.jobs],
    async reconcile({ object: run, cached, write }) {
      const jobs = cached(resources.jobs).ownedBy(run);
      if (jobs.some((job) => !isFinishedJob(job))) return;
      if (run.metadata.deletionTimestamp) await removeFinalizer(write, terraformRuns, run, FINALIZER);
      else if (!run.metadata.finalizers) {
        const template = {
          spec: { restartPolicy: "Never", containers: [{ name: "terraform", image: run.spec.image }] },
        };
        await write.create(resources.jobs, { metadata: { name: `${run.metadata.name}-1` }, spec: { template } });
        const body = { metadata: { finalizers: [FINALIZER] } };
        await write.patch(terraformRuns, run.metadata, { type: "merge", body });
      }
    },
  });
}
