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

interface Account {
  readonly interval: Interval;
  readonly delay: Histogram;
  readonly lateness: Histogram;
  readonly outcomes: Readonly<Record<RequeueOutcome, Counter>>;
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
      return [interval.name, { interval, delay: delays.labels(labels), lateness: lateness.labels(labels), outcomes }];
    });
    this.#accounts = new Map(accounts);
  }

  get intervals(): readonly Interval[] {
    return [...this.#accounts.values()].map(({ interval }) => interval);
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
  }

  /**
   * Its time came; its pass begins `lateMs` after it. Here and below an interval of undefined is a delay that is no requeue, such
   * as a retry: nothing is counted.
   */
  fired(interval: string | undefined, lateMs: number): void {
    this.#of(interval)?.lateness.observe(Math.max(lateMs, 0) / 1_000);
    this.#of(interval)?.outcomes.fired.inc();
  }

  /** An event, or an earlier requeue of the same key, came first. */
  superseded(interval: string | undefined): void {
    this.#of(interval)?.outcomes.superseded.inc();
  }

  /** It was still waiting when the controller stopped. */
  dropped(interval: string | undefined): void {
    this.#of(interval)?.outcomes.dropped.inc();
  }

  #of(interval: string | undefined): Account | undefined {
    return interval === undefined ? undefined : this.#accounts.get(interval);
  }
}
