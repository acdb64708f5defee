import {
  confirmRunLease,
  type DeepReadonly,
  isAlreadyExists,
  isConflict,
  isNotFound,
  type Lease,
  type ObjectRef,
  type Pass,
  resources,
  type Sweep,
  type Writer,
} from "stalewatch";
import type { TerraformRun } from "./terraform-run.ts";

/** One lease to take before a Job is created. While its holder runs, nobody else gets it. */
export interface LeaseWish {
  readonly ref: ObjectRef;
  readonly labels: Record<string, string>;
  /** Whether the lease belongs to the object of the pass, and goes with it. */
  readonly owned: boolean;
  /** After so long it counts as free, whatever its holder does. */
  readonly seconds: number;
  /** How often it has been taken at least: the lease counts, but somebody may have deleted it. */
  readonly taken: number;
  /** The name of the Job that is to hold it, when it is taken for the `nth` time. */
  holder(nth: number): string;
}

/**
 * Takes a lease that nobody holds; undefined when somebody does, or was faster. It is read from the API server, never from a cache,
 * and written at the version that was read: of two that try, one is refused.
 */
export async function takeLease(pass: Pass<TerraformRun>, wish: LeaseWish): Promise<Lease | undefined> {
  const { now, write } = pass;
  const lease = await readLease(pass, wish.ref);
  if (lease && (await isHeld(pass, lease))) return undefined;
  const leaseTransitions = (lease?.spec.leaseTransitions ?? wish.taken) + 1;
  const spec = {
    holderIdentity: wish.holder(leaseTransitions),
    leaseDurationSeconds: wish.seconds,
    acquireTime: new Date(now()).toISOString().replace("Z", "000Z"), // the API wants six digits
    leaseTransitions,
  };
  try {
    if (lease) return await patchLease(write, lease, spec);
    const draft = { metadata: { ...wish.ref, labels: wish.labels }, spec };
    return await write.create(resources.leases, draft, wish.owned ? {} : { owner: false });
  } catch (error) {
    if (isConflict(error) || isAlreadyExists(error)) return undefined;
    throw error;
  }
}

/** Gives a lease back that `holder` has, unless a pod of it still runs. */
export async function releaseLease(pass: Pass<TerraformRun>, ref: ObjectRef, holder: string): Promise<void> {
  const lease = await readLease(pass, ref);
  if (lease?.spec.holderIdentity === holder && !(await isHeld(pass, lease))) await dropHolder(pass.write, lease);
}

/** Gives a lease back whatever its holder does: that one has finished, or has never been created. */
export async function dropHolder(write: Pick<Writer, "patch">, lease: DeepReadonly<Lease>): Promise<void> {
  await patchLease(write, lease, { holderIdentity: null });
}

export async function isHeld({ live, now }: Pick<Sweep, "live" | "now">, lease: DeepReadonly<Lease>): Promise<boolean> {
  return (await confirmRunLease(live, lease, { now: now() })).state.live;
}

async function readLease({ live }: Pick<Sweep, "live">, ref: ObjectRef): Promise<Lease | undefined> {
  try {
    return await live.get(resources.leases, ref);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function patchLease(write: Pick<Writer, "patch">, { metadata }: DeepReadonly<Lease>, spec: object): Promise<Lease> {
  const { resourceVersion } = metadata;
  return write.patch(resources.leases, metadata, { type: "merge", body: { spec } }, { resourceVersion });
}
