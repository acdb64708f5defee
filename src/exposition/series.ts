import type { Clock } from "../base/index.ts";
import type { Counter, Gauge, Histogram, SpanContext } from "../telemetry/index.ts";
import { counterName, type Format } from "./format.ts";
import { boundText, labelText, valueText } from "./number-text.ts";

export type LabelSet = Readonly<Record<string, string>>;

interface Exemplar {
  readonly labels: string;
  readonly value: number;
  /** Seconds since the Unix epoch. */
  readonly timestamp: number;
}

/** One series of a family. Recording is arithmetic on own fields; its lines are made when somebody scrapes, and kept until it changes. */
export interface Series {
  /** Each ended by a newline. */
  lines(format: Format): string;
  /** Whether `lines` has been asked for since the last change. */
  isKept(format: Format): boolean;
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

/** Keeps the lines that were made, one text a format, until the series changes. */
abstract class KeptSeries implements Series {
  #text: string | undefined;
  #openmetrics: string | undefined;

  lines(format: Format): string {
    if (format === "text") return (this.#text ??= this.makeLines(format));
    return (this.#openmetrics ??= this.makeLines(format));
  }

  isKept(format: Format): boolean {
    return (format === "text" ? this.#text : this.#openmetrics) !== undefined;
  }

  protected abstract makeLines(format: Format): string;

  protected changed(): void {
    this.#text = undefined;
    this.#openmetrics = undefined;
  }
}

/** Only a sampled trace can be found again, so only that makes an exemplar. */
function exemplarOf(span: SpanContext | undefined, value: number, clock: Clock): Exemplar | undefined {
  if (!span || (span.traceFlags & 1) === 0) return undefined;
  const labels = labelText({ trace_id: span.traceId, span_id: span.spanId });
  return { labels, value, timestamp: clock.now() / 1000 };
}

/** `labels` as `a="b",c="d"`, empty for none. */
function lineOf(name: string, labels: string, value: number, exemplar?: Exemplar): string {
  const line = `${name}${labels && `{${labels}}`} ${valueText(value)}`;
  if (!exemplar) return `${line}\n`;
  return `${line} # {${exemplar.labels}} ${valueText(exemplar.value)} ${exemplar.timestamp}\n`;
}

export class CounterSeries extends KeptSeries implements Counter {
  readonly #labels: string;
  readonly #context: SeriesContext;
  #value = 0;
  #exemplar: Exemplar | undefined;

  constructor(labels: LabelSet, context: SeriesContext) {
    super();
    this.#labels = labelText(labels);
    this.#context = context;
  }

  inc(by = 1, exemplar?: SpanContext): void {
    if (!(by >= 0)) return this.#context.complain(`a counter cannot grow by ${by}`);
    this.#value += by;
    if (exemplar) this.#exemplar = exemplarOf(exemplar, by, this.#context.clock) ?? this.#exemplar;
    this.changed();
  }

  protected override makeLines(format: Format): string {
    const { name } = this.#context;
    if (format === "text") return lineOf(name, this.#labels, this.#value);
    return lineOf(`${counterName(name)}_total`, this.#labels, this.#value, this.#exemplar);
  }
}

export class GaugeSeries extends KeptSeries implements Gauge {
  readonly #labels: string;
  readonly #context: SeriesContext;
  #value = 0;

  constructor(labels: LabelSet, context: SeriesContext) {
    super();
    this.#labels = labelText(labels);
    this.#context = context;
  }

  set(value: number): void {
    if (Number.isNaN(value)) return this.#context.complain("a gauge cannot be NaN");
    if (value === this.#value) return;
    this.#value = value;
    this.changed();
  }

  add(by: number): void {
    this.set(this.#value + by);
  }

  protected override makeLines(): string {
    return lineOf(this.#context.name, this.#labels, this.#value);
  }
}

export class HistogramSeries extends KeptSeries implements Histogram {
  readonly #labels: string;
  readonly #context: SeriesContext;
  /** Observations per bucket, not cumulative; the last one is +Inf. */
  readonly #counts: Float64Array;
  #exemplars: (Exemplar | undefined)[] | undefined;
  #sum = 0;

  constructor(labels: LabelSet, context: SeriesContext) {
    super();
    this.#labels = labelText(labels);
    this.#context = context;
    this.#counts = new Float64Array(context.bounds.length + 1);
  }

  observe(value: number, exemplar?: SpanContext): void {
    if (!Number.isFinite(value)) return this.#context.complain(`a histogram cannot observe ${value}`);
    const bucket = this.#bucketOf(value);
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += value;
    this.changed();
    if (!exemplar) return;
    const made = exemplarOf(exemplar, value, this.#context.clock);
    if (made) (this.#exemplars ??= [])[bucket] = made;
  }

  protected override makeLines(format: Format): string {
    const { name, boundTexts } = this.#context;
    const start = this.#labels && `${this.#labels},`;
    const exemplars = format === "openmetrics" ? this.#exemplars : undefined;
    let text = "";
    let count = 0;
    for (const [at, le] of boundTexts.entries()) {
      count += this.#counts[at] ?? 0;
      text += lineOf(`${name}_bucket`, `${start}le="${le}"`, count, exemplars?.[at]);
    }
    return text + lineOf(`${name}_sum`, this.#labels, this.#sum) + lineOf(`${name}_count`, this.#labels, count);
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
