import { StalewatchError } from "../base/index.ts";
import type { Counter, Histogram, Meter } from "../telemetry/index.ts";
import { type Interval, uniqueIntervals } from "./interval.ts";
import {
  requeueDelaySeconds,
  requeueIntervalSeconds,
  requeueLatenessSeconds,
  type RequeueOutcome,
  requeuesTotal,
} from "./metrics.ts";
import type { Requeue } from "./requeue.ts";

/** One interval of a controller and what has become of its requeues since the start. What is left of `asked` waits still. */
export interface IntervalAccount {
  readonly interval: Interval;
  readonly asked: number;
  readonly fired: number;
  readonly superseded: number;
  readonly dropped: number;
  /** Those of `fired` whose pass acted on a change that nothing else had told of. */
  readonly rescues: number;
  /** How late passes of `fired` began, milliseconds; 0 before the first. */
  readonly late: { readonly mean: number; readonly max: number };
}

interface Account {
  readonly interval: Interval;
  readonly delay: Histogram;
  readonly lateness: Histogram;
  readonly outcomes: Readonly<Record<RequeueOutcome, Counter>>;
  readonly counts: Record<RequeueOutcome | "asked" | "rescues", number>;
  totalLateMs: number;
  mostLateMs: number;
}

/**
 * Keeps account of one controller's requeues: what was asked, and how each ended. Every requeue asked for ends in exactly one of
 * fired, superseded and dropped, or is still waiting. Told by the controller, which hears it from its queue.
 */
export class RequeueLedger {
  readonly #controller: string;
  readonly #accounts: ReadonlyMap<string, Account>;

  /** Errors: `BAD_INTERVAL` when a name is given twice with different durations. */
  constructor(controller: string, intervals: Iterable<Interval>, meter: Meter) {
    this.#controller = controller;
    const configured = meter.gauge(requeueIntervalSeconds);
    const delays = meter.histogram(requeueDelaySeconds);
    const lateness = meter.histogram(requeueLatenessSeconds);
    const ended = meter.counter(requeuesTotal);
    const accounts = uniqueIntervals(intervals).map((interval): [string, Account] => {
      const labels = { controller, interval: interval.name };
      configured.labels(labels).set(interval.ms / 1_000);
      const outcomes = {
        fired: ended.labels({ ...labels, outcome: "fired" }),
        superseded: ended.labels({ ...labels, outcome: "superseded" }),
        dropped: ended.labels({ ...labels, outcome: "dropped" }),
      };
      const series = { delay: delays.labels(labels), lateness: lateness.labels(labels), outcomes };
      const counts = { asked: 0, fired: 0, superseded: 0, dropped: 0, rescues: 0 };
      return [interval.name, { interval, ...series, counts, totalLateMs: 0, mostLateMs: 0 }];
    });
    this.#accounts = new Map(accounts);
  }

  get intervals(): readonly Interval[] {
    return [...this.#accounts.values()].map(({ interval }) => interval);
  }

  accounts(): readonly IntervalAccount[] {
    return [...this.#accounts.values()].map(({ interval, counts, totalLateMs, mostLateMs }) => {
      const late = { mean: totalLateMs / Math.max(counts.fired, 1), max: mostLateMs };
      return { interval, ...counts, late };
    });
  }

  /** Whether an interval is a fallback for an event that should come first. */
  isWait(interval: string): boolean {
    return this.#accounts.get(interval)?.interval.sort === "wait";
  }

  /**
   * An object may have its own duration of a declared interval (a field of its spec): the name counts.
   * Errors: `UNDECLARED_INTERVAL` when the controller did not declare it.
   */
  asked(requeue: Requeue): void {
    const account = this.#accounts.get(requeue.interval.name);
    if (!account) {
      throw new StalewatchError(
        "UNDECLARED_INTERVAL",
        `controller ${this.#controller} asked for interval ${requeue.interval.name}, which it does not declare`,
        "list it in the controller's intervals",
      );
    }
    account.delay.observe(requeue.delayMs / 1_000);
    account.counts.asked += 1;
  }

  /**
   * Its time came; its pass begins `lateMs` after it. Here and below an interval of undefined is a delay that is no requeue, such
   * as a retry: nothing is counted.
   */
  fired(interval: string | undefined, lateMs: number): void {
    const account = this.#ended(interval, "fired");
    if (!account) return;
    const late = Math.max(lateMs, 0);
    account.lateness.observe(late / 1_000);
    account.totalLateMs += late;
    account.mostLateMs = Math.max(account.mostLateMs, late);
  }

  /** An event, or an earlier requeue of the same key, came first. */
  superseded(interval: string | undefined): void {
    this.#ended(interval, "superseded");
  }

  /** It was still waiting when the controller stopped. */
  dropped(interval: string | undefined): void {
    this.#ended(interval, "dropped");
  }

  /** The pass of one that fired acted on a change that nothing else had told of. */
  rescued(interval: string | undefined): void {
    const account = this.#of(interval);
    if (account) account.counts.rescues += 1;
  }

  #ended(interval: string | undefined, outcome: RequeueOutcome): Account | undefined {
    const account = this.#of(interval);
    if (!account) return undefined;
    account.outcomes[outcome].inc();
    account.counts[outcome] += 1;
    return account;
  }

  #of(interval: string | undefined): Account | undefined {
    return interval === undefined ? undefined : this.#accounts.get(interval);
  }
}
