import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { isAbort, messageOf, sleep, StalewatchError } from "../base/index.ts";
import type { DeepReadonly, Lease } from "../resources/index.ts";
import { type Env, type Gauge, resolveEnv } from "../telemetry/index.ts";
import { checkPeriods, type ElectionPeriods, LeadershipLostError, notLeader } from "./errors.ts";
import { type LeaseClient, LeaseLock } from "./lease-lock.ts";
import { MASTER_STATUS, SLOWPATH_TOTAL } from "./metrics.ts";
import { Stopwatch } from "./stopwatch.ts";

export interface LeaderElectorOptions {
  /** Needs get, create and patch on the lease. Of its own connections (`pool: "election"`), so that nothing holds back a renewal. */
  client: LeaseClient;
  lease: { namespace: string; name: string };
  /** Unique among all candidates that ever stand, not empty; the host's name and a random part unless given. */
  identity?: string;
  /** How long others wait for a silent holder. 15 s unless given; must exceed `renewDeadlineMs`. */
  leaseDurationMs?: number;
  /** How long a holder that cannot renew goes on. 10 s unless given; must exceed 1.2 times `retryPeriodMs`. */
  renewDeadlineMs?: number;
  /** 2 s unless given. */
  retryPeriodMs?: number;
  env?: Partial<Env>;
}

/**
 * What runs while this process leads. `signal` aborts when it must come to an end: the caller of `run` has asked, or the lease is
 * lost. `lost` aborts in the second case only, with the `LeadershipLostError`: then nothing may be written any more.
 */
export type Lead = (signal: AbortSignal, lost: AbortSignal) => Promise<void>;

/** client-go's factor: candidates that started together must not ask together. */
const JITTER = 1.2;
/** controller-runtime's bound: a shorter patience would give up on a server that is only slow. */
const LEAST_PATIENCE_MS = 1_000;

/**
 * One of several candidates for a Lease, on the terms of client-go, with which it can share a lease.
 *
 * Promises: `mayWrite()` is true only while less than the renew deadline has passed since the last renewal was *sent*, by whichever of
 * the wall clock and the monotonic clock has gone further, so that a paused or suspended holder knows it is late as soon as it wakes.
 * Another's lease counts as expired only by how long *this* process has seen it unchanged on the monotonic clock; the times written in
 * the lease are never compared with the local clock, so clocks that differ or jump make no two leaders. A wall clock set forward costs
 * a holder the lease. A silent holder is followed within its lease duration and two retries (24 s) and a round trip.
 *
 * Does not promise that a write that was sent arrives before a takeover: `leaseDurationMs - renewDeadlineMs` is what it has. Does not
 * end the process: whoever gets `LeadershipLostError` from `run` does. Nobody should delete a lease that is in use: a candidate that
 * has never seen it would take it for free.
 */
export class LeaderElector {
  readonly identity: string;
  readonly #name: string;
  readonly #periods: ElectionPeriods;
  readonly #env: Env;
  readonly #status: Gauge;
  readonly #lock: LeaseLock;
  #renewed: Stopwatch | undefined;
  #started = false;

