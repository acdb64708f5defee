import { StalewatchError } from "../base/index.ts";
import type { Writer } from "../kube/index.ts";
import { GateRequeue, LagRequeue, Requeue } from "../requeue/index.ts";
import { type DeepReadonly, keyOf, type KubeObject, type Resource, resourceName } from "../resources/index.ts";
import { type PatchAsRead, patchAsRead } from "./patch-as-read.ts";

export interface ClearanceOptions<T extends KubeObject> {
  readonly resource: Resource<T>;
  /** As the checks judged it. */
  readonly object: DeepReadonly<T>;
  readonly write: Pick<Writer, "patch">;
  /** A Job holds the run lease, of whichever object. Not read for an object with nothing to clear. */
  readonly leaseIsLive: boolean;
}

/**
 * The right to clear what stands for a running Job, given by `LagGuard.check` alone, and for one object at one version.
 *
 * Promises: every write has the version that was judged (or the one that the clearance itself has made of it) as its precondition;
 * what is not there costs no call. Each method resolves with undefined when it is done, or with the requeue to be returned: the
 * object has changed since it was judged, or the time has not come. After the first such answer nothing more is written.
 * Valid until the reconcile returns. Errors: those of the pass's `write.patch`, a conflict excepted.
 */
export class Clearance<T extends KubeObject = KubeObject> {
  readonly #options: ClearanceOptions<T>;
  #metadata: DeepReadonly<KubeObject["metadata"]>;
  #refused: Requeue | undefined;

  constructor(options: ClearanceOptions<T>) {
    this.#options = options;
    this.#metadata = options.object.metadata;
  }

  /** Merges into the object's status; null deletes: `status({ activeJob: null })`. */
  status(patch: object): Promise<Requeue | undefined> {
    const { status } = this.#options.object as { status?: unknown };
    return wouldChange(status, patch) ? this.#patch({ status: patch }, "status") : this.#nothing();
  }

  annotations(...names: readonly string[]): Promise<Requeue | undefined> {
    const present = names.filter((name) => this.#metadata.annotations?.[name] !== undefined);
    if (present.length === 0) return this.#nothing();
    return this.#patch({ metadata: { annotations: Object.fromEntries(present.map((name) => [name, null])) } });
  }

  /**
   * Lets a deleting object go. `LagRequeue` while its run lease is held, by whichever Job.
   * Errors: `NOT_DELETING` when the object is not being deleted: its lease need not have been read.
   */
  async finalizer(name: string): Promise<Requeue | undefined> {
    const { object, resource, leaseIsLive } = this.#options;
    if (object.metadata.deletionTimestamp === undefined) {
      throw refusal("NOT_DELETING", object, resource, "is not being deleted", "keep its finalizer");
    }
    if (leaseIsLive) return this.#refuse(Requeue.after(LagRequeue));
    const { finalizers = [] } = this.#metadata;
    if (!finalizers.includes(name)) return this.#nothing();
    return this.#patch({ metadata: { finalizers: finalizers.filter((other) => other !== name) } });
  }

  /**
   * Lets a deleting object go that nobody owns, and so nobody can take down what it stands for: only if `noStateLeft` says that it
   * stands for nothing, else `GateRequeue`, until it has an owner. Asked last: a Job that has just finished may have left state.
   * Errors: `HAS_OWNER`; as `finalizer`.
   */
  async finalizerOfOwnerless(name: string, noStateLeft: () => Promise<boolean>): Promise<Requeue | undefined> {
    const { object, resource, leaseIsLive } = this.#options;
    if (object.metadata.ownerReferences?.length) {
      throw refusal("HAS_OWNER", object, resource, "has an owner", "clean it up as others, then use finalizer()");
    }
    if (!leaseIsLive && !(await noStateLeft())) return this.#refuse(Requeue.after(GateRequeue));
    return this.finalizer(name);
  }

  async #patch(body: object, subresource?: "status"): Promise<Requeue | undefined> {
    if (this.#refused) return this.#refused;
    const { resource, write } = this.#options;
    const patch: PatchAsRead<T> = { resource, metadata: this.#metadata, body, ...(subresource && { subresource }) };
    const answer = await patchAsRead(write, patch);
    if (answer instanceof Requeue) return this.#refuse(answer);
    if (answer) this.#metadata = answer.metadata;
    return undefined;
  }

  #refuse(requeue: Requeue): Promise<Requeue> {
    this.#refused ??= requeue;
    return Promise.resolve(this.#refused);
  }

  #nothing(): Promise<Requeue | undefined> {
    return Promise.resolve(this.#refused);
  }
}

/** Whether a merge patch leaves `current` other than it is. */
function wouldChange(current: unknown, patch: unknown): boolean {
  if (patch === null) return current !== undefined && current !== null;
  if (typeof patch !== "object") return current !== patch;
  if (Array.isArray(patch) || typeof (current ?? {}) !== "object") return true;
  const fields = (current ?? {}) as Record<string, unknown>;
  return Object.entries(patch).some(([key, value]) => wouldChange(fields[key], value));
}

function refusal(
  code: "NOT_DELETING" | "HAS_OWNER",
  object: DeepReadonly<KubeObject>,
  resource: Resource,
  why: string,
  remedy: string,
): StalewatchError {
  return new StalewatchError(code, `${resourceName(resource)} ${keyOf(object.metadata)} ${why}`, remedy);
}
