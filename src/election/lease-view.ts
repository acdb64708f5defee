import type { Clock } from "../base/index.ts";
import type { DeepReadonly, Lease } from "../resources/index.ts";

/** What this process has seen of the lease, and when it last saw its record change. */
export class LeaseView {
  readonly #clock: Clock;
  readonly #defaultDurationMs: number;
  #lease: DeepReadonly<Lease> | undefined;
  #record = "";
  #changedAt = 0;

  /** `defaultDurationMs` is for a record that names a holder and no duration. */
  constructor(clock: Clock, defaultDurationMs: number) {
    this.#clock = clock;
    this.#defaultDurationMs = defaultDurationMs;
  }

  get lease(): DeepReadonly<Lease> | undefined {
    return this.#lease;
  }

  get holder(): string {
    return this.#lease?.spec?.holderIdentity ?? "";
  }

  get version(): string {
    return this.#lease?.metadata.resourceVersion ?? "";
  }

  get transitions(): number {
    return this.#lease?.spec?.leaseTransitions ?? 0;
  }

  /** The record counts, as for client-go, not the version: a label that somebody sets is no sign of life. */
  observe(lease: DeepReadonly<Lease>): void {
    this.#lease = lease;
    this.#note(JSON.stringify(lease.spec ?? {}));
  }

  /** Somebody deleted it. Whoever held it does not know that yet, and goes on for as long as its last renewal allows. */
  observeMissing(): void {
    if (this.#lease) this.#note("missing");
  }

  /**
   * Nobody holds it, or the holder has been silent for its own lease duration. Measured on the monotonic clock alone: a wall clock set
   * forward must not make a candidate impatient.
   */
  isFree(): boolean {
    if (this.holder === "") return true;
    const { leaseDurationSeconds } = this.#lease?.spec ?? {};
    const durationMs = leaseDurationSeconds === undefined ? this.#defaultDurationMs : leaseDurationSeconds * 1_000;
    return this.#clock.monotonic() - this.#changedAt > durationMs;
  }

  #note(record: string): void {
    if (record === this.#record) return;
    this.#record = record;
    this.#changedAt = this.#clock.monotonic();
  }
}
