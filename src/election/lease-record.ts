import { StalewatchError } from "../base/index.ts";
import { type DeepReadonly, keyOf, type Lease, type LeaseSpec } from "../resources/index.ts";

/** Refuses a lease that somebody filled with something else, instead of reading a holder out of it. Errors: `BAD_LEASE`. */
export function validateLease<L extends DeepReadonly<Lease>>(lease: L): L {
  const { holderIdentity = "", leaseDurationSeconds = 1, leaseTransitions = 0 } = lease.spec ?? {};
  const fine =
    typeof holderIdentity === "string" &&
    Number.isFinite(leaseDurationSeconds) &&
    leaseDurationSeconds > 0 &&
    Number.isSafeInteger(leaseTransitions);
  if (fine) return lease;
  throw new StalewatchError(
    "BAD_LEASE",
    `the lease ${keyOf(lease.metadata)} does not hold a leader election record`,
    "delete it, or choose another name",
  );
}

/** Writes records of one candidate. */
export class RecordWriter {
  readonly #identity: string;
  readonly #leaseDurationSeconds: number;
  #writes = 0;

  constructor(identity: string, leaseDurationMs: number) {
    this.#identity = identity;
    this.#leaseDurationSeconds = Math.ceil(leaseDurationMs / 1_000);
  }

  /** `now` is wall time in milliseconds. */
  renewed(now: number): LeaseSpec {
    return {
      holderIdentity: this.#identity,
      leaseDurationSeconds: this.#leaseDurationSeconds,
      renewTime: this.#time(now),
    };
  }

  taken(now: number, leaseTransitions: number): LeaseSpec {
    return { ...this.renewed(now), acquireTime: this.#time(now), leaseTransitions };
  }

  /** As client-go leaves it: nobody has to wait for it to expire. */
  released(now: number): LeaseSpec {
    const time = this.#time(now);
    return { holderIdentity: "", leaseDurationSeconds: 1, acquireTime: time, renewTime: time };
  }

  /**
   * MicroTime, RFC 3339 with six digits. The last three count the writes: one that changed nothing (the wall clock stands still, or
   * was set back) would not be one to those who wait for the lease to expire.
   */
  #time(now: number): string {
    this.#writes += 1;
    return new Date(now).toISOString().replace("Z", `${String(this.#writes % 1_000).padStart(3, "0")}Z`);
  }
}
