import type { Clock } from "../base/index.ts";
import type { Counter, Gauge, Histogram, SpanContext } from "../telemetry/index.ts";
import { boundText } from "./number-text.ts";

export type LabelSet = Readonly<Record<string, string>>;

/** One line of a scrape, in the shape that the Prometheus client renders. */
export interface Sample {
  readonly labels: LabelSet;
  readonly value: number;
  /** The line's own name where it is not the family's: `_bucket`, `_sum`, `_count`. */
  readonly metricName?: string;
  readonly exemplar?: Exemplar | undefined;
}

interface Exemplar {
  readonly labelSet: LabelSet;
  readonly value: number;
  /** Seconds since the Unix epoch. */
  readonly timestamp: number;
}

/** One series of a family. Recording is arithmetic on own fields; samples are made when somebody scrapes. */
export interface Series {
  samples(): readonly Sample[];
}

/** What a series needs of its family: its name, its bounds, the time, and whom to tell of an impossible value. */
export interface SeriesContext {
  readonly name: string;
  readonly bounds: readonly number[];
  readonly boundTexts: readonly string[];
  readonly clock: Clock;
  /** Called with what a caller did wrong; says it once a family. */
  readonly complain: (problem: string) => void;
}

export function seriesContext(
  definition: { name: string; buckets?: readonly number[] },
  rest: Pick<SeriesContext, "clock" | "complain">,
): SeriesContext {
  const bounds = definition.buckets ?? [];
  return { name: definition.name, bounds, boundTexts: [...bounds.map(boundText), "+Inf"], ...rest };
}

/** Only a sampled trace can be found again, so only that makes an exemplar. */
function exemplarOf(span: SpanContext | undefined, value: number, clock: Clock): Exemplar | undefined {
  if (!span || (span.traceFlags & 1) === 0) return undefined;
  return { labelSet: { trace_id: span.traceId, span_id: span.spanId }, value, timestamp: clock.now() / 1000 };
}

export class CounterSeries implements Counter, Series {
  readonly #labels: LabelSet;
  readonly #context: SeriesContext;
  #value = 0;
  #exemplar: Exemplar | undefined;

  constructor(labels: LabelSet, context: SeriesContext) {
    this.#labels = labels;
    this.#context = context;
  }

  inc(by = 1, exemplar?: SpanContext): void {
    if (!(by >= 0)) return this.#context.complain(`a counter cannot grow by ${by}`);
    this.#value += by;
    if (exemplar) this.#exemplar = exemplarOf(exemplar, by, this.#context.clock) ?? this.#exemplar;
  }

  samples(): readonly Sample[] {
    return [{ labels: this.#labels, value: this.#value, exemplar: this.#exemplar }];
  }
}

export class GaugeSeries implements Gauge, Series {
  readonly #labels: LabelSet;
  readonly #context: SeriesContext;
  #value = 0;

  constructor(labels: LabelSet, context: SeriesContext) {
    this.#labels = labels;
    this.#context = context;
  }

  set(value: number): void {
    if (Number.isNaN(value)) return this.#context.complain("a gauge cannot be NaN");
    this.#value = value;
  }

  add(by: number): void {
    this.set(this.#value + by);
  }

  samples(): readonly Sample[] {
    return [{ labels: this.#labels, value: this.#value }];
  }
}

export class HistogramSeries implements Histogram, Series {
  readonly #labels: LabelSet;
  readonly #context: SeriesContext;
  /** Observations per bucket, not cumulative; the last one is +Inf. */
  readonly #counts: Float64Array;
  #exemplars: (Exemplar | undefined)[] | undefined;
  #sum = 0;

  constructor(labels: LabelSet, context: SeriesContext) {
    this.#labels = labels;
    this.#context = context;
    this.#counts = new Float64Array(context.bounds.length + 1);
  }

  observe(value: number, exemplar?: SpanContext): void {
    if (!Number.isFinite(value)) return this.#context.complain(`a histogram cannot observe ${value}`);
    const bucket = this.#bucketOf(value);
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += value;
    if (!exemplar) return;
    const made = exemplarOf(exemplar, value, this.#context.clock);
    if (made) (this.#exemplars ??= [])[bucket] = made;
  }

  samples(): readonly Sample[] {
    const { name, boundTexts } = this.#context;
    const samples: Sample[] = [];
    let count = 0;
    for (const [at, le] of boundTexts.entries()) {
      count += this.#counts[at] ?? 0;
      const labels = { ...this.#labels, le };
      samples.push({ metricName: `${name}_bucket`, labels, value: count, exemplar: this.#exemplars?.[at] });
    }
    samples.push({ metricName: `${name}_sum`, labels: this.#labels, value: this.#sum });
    samples.push({ metricName: `${name}_count`, labels: this.#labels, value: count });
    return samples;
  }

  /** Index of the first bound at or above `value`. */
  #bucketOf(value: number): number {
    const { bounds } = this.#context;
    let low = 0;
    let high = bounds.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (value <= (bounds[middle] ?? Number.POSITIVE_INFINITY)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
