import type { Counter, Family, Gauge, Histogram, Meter } from "../telemetry/index.ts";
import {
  workqueueAdds,
  workqueueDepth,
  workqueueLongestRunning,
  workqueueQueueDuration,
  workqueueRetries,
  workqueueUnfinishedWork,
  workqueueWorkDuration,
} from "./metrics.ts";

/** controller-runtime's limit on distinct values of the priority label, and its name for the rest. */
const MAX_PRIORITY_LABELS = 25;
const OTHER_PRIORITIES = "exceeded_cardinality_limit";

/** Ages in milliseconds of the keys that workers have now. */
export interface RunningWork {
  totalMs: number;
  longestMs: number;
}

/**
 * The upstream measurements of one queue. A plain queue has no priorities: its depth carries an empty label.
 *
 * `workqueue_unfinished_work_seconds` and `workqueue_longest_running_processor_seconds` are computed when they are scraped.
 * Upstream sets them every 500 ms and stops at shutdown; this way they are exact, need no timer, and go on to show a worker that
 * does not finish until the last one has, which is when `close` is called.
 */
export class QueueMetrics {
  readonly #labels: { readonly name: string; readonly controller: string };
  readonly #depth: Family<"name" | "controller" | "priority", Gauge>;
  readonly #depths: Map<number | undefined, Gauge> = new Map();
  readonly #adds: Counter;
  readonly #queueDuration: Histogram;
  readonly #workDuration: Histogram;
  readonly #retries: Counter;
  readonly #collect: () => void;
  readonly #stopCollecting: () => void;

  constructor(labels: { name: string; controller: string }, meter: Meter, running: () => RunningWork) {
    this.#labels = labels;
    this.#depth = meter.gauge(workqueueDepth);
    this.#adds = meter.counter(workqueueAdds).labels(labels);
    this.#queueDuration = meter.histogram(workqueueQueueDuration).labels(labels);
    this.#workDuration = meter.histogram(workqueueWorkDuration).labels(labels);
    this.#retries = meter.counter(workqueueRetries).labels(labels);
    const unfinished = meter.gauge(workqueueUnfinishedWork).labels(labels);
    const longest = meter.gauge(workqueueLongestRunning).labels(labels);
    this.#collect = () => {
      const { totalMs, longestMs } = running();
      unfinished.set(totalMs / 1_000);
      longest.set(longestMs / 1_000);
    };
    this.#stopCollecting = meter.onCollect(this.#collect);
  }

  added(priority?: number): void {
    this.#adds.inc();
    this.#depthOf(priority).add(1);
  }

  got(queueMs: number, priority?: number): void {
    this.#depthOf(priority).add(-1);
    this.#queueDuration.observe(queueMs / 1_000);
  }

  /** It needs no work any more, without having been handed out. */
  dropped(priority?: number): void {
    this.#depthOf(priority).add(-1);
  }

  raised(from: number, to: number): void {
    this.#depthOf(from).add(-1);
    this.#depthOf(to).add(1);
  }

  finished(workMs: number): void {
    this.#workDuration.observe(workMs / 1_000);
  }

  retried(): void {
    this.#retries.inc();
  }

  close(): void {
    this.#collect();
    this.#stopCollecting();
  }

  #depthOf(priority: number | undefined): Gauge {
    let gauge = this.#depths.get(priority);
    if (!gauge) {
      const label = this.#depths.size < MAX_PRIORITY_LABELS ? String(priority ?? "") : OTHER_PRIORITIES;
      gauge = this.#depth.labels({ ...this.#labels, priority: label });
      // Priorities beyond the limit are not kept: their number has no bound.
      if (label !== OTHER_PRIORITIES) this.#depths.set(priority, gauge);
    }
    return gauge;
  }
}
