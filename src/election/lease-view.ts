import { type Clock, StalewatchError } from "../base/index.ts";
import { type DeepReadonly, keyOf, type Lease } from "../resources/index.ts";

/** What this process has seen of the lease, and when it last saw it change. */
export class LeaseView {
  readonly #clock: Clock;
  #lease: DeepReadonly<Lease> | undefined;
  #changedAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get holder(): string {
    return this.#lease?.spec.holderIdentity ?? "";
  }

  get version(): string {
    return this.#lease?.metadata.resourceVersion ?? "";
  }

  get transitions(): number {
    return this.#lease?.spec.leaseTransitions ?? -1;
  }

  observe(lease: DeepReadonly<Lease>): void {
    if (lease.metadata.resourceVersion !== this.version) this.#changedAt = this.#clock.monotonic();
    this.#lease = lease;
  }

  /**
   * Nobody holds it, or the holder has been silent for its own lease duration. Measured on the monotonic clock alone: a wall clock set
   * forward must not make a candidate impatient.
   */
  isFree(): boolean {
    if (this.holder === "") return true;
    const durationMs = (this.#lease?.spec.leaseDurationSeconds ?? 0) * 1_000;
    return this.#clock.monotonic() - this.#changedAt > durationMs;
  }
}

/** Refuses a lease that somebody filled with something else, instead of reading a holder out of it. */
export function validateSpec(lease: Lease): Lease {
  const { holderIdentity, leaseDurationSeconds } = lease.spec ?? {};
  const fine =
    (holderIdentity === undefined || typeof holderIdentity === "string") &&
    (leaseDurationSeconds === undefined || (Number.isFinite(leaseDurationSeconds) && leaseDurationSeconds > 0));
  if (fine) return { ...lease, spec: lease.spec ?? {} };
  throw new StalewatchError(
    "BAD_LEASE",
    `the lease ${keyOf(lease.metadata)} does not hold a leader election record`,
    "delete it, or choose another name",
  );
}
