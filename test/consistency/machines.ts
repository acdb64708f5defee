import { type Clearance, type LagConventions, LagGuard } from "../../src/consistency/index.ts";
import { Controller, type Pass } from "../../src/controller/index.ts";
import type { Patch } from "../../src/kube/index.ts";
import { ActiveJobRequeue, type Requeue } from "../../src/requeue/index.ts";
import {
  defineResource,
  isFinishedJob,
  isFinishedPod,
  type Job,
  type ObjectMeta,
  type Resource,
  resources,
} from "../../src/resources/index.ts";
import type { Rig } from "../controller/rig.ts";

/** A machine that is kept by Jobs, marked and locked as Cluster API's Terraform provider does it. */
export interface Machine {
  metadata: ObjectMeta;
  spec?: { paused?: boolean };
  status?: { activeJob?: { name: string } | null };
}

export const machines: Resource<Machine> = defineResource<Machine>({
  group: "infrastructure.cluster.x-k8s.io",
  version: "v1alpha1",
  kind: "TerraformMachine",
  resource: "terraformmachines",
});

export const BLOCK_MOVE = "clusterctl.cluster.x-k8s.io/block-move";
export const RESTORE = "captf.io/restore-state";
export const FINALIZER = "terraformmachine.infrastructure.cluster.x-k8s.io";
const OWNER = "captf.infrastructure.cluster.x-k8s.io";

export const conventions: LagConventions<Machine> = {
  activeJob: ({ status }) => status?.activeJob?.name,
  isMarked: ({ metadata }) => metadata.annotations?.[BLOCK_MOVE] !== undefined,
  runLease: ({ metadata }) => `captf-run-${metadata.name}`,
  ownerLabels: ({ metadata }) => labelsOf(metadata.name),
  leaseRules: { acquiredAtAnnotation: "captf.io/lease-acquired-at" },
};

function belongsTo(machine: string, metadata: ObjectMeta | Pass["object"]["metadata"]): boolean {
  return Object.entries(labelsOf(machine)).every(([label, value]) => metadata.labels?.[label] === value);
}

function labelsOf(machine: string): Record<string, string> {
  return { [`${OWNER}/owner-kind`]: "TerraformMachine", [`${OWNER}/owner-name`]: machine };
}

/** What the API server has, and ways to change it as controllers do. */
export class World {
  readonly rig: Rig;

  constructor(rig: Rig) {
    this.rig = rig;
    rig.cluster.register({ ...machines, subresources: ["status"] });
  }

  machine(name = "m", more: { spec?: Machine["spec"]; metadata?: Partial<ObjectMeta> } = {}): Machine {
    return this.rig.cluster.objects.create(machines, {
      spec: more.spec ?? {},
      metadata: { name, namespace: "shop", finalizers: [FINALIZER], ...more.metadata },
    });
  }

  mark(name = "m", annotation: string = BLOCK_MOVE, value = ""): void {
    this.rig.cluster.objects.patch(machines, `shop/${name}`, { metadata: { annotations: { [annotation]: value } } });
  }

  nameActiveJob(job: string, name = "m"): void {
    this.rig.cluster.objects.patch(machines, `shop/${name}`, { status: { activeJob: { name: job } } });
  }

  delete(name = "m"): void {
    this.rig.cluster.objects.delete(machines, `shop/${name}`);
  }

  job(job: string, machine = "m"): void {
    this.rig.cluster.objects.create(resources.jobs, {
      metadata: { name: job, namespace: "shop", labels: labelsOf(machine) },
      spec: { parallelism: 1 },
      status: { active: 1 },
    });
  }

  finish(job: string): void {
    const status = { conditions: [{ type: "Complete", status: "True" }] };
    this.rig.cluster.objects.patch(resources.jobs, `shop/${job}`, { status });
  }

  pod(job: string, phase = "Running"): void {
    this.rig.cluster.objects.create(resources.pods, {
      metadata: { name: `${job}-x`, namespace: "shop", labels: { "batch.kubernetes.io/job-name": job } },
      spec: {},
      status: { phase },
    });
  }

  /** The run lease of a machine, taken so many seconds ago. */
  lease(holder: string, options: { machine?: string; secondsAgo?: number } = {}): void {
    const { machine = "m", secondsAgo = 1 } = options;
    const acquireTime = new Date(this.rig.clock.now() - secondsAgo * 1_000).toISOString();
    this.rig.cluster.objects.create(resources.leases, {
      metadata: { name: `captf-run-${machine}`, namespace: "shop", labels: labelsOf(machine) },
      spec: { holderIdentity: holder, leaseDurationSeconds: 4_500, acquireTime },
    });
  }

