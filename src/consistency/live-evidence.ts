import { isNotFound, type LiveReader } from "../kube/index.ts";
import {
  type DeepReadonly,
  type HolderEvidence,
  isFinishedPod,
  type Job,
  type KubeObject,
  type Resource,
  resources,
  runLeaseState,
} from "../resources/index.ts";
import type { LagConventions } from "./lag-conventions.ts";

export interface LiveEvidenceOptions<T extends KubeObject> {
  readonly conventions: LagConventions<T>;
  readonly object: DeepReadonly<T>;
  /** The object's Jobs as the cache has them. None of them runs. */
  readonly listed: readonly DeepReadonly<Job>[];
  readonly live: Pick<LiveReader, "get" | "list">;
}

/** What one check found out. `isLive`: the run lease is held, by whichever Job. */
export type Finding =
  | { readonly verdict: "lag"; readonly job: string }
  | { readonly verdict: "gone" | "none"; readonly isLive: boolean };

const NONE: Finding = { verdict: "none", isLive: false };

/** Set by the Job controller: https://kubernetes.io/docs/reference/labels-annotations-taints/#batchkubernetesio-job-name */
const JOB_NAME = "batch.kubernetes.io/job-name";

/** What the API server says about Jobs of one object that the cache does not show. One use, in one pass. */
export class LiveEvidence<T extends KubeObject> {
  readonly #options: LiveEvidenceOptions<T>;

  constructor(options: LiveEvidenceOptions<T>) {
    this.#options = options;
  }

  /** The Job that the status names and the cache does not list; undefined when there is nothing to ask about. */
  get unlistedActiveJob(): string | undefined {
    const { conventions, object, listed } = this.#options;
    const name = conventions.activeJob(object);
    return name && !listed.some(({ metadata }) => metadata.name === name) ? name : undefined;
  }

  /** Whether the answer of the lease can change what a pass does: there is something to clear. */
  get leaseMatters(): boolean {
    const { conventions, object } = this.#options;
    if (!conventions.runLease) return false;
    const isDeleting = object.metadata.deletionTimestamp !== undefined;
    return isDeleting || conventions.isMarked(object) || Boolean(conventions.activeJob(object));
  }

  /** Found means that the cache has not caught up. */
  async activeJob(): Promise<Finding> {
    const name = this.unlistedActiveJob;
    if (name === undefined) return NONE;
    return (await this.#job(name)) ? { verdict: "lag", job: name } : { verdict: "gone", isLive: false };
  }

  /** The lease is taken before its holder is created, so a holder of this object that is not listed is one the cache will show. */
  async runLease(now: number): Promise<Finding> {
    const { conventions, object, listed } = this.#options;
    const name = conventions.runLease?.(object);
    const lease = name && (await this.#get(resources.leases, name));
    if (!lease) return NONE;
    const read: Writable<HolderEvidence> = {};
    let state = runLeaseState(lease, read, now, conventions.leaseRules);
    while (state.live === "unknown") {
      if (state.needs === "job") read.job = await this.#job(state.holder);
      else read.podRuns = await this.#podRuns(state.holder);
      state = runLeaseState(lease, read, now, conventions.leaseRules);
    }
    if (!state.live) return { verdict: state.why === "no holder" ? "none" : "gone", isLive: false };
    const { job } = read;
    if (!job) return { verdict: "gone", isLive: true };
    if (!belongsTo(job, conventions.ownerLabels(object))) return { verdict: "none", isLive: true };
    const isListed = listed.some(({ metadata }) => metadata.uid === job.metadata.uid);
    return isListed ? { verdict: "gone", isLive: true } : { verdict: "lag", job: state.holder };
  }

  /** A name that no Job can have, as garbage in a lease, is not asked for. */
  async #job(name: string): Promise<Job | null> {
    return (isJobName(name) && (await this.#get(resources.jobs, name))) || null;
  }

  async #podRuns(job: string): Promise<boolean> {
    if (!isJobName(job)) return false;
    const { live } = this.#options;
    const scope = { ...this.#namespace(), labelSelector: `${JOB_NAME}=${job}` };
    for await (const { items, opaque = [] } of live.list(resources.pods, scope)) {
      if (opaque.length > 0 || items.some((pod) => !isFinishedPod(pod))) return true;
    }
    return false;
  }

  async #get<O extends KubeObject>(resource: Resource<O>, name: string): Promise<O | undefined> {
    try {
      return await this.#options.live.get(resource, { ...this.#namespace(), name });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  #namespace(): { namespace?: string } {
    const { namespace } = this.#options.object.metadata;
    return namespace ? { namespace } : {};
  }
}

type Writable<V> = { -readonly [K in keyof V]: V[K] };

/** Whether the object has all of these labels. */
export function belongsTo(object: DeepReadonly<KubeObject>, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(labels).every(([label, value]) => object.metadata.labels?.[label] === value);
}

/** A Job's name is a label of its pods, so it is no longer than one: https://kubernetes.io/docs/concepts/workloads/controllers/job/#writing-a-job-spec */
function isJobName(name: string): boolean {
  return /^[a-z0-9](?:[-.a-z0-9]{0,61}[a-z0-9])?$/.test(name);
}
