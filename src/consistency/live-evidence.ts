import { isNotFound, type LiveReader } from "../kube/index.ts";
import {
  type DeepReadonly,
  type Job,
  type KubeObject,
  type Lease,
  type ObjectRef,
  resources,
} from "../resources/index.ts";
import { confirmRunLease, readJob } from "./confirm-run-lease.ts";
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
    const job = await readJob(this.#options.live, this.#ref(name));
    return job ? { verdict: "lag", job: name } : { verdict: "gone", isLive: false };
  }

  /** The lease is taken before its holder is created, so a holder of this object that is not listed is one the cache will show. */
  async runLease(now: number): Promise<Finding> {
    const { conventions, object, live, listed } = this.#options;
    const name = conventions.runLease?.(object);
    const lease = name && (await this.#lease(name));
    if (!lease) return NONE;
    const { state, job } = await confirmRunLease(live, lease, { now, rules: conventions.leaseRules });
    if (!state.live) return { verdict: state.why === "no holder" ? "none" : "gone", isLive: false };
    if (!job) return { verdict: "gone", isLive: true };
    if (!belongsTo(job, conventions.ownerLabels(object))) return { verdict: "none", isLive: true };
    const isListed = listed.some(({ metadata }) => metadata.uid === job.metadata.uid);
    return isListed ? { verdict: "gone", isLive: true } : { verdict: "lag", job: state.holder };
  }

  async #lease(name: string): Promise<Lease | undefined> {
    try {
      return await this.#options.live.get(resources.leases, this.#ref(name));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  #ref(name: string): ObjectRef {
    const { namespace } = this.#options.object.metadata;
    return namespace ? { namespace, name } : { name };
  }
}

/** Whether the object has all of these labels. */
export function belongsTo(object: DeepReadonly<KubeObject>, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(labels).every(([label, value]) => object.metadata.labels?.[label] === value);
}
