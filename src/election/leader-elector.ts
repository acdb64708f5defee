import { isAbort, messageOf, sleep, StalewatchError } from "../base/index.ts";
import { isAlreadyExists, isConflict, isNotFound, type LiveReader, type Writer } from "../kube/index.ts";
import { type Lease, type LeaseSpec, resources } from "../resources/index.ts";
import { type Env, type Gauge, resolveEnv } from "../telemetry/index.ts";
import { LeaseView, validateSpec } from "./lease-view.ts";
import { MASTER_STATUS, SLOWPATH_TOTAL } from "./metrics.ts";
import { Stopwatch } from "./stopwatch.ts";

export interface LeaderElectorOptions {
  /** A client of its own connections (`pool: "election"`), so that nothing holds back a renewal. */
  client: Pick<LiveReader & Writer, "get" | "create" | "patch">;
  lease: { namespace: string; name: string };
  /** Unique among all candidates: host name and a random part, say. */
  identity: string;
  /** How long others wait for a silent holder. 15 s unless given; must exceed `renewDeadlineMs`. */
  leaseDurationMs?: number;
  /** How long a holder that cannot renew goes on. 10 s unless given; must exceed 1.2 times `retryPeriodMs`. */
  renewDeadlineMs?: number;
  /** 2 s unless given. */
  retryPeriodMs?: number;
  env?: Partial<Env>;
}

/** The lease was lost, or could not be renewed in time: whatever acts as a leader must end now. */
export class LeadershipLostError extends StalewatchError {
  override readonly name: string = "LeadershipLostError";

  constructor(lease: string, why: string, options?: { cause?: unknown }) {
    super("LEADERSHIP_LOST", `lost the lease ${lease}: ${why}`, "restart the process to stand again", options);
  }
}

/**
 * One of several candidates for a Lease, on the terms of client-go, with which it can share a lease.
 *
 * Promises: `mayWrite()` is true only while less than the renew deadline has passed since the last renewal was *sent*, by whichever of
 * the wall clock and the monotonic clock has gone further, so that a paused or suspended holder knows it is late as soon as it wakes.
 * Another's lease counts as expired only by how long *this* process has seen it unchanged on the monotonic clock; the times written in
 * the lease are never compared with the local clock. Does not promise that a write that was already sent arrives before a takeover:
 * give leader's writes a timeout below `leaseDurationMs - renewDeadlineMs`.
 */
export class LeaderElector {
  readonly #options: Required<Omit<LeaderElectorOptions, "env">>;
  readonly #env: Env;
  readonly #status: Gauge;
  readonly #view: LeaseView;
  #renewed: Stopwatch | undefined;

  constructor(options: LeaderElectorOptions) {
    const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000 } = options;
    this.#options = { ...options, leaseDurationMs, renewDeadlineMs, retryPeriodMs };
    checkPeriods(this.#options);
    this.#env = resolveEnv(options.env);
    this.#view = new LeaseView(this.#env.clock);
    this.#status = this.#env.meter.gauge(MASTER_STATUS).labels({ name: options.lease.name });
    this.#status.set(0);
  }

  /** Whether a write may be sent now on the strength of this lease. Ask before every one. */
  mayWrite(): boolean {
    return this.#renewed !== undefined && this.#renewed.elapsedMs() < this.#options.renewDeadlineMs;
  }

