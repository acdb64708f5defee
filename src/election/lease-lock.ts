import type { Clock } from "../base/index.ts";
import { isAlreadyExists, isConflict, isNotFound, type LiveReader, type Writer } from "../kube/index.ts";
import { type DeepReadonly, type Lease, type LeaseSpec, type ObjectRef, resources } from "../resources/index.ts";
import type { Counter } from "../telemetry/index.ts";
import { RecordWriter, validateLease } from "./lease-record.ts";
import { LeaseView } from "./lease-view.ts";

/** The part of a client that an election uses; so its rights on leases are get, create and patch. */
export type LeaseClient = Pick<LiveReader & Writer, "get" | "create" | "patch">;

export interface LeaseLockOptions {
  readonly client: LeaseClient;
  readonly lease: ObjectRef;
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly clock: Clock;
  readonly slowPath: Counter;
}

/**
 * The calls that take, renew and give back one Lease. Each write names the version that it replaces, so that of two candidates one
 * is refused. Knows nothing of deadlines.
 */
export class LeaseLock {
  readonly #options: LeaseLockOptions;
  readonly #view: LeaseView;
  readonly #records: RecordWriter;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
    this.#view = new LeaseView(options.clock, options.leaseDurationMs);
    this.#records = new RecordWriter(options.identity, options.leaseDurationMs);
  }

  /** As last seen. */
  get lease(): DeepReadonly<Lease> | undefined {
    return this.#view.lease;
  }

  /** As last seen; "" when nobody holds it. */
  get holder(): string {
    return this.#view.holder;
  }

  /**
   * One try to take the lease, or to renew it; false when somebody else has it.
   * Errors: those of the client; `BAD_LEASE`.
   */
  async take(signal: AbortSignal): Promise<boolean> {
    const lease = await this.#read(signal);
    if (!this.#isOurs() && !this.#view.isFree()) return false;
    try {
      if (lease) await this.#write(this.#isOurs() ? this.#renewed() : this.#taken(), signal);
      else await this.#create(signal);
      return true;
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error)) throw error;
      return false;
    }
  }

  /** As `take`, for who holds the lease: one write at the version it knows, and a look only when that has changed. */
  async renew(signal: AbortSignal): Promise<boolean> {
    if (!this.#isOurs()) return this.take(signal);
    try {
      await this.#write(this.#renewed(), signal);
      return true;
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
      this.#options.slowPath.inc();
      return this.take(signal);
    }
  }

  /** Gives it back if it is ours still: nobody has to wait for it to expire. Answers whether it was. */
  async release(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#write(this.#records.released(this.#options.clock.now()), signal);
    } catch (error) {
      // A renewal whose answer was lost or no longer waited for may have come first.
      if (!isConflict(error)) throw error;
      await this.#read(signal);
      if (!this.#isOurs()) return false;
      await this.#write(this.#records.released(this.#options.clock.now()), signal);
    }
    return true;
  }

  #isOurs(): boolean {
    return this.#view.holder === this.#options.identity;
  }

  /** Undefined when there is none. */
  async #read(signal: AbortSignal): Promise<DeepReadonly<Lease> | undefined> {
    try {
      const lease = validateLease(await this.#options.client.get(resources.leases, this.#options.lease, { signal }));
      this.#view.observe(lease);
      return lease;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#view.observeMissing();
      return undefined;
    }
  }

  async #create(signal: AbortSignal): Promise<void> {
    const { namespace, name } = this.#options.lease;
    const metadata = { name, ...(namespace && { namespace }) };
    const draft = { metadata, spec: this.#records.taken(this.#options.clock.now(), 0) };
    this.#view.observe(await this.#options.client.create(resources.leases, draft, { signal }));
  }

  async #write(spec: LeaseSpec, signal: AbortSignal): Promise<void> {
    const patch = { type: "merge", body: { spec } } as const;
    const options = { signal, resourceVersion: this.#view.version };
    this.#view.observe(await this.#options.client.patch(resources.leases, this.#options.lease, patch, options));
  }

  #renewed(): LeaseSpec {
    return this.#records.renewed(this.#options.clock.now());
  }

  #taken(): LeaseSpec {
    return this.#records.taken(this.#options.clock.now(), this.#view.transitions + 1);
  }
}