  /** What stands for a running Job and is still there. */
  marks(name = "m"): string[] {
    const machine = this.rig.cluster.objects.get(machines, `shop/${name}`);
    return [
      ...(machine?.metadata.annotations?.[BLOCK_MOVE] === undefined ? [] : ["block-move"]),
      ...(machine?.status?.activeJob ? ["active job"] : []),
      ...(machine?.metadata.finalizers?.includes(FINALIZER) ? ["finalizer"] : []),
    ];
  }

  /** Whether a Job of the machine, or a pod of one, runs. */
  isBusy(name = "m"): boolean {
    const own = this.rig.jobs().filter((job) => belongsTo(name, job.metadata));
    const pods = this.rig.cluster.objects.list(resources.pods).filter((pod) => !isFinishedPod(pod));
    const podOf = (job: Job): boolean => pods.some(({ metadata }) => metadata.name === `${job.metadata.name}-x`);
    return own.some((job) => !isFinishedJob(job) || podOf(job));
  }

  /** Everything that runs has ended. */
  finishAll(): void {
    for (const job of this.rig.jobs()) if (!isFinishedJob(job)) this.finish(job.metadata.name);
    for (const pod of this.rig.cluster.objects.list(resources.pods)) {
      this.rig.cluster.objects.patch(resources.pods, `shop/${pod.metadata.name}`, { status: { phase: "Succeeded" } });
    }
  }
}

export interface MachineControllerOptions {
  rig: Rig;
  /** false: the cache is believed, and nothing that is cleared has a precondition. The guard is used unless given. */
  guarded?: false;
  /** Of an ownerless machine; true unless given. */
  noStateLeft?: () => Promise<boolean>;
}

/** How a pass ended: the interval of its requeue, or "done". */
export type PassEnd = string;

/** Clears what stands for a Job when none runs, and lets a deleting machine go; does nothing before `open`. */
export class MachineController {
  readonly controller: Controller<Machine>;
  readonly ends: PassEnd[] = [];
  /** The objects that those passes were about. */
  readonly saw: Pass<Machine>["object"][] = [];
  readonly guard: LagGuard<Machine>;
  readonly #options: MachineControllerOptions;
  #isOpen = false;

  constructor(options: MachineControllerOptions) {
    this.#options = options;
    const { env } = options.rig;
    this.guard = new LagGuard({ controller: "machines", resource: machines, conventions, env });
    this.controller = new Controller("machines", {
      for: machines,
      owns: [resources.jobs],
      reconcile: async (pass) => {
        if (!this.#isOpen) return undefined;
        const requeue = await (options.guarded === false ? this.#believing(pass) : this.#asking(pass));
        this.saw.push(pass.object);
        this.ends.push(requeue?.interval.name ?? "done");
        return requeue;
      },
    });
  }

  /** From now on passes act; one runs at once. */
  async open(name = "m"): Promise<void> {
    this.#isOpen = true;
    this.controller.enqueue({ namespace: "shop", name });
    await this.rest();
  }

  /** Until no pass is due or under way. Many passes take more turns of the event loop than one settle waits for. */
  async rest(): Promise<void> {
    const { rig } = this.#options;
    do await rig.settle();
    while (rig.status.queue.depth > 0);
  }

  /** A pause keeps Jobs from being started and finalizers from being dropped; marks are cleared all the same. */
  async #asking(pass: Pass<Machine>): Promise<Requeue | undefined> {
    const { metadata, spec } = pass.object;
    const consumed = await this.guard.consume(pass, RESTORE);
    if (consumed) return consumed;
    const lag = await this.guard.check(pass);
    if (lag.requeue) return lag.requeue;
    if (spec?.paused || metadata.deletionTimestamp === undefined) {
      return (await lag.clear.status({ activeJob: null })) ?? lag.clear.annotations(BLOCK_MOVE);
    }
    return metadata.ownerReferences ? lag.clear.finalizer(FINALIZER) : this.#dropOwnerless(lag.clear);
  }

  #dropOwnerless(clear: Clearance<Machine>): Promise<Requeue | undefined> {
    return clear.finalizerOfOwnerless(FINALIZER, this.#options.noStateLeft ?? (() => Promise.resolve(true)));
  }

  async #believing({ object, cached, write, requeue }: Pass<Machine>): Promise<Requeue | undefined> {
    const listed = cached(resources.jobs).list(object.metadata.namespace);
    const own = listed.filter(({ metadata }) => belongsTo(object.metadata.name, metadata));
    if (own.some((job) => !isFinishedJob(job))) return requeue.after(ActiveJobRequeue);
    if (object.metadata.deletionTimestamp !== undefined) {
      if (object.metadata.finalizers) await write.patch(machines, object.metadata, mergeMeta({ finalizers: null }));
      return undefined;
    }
    if (object.status?.activeJob) await write.patchStatus(object, { activeJob: null });
    if (object.metadata.annotations) await write.patch(machines, object.metadata, mergeMeta({ annotations: null }));
    return undefined;
  }
}

function mergeMeta(metadata: object): Patch {
  return { type: "merge", body: { metadata } };
}