  /** Until this process must stop leading, milliseconds. */
  #leftMs(): number {
    return this.#options.renewDeadlineMs - (this.#renewed?.elapsedMs() ?? 0);
  }

  /** Who holds the lease as last seen; "" when nobody does. */
  holder(): string {
    return this.#view.holder;
  }

  /**
   * Stands for election until `signal` aborts, then gives the lease back and resolves. `lead` runs while this process leads; its
   * signal aborts when leading ends, and the lease is given back only after it has settled.
   * Errors: `LeadershipLostError` when the lease is lost while leading; whatever `lead` throws.
   */
  async run(options: { signal: AbortSignal; lead: (signal: AbortSignal) => Promise<void> }): Promise<void> {
    if (!(await this.#acquire(options.signal))) return;
    const ending = new AbortController();
    const leading = options.lead(AbortSignal.any([options.signal, ending.signal]));
    try {
      await Promise.race([this.#renewUntilLost(AbortSignal.any([options.signal, ending.signal])), leading]);
    } finally {
      ending.abort(new LeadershipLostError(this.#name, "leading has ended"));
      await Promise.allSettled([leading]);
      this.#status.set(0);
      await this.#release();
    }
    await leading;
  }

  async #acquire(signal: AbortSignal): Promise<boolean> {
    const { clock, random, log } = this.#env;
    while (!signal.aborted) {
      if (await this.#tryAcquireOrRenew(signal)) {
        this.#status.set(1);
        log.info("became the leader", { lease: this.#name, identity: this.#options.identity });
        return true;
      }
      // client-go waits with a jitter of 1.2: candidates that started together must not ask together.
      await quietly(sleep(clock, this.#options.retryPeriodMs * (1 + 1.2 * random()), signal), signal);
    }
    return false;
  }

  async #renewUntilLost(signal: AbortSignal): Promise<void> {
    const { identity, retryPeriodMs } = this.#options;
    while (!signal.aborted) {
      await quietly(sleep(this.#env.clock, Math.min(retryPeriodMs, this.#leftMs()), signal), signal);
      if (!signal.aborted && this.mayWrite()) await this.#tryAcquireOrRenew(signal);
      if (signal.aborted) return;
      if (!this.mayWrite()) throw this.#lost("it was not renewed within the renew deadline");
      if (this.#view.holder !== identity) throw this.#lost(`"${this.#view.holder}" holds it now`);
    }
  }

  #lost(why: string): LeadershipLostError {
    this.#renewed = undefined;
    this.#env.log.error("lost the leadership", { lease: this.#name, why });
    return new LeadershipLostError(this.#name, why);
  }

  /** One try. A failure is logged and retried by the loops; only the caller's deadline makes it final. */
  async #tryAcquireOrRenew(signal: AbortSignal): Promise<boolean> {
    const sent = new Stopwatch(this.#env.clock);
    const late = new AbortController();
    const timer = this.#env.clock.setTimer(() => late.abort(new Error("no answer in time")), this.#patienceMs());
    const limited = AbortSignal.any([signal, late.signal]);
    try {
      const won = (await this.#renewKnown(limited)) || (await this.#readAndTake(limited));
      if (won) this.#renewed = sent;
      return won;
    } catch (error) {
      if (!signal.aborted) {
        this.#env.log.warn("could not read or write the lease", { lease: this.#name, error: messageOf(error) });
      }
      return false;
    } finally {
      timer.cancel();
    }
  }

  /** A half-open connection must not eat the whole renew deadline: half of it a try, and never more than is left. */
  #patienceMs(): number {
    const half = Math.max(1_000, this.#options.renewDeadlineMs / 2);
    return this.#renewed ? Math.min(half, this.#leftMs()) : half;
  }

  /** The holder's usual path: one write with the version it knows, no read. */
  async #renewKnown(signal: AbortSignal): Promise<boolean> {
    if (this.#view.holder !== this.#options.identity || this.#renewed === undefined) return false;
    try {
      await this.#write(this.#renewedSpec(), this.#view.version, signal);
      return true;
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
      this.#env.meter.counter(SLOWPATH_TOTAL).labels({ name: this.#options.lease.name }).inc();
      return false;
    }
  }

  async #readAndTake(signal: AbortSignal): Promise<boolean> {
    const lease = await this.#read(signal);
    if (lease === undefined) return this.#create(signal);
    this.#view.observe(lease);
    const { identity } = this.#options;
    if (this.#view.holder !== identity && !this.#view.isFree()) return false;
    const spec = this.#view.holder === identity ? this.#renewedSpec() : this.#takenSpec();
    try {
      await this.#write(spec, lease.metadata.resourceVersion, signal);
      return true;
    } catch (error) {
      if (!isConflict(error)) throw error;
      return false;
    }
  }

  async #read(signal: AbortSignal): Promise<Lease | undefined> {
    try {
      const lease = await this.#options.client.get(resources.leases, this.#options.lease, { signal });
      return validateSpec(lease);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #create(signal: AbortSignal): Promise<boolean> {
    try {
      const draft = { metadata: this.#options.lease, spec: { ...this.#takenSpec(), leaseTransitions: 0 } };
      this.#view.observe(await this.#options.client.create(resources.leases, draft, { signal }));
      return true;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return false;
    }
  }

  async #write(spec: LeaseSpec, resourceVersion: string, signal: AbortSignal): Promise<void> {
    const patch = { type: "merge", body: { spec } } as const;
    const options = { signal, resourceVersion };
    this.#view.observe(await this.#options.client.patch(resources.leases, this.#options.lease, patch, options));
  }

  /** Gives the lease up, as client-go does: nobody has to wait for it to expire. */
  async #release(): Promise<void> {
    if (!this.mayWrite() || this.#view.holder !== this.#options.identity) return;
    this.#renewed = undefined;
    const now = microTime(this.#env.clock.now());
    const spec: LeaseSpec = { holderIdentity: "", leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
    try {
      await this.#write(spec, this.#view.version, new AbortController().signal);
      this.#env.log.info("gave the lease back", { lease: this.#name });
    } catch (error) {
      this.#env.log.warn("could not give the lease back; it will expire", {
        lease: this.#name,
        error: messageOf(error),
      });
    }
  }

  #renewedSpec(): LeaseSpec {
    const { identity, leaseDurationMs } = this.#options;
    const renewTime = microTime(this.#env.clock.now());
    return { holderIdentity: identity, leaseDurationSeconds: Math.ceil(leaseDurationMs / 1_000), renewTime };
  }

  #takenSpec(): LeaseSpec {
    const acquireTime = microTime(this.#env.clock.now());
    return { ...this.#renewedSpec(), acquireTime, leaseTransitions: this.#view.transitions + 1 };
  }

  get #name(): string {
    return `${this.#options.lease.namespace}/${this.#options.lease.name}`;
  }
}

function checkPeriods(periods: { leaseDurationMs: number; renewDeadlineMs: number; retryPeriodMs: number }): void {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = periods;
  if (leaseDurationMs > renewDeadlineMs && renewDeadlineMs > 1.2 * retryPeriodMs && retryPeriodMs > 0) return;
  throw new StalewatchError(
    "BAD_ELECTION_PERIODS",
    `leader election with lease ${leaseDurationMs} ms, renew deadline ${renewDeadlineMs} ms, retry ${retryPeriodMs} ms`,
    "the lease must be longer than the renew deadline, and that longer than 1.2 retry periods",
  );
}

/** The API's MicroTime: RFC 3339 with six digits. */
function microTime(now: number): string {
  return new Date(now).toISOString().replace(/(\.\d{3})Z$/, "$1000Z");
}

/** Waits for `waiting`; an abort of `signal` ends the wait without an error. */
async function quietly(waiting: Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await waiting;
  } catch (error) {
    if (!isAbort(error, signal)) throw error;
  }
}