  /** Errors: `BAD_ELECTION_PERIODS`, `BAD_IDENTITY`. */
  constructor(options: LeaderElectorOptions) {
    const {
      client,
      lease,
      identity,
      leaseDurationMs = 15_000,
      renewDeadlineMs = 10_000,
      retryPeriodMs = 2_000,
    } = options;
    // Not from env's random numbers: two processes that were given the same ones must differ.
    this.identity = identity ?? `${hostname()}_${randomUUID()}`;
    this.#name = `${lease.namespace}/${lease.name}`;
    this.#periods = { leaseDurationMs, renewDeadlineMs, retryPeriodMs };
    checkPeriods(this.#periods);
    if (this.identity === "") {
      const what = `a candidate for the lease ${this.#name} has no identity`;
      throw new StalewatchError("BAD_IDENTITY", what, "leave it out, or give one that no other candidate has");
    }
    this.#env = resolveEnv(options.env);
    const { clock, meter } = this.#env;
    const slowPath = meter.counter(SLOWPATH_TOTAL).labels({ name: lease.name });
    this.#lock = new LeaseLock({ client, lease, identity: this.identity, leaseDurationMs, clock, slowPath });
    this.#status = meter.gauge(MASTER_STATUS).labels({ name: lease.name });
    this.#status.set(0);
  }

  /** Whether a write may be sent now on the strength of this lease. Ask as each is sent (`WriteOptions.beforeSend`). */
  mayWrite(): boolean {
    return this.#leftMs() > 0;
  }

  /** Errors: `NOT_LEADER` when nothing may be written now. */
  requireLeadership(): void {
    if (!this.mayWrite()) throw notLeader(this.#name);
  }

  /** As last seen; undefined before the first look. */
  get lease(): DeepReadonly<Lease> | undefined {
    return this.#lock.lease;
  }

  /**
   * Stands for election until `signal` aborts. While this process leads, `lead` runs; the lease is renewed until that has ended, also
   * after `signal` has aborted, and then given back. Resolves when `lead` has ended, or when stopped before it began.
   * Errors: `LeadershipLostError` as soon as the lease is lost, whether `lead` has ended or not; whatever `lead` throws;
   * `ELECTION_STARTED` for a second run: it would take up a lost lease while the first `lead` may still be at work.
   */
  async run({ signal, lead }: { signal: AbortSignal; lead: Lead }): Promise<void> {
    if (this.#started) {
      const what = `the elector ${this.identity} was run twice`;
      throw new StalewatchError("ELECTION_STARTED", what, "make another one, with another identity");
    }
    this.#started = true;
    if (!(await this.#acquire(signal))) return;
    const lost = new AbortController();
    const over = new AbortController();
    const leading = this.#lead(lead, AbortSignal.any([signal, lost.signal]), lost.signal);
    const end = (): void => over.abort();
    leading.then(end, end);
    try {
      await this.#renewUntil(over.signal);
    } catch (error) {
      lost.abort(error);
      leading.catch((late: unknown) =>
        this.#env.log.warn("failed while it stopped leading", { error: messageOf(late) }),
      );
      throw error;
    }
    await this.#release();
    await leading;
  }

  async #lead(lead: Lead, signal: AbortSignal, lost: AbortSignal): Promise<void> {
    this.#status.set(1);
    this.#env.log.info("became the leader", { lease: this.#name, identity: this.identity });
    await lead(signal, lost);
  }

  /** False when stopped before. */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    const { clock, random } = this.#env;
    while (!signal.aborted) {
      if (await this.#try((limited) => this.#lock.take(limited), signal)) return true;
      await quietly(sleep(clock, this.#periods.retryPeriodMs * (1 + JITTER * random()), signal), signal);
    }
    return false;
  }

  async #renewUntil(over: AbortSignal): Promise<void> {
    const { clock } = this.#env;
    while (!over.aborted) {
      await quietly(sleep(clock, Math.min(this.#periods.retryPeriodMs, this.#leftMs()), over), over);
      if (!over.aborted && this.mayWrite()) await this.#try((limited) => this.#lock.renew(limited), over);
      if (over.aborted) return;
      if (!this.mayWrite()) throw this.#lost("it was not renewed within the renew deadline");
      const { holder } = this.#lock;
      if (holder !== "" && holder !== this.identity) throw this.#lost(`"${holder}" holds it now`);
    }
  }

  #lost(why: string): LeadershipLostError {
    this.#renewed = undefined;
    this.#status.set(0);
    this.#env.log.error("lost the leadership", { lease: this.#name, identity: this.identity, why });
    return new LeadershipLostError(this.#name, why);
  }

  /** A failure is logged; the loops try again until their time is over. */
  async #try(call: (signal: AbortSignal) => Promise<boolean>, signal: AbortSignal): Promise<boolean> {
    const sent = new Stopwatch(this.#env.clock);
    try {
      const won = await this.#patiently(call, signal);
      if (won) this.#renewed = sent;
      return won;
    } catch (error) {
      if (!signal.aborted) {
        this.#env.log.warn("could not read or write the lease", { lease: this.#name, error: messageOf(error) });
      }
      return false;
    }
  }

  /** A half-open connection must not eat the whole renew deadline: half of it a try, and never more than is left. */
  async #patiently<R>(call: (signal: AbortSignal) => Promise<R>, signal?: AbortSignal): Promise<R> {
    const half = Math.max(LEAST_PATIENCE_MS, this.#periods.renewDeadlineMs / 2);
    const late = new AbortController();
    const patienceMs = this.#renewed ? Math.min(half, this.#leftMs()) : half;
    const timer = this.#env.clock.setTimer(() => late.abort(new Error("no answer in time")), patienceMs);
    try {
      return await call(signal ? AbortSignal.any([signal, late.signal]) : late.signal);
    } finally {
      timer.cancel();
    }
  }

  async #release(): Promise<void> {
    this.#renewed = undefined;
    this.#status.set(0);
    try {
      const given = await this.#patiently((limited) => this.#lock.release(limited));
      this.#env.log.info(given ? "gave the lease back" : "somebody else holds the lease already", {
        lease: this.#name,
      });
    } catch (error) {
      const fields = { lease: this.#name, error: messageOf(error) };
      this.#env.log.warn("could not give the lease back; it will expire", fields);
    }
  }

  /** Until this process must stop leading, milliseconds. */
  #leftMs(): number {
    return this.#renewed ? this.#periods.renewDeadlineMs - this.#renewed.elapsedMs() : 0;
  }
}

/** Waits for `waiting`; an abort of `signal` ends the wait without an error. */
async function quietly(waiting: Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await waiting;
  } catch (error) {
    if (!isAbort(error, signal)) throw error;
  }
}
