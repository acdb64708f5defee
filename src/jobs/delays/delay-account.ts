import type { SpanContext } from "../../telemetry/index.ts";
import type { DelayBounds } from "./delay-bounds.ts";
import type { DelayHistograms } from "./metrics.ts";

/** Of the last ones, so that what is long past does not hide what is now. */
const KEPT = 1_000;

/** The bounds of percentiles: since each delay lies between its bounds, so does each percentile. */
export interface DelayPercentiles {
  /** How many were measured since the start. */
  readonly count: number;
  readonly p50: DelayBounds;
  readonly p90: DelayBounds;
  readonly p99: DelayBounds;
}

/** What is known of one delay: its histograms, and the percentiles of the last 1 000. */
export class DelayAccount {
  readonly #histograms: DelayHistograms;
  readonly #last: DelayBounds[] = [];
  #count = 0;

  constructor(histograms: DelayHistograms) {
    this.#histograms = histograms;
  }

  /** The exemplar ties it to a trace. */
  add(bounds: DelayBounds, exemplar: SpanContext | undefined): void {
    this.#histograms.min.observe(bounds.minMs / 1_000, exemplar);
    this.#histograms.max.observe(bounds.maxMs / 1_000, exemplar);
    this.#last[this.#count % KEPT] = bounds;
    this.#count += 1;
  }

  /** Undefined before the first. */
  percentiles(): DelayPercentiles | undefined {
    if (this.#count === 0) return undefined;
    const least = this.#last.map(({ minMs }) => minMs).toSorted((a, b) => a - b);
    const most = this.#last.map(({ maxMs }) => maxMs).toSorted((a, b) => a - b);
    const at = (part: number): DelayBounds => ({ minMs: rank(least, part), maxMs: rank(most, part) });
    return { count: this.#count, p50: at(0.5), p90: at(0.9), p99: at(0.99) };
  }
}

/** The smallest value that at least this part of them does not exceed. */
function rank(sorted: readonly number[], part: number): number {
  return sorted[Math.ceil(part * sorted.length) - 1] ?? 0;
}
