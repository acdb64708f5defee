import type {
  Attributes,
  Counter,
  Family,
  Gauge,
  Histogram,
  LabelValues,
  Meter,
  MetricDefinition,
  Span,
  SpanContext,
  SpanOptions,
  Tracer,
} from "../../src/telemetry/index.ts";

/** A meter that keeps what it is told, for assertions. */
export class RecordingMeter implements Meter {
  readonly #values: Map<string, number> = new Map();
  readonly #observations: Map<string, number[]> = new Map();

  readonly counter = <L extends string>(definition: MetricDefinition<L>): Family<L, Counter> =>
    this.#family(definition, (series) => ({ inc: (by = 1) => this.#add(series, by) }));

  readonly gauge = <L extends string>(definition: MetricDefinition<L>): Family<L, Gauge> =>
    this.#family(definition, (series) => ({
      set: (value: number) => void this.#values.set(series, value),
      add: (by: number) => this.#add(series, by),
    }));

  readonly histogram = <L extends string>(definition: MetricDefinition<L>): Family<L, Histogram> =>
    this.#family(definition, (series) => {
      const observations = this.#observations.get(series) ?? [];
      this.#observations.set(series, observations);
      return { observe: (value: number) => void observations.push(value) };
    });

  onCollect(): () => void {
    return () => {};
  }

  /** Of a counter or gauge; undefined when the series does not exist. */
  value(name: string, labels: Record<string, string> = {}): number | undefined {
    return this.#values.get(seriesOf(name, labels));
  }

  /** Over every series of the family whose labels include these. */
  total(name: string, labels: Record<string, string> = {}): number {
    let sum = 0;
    for (const [series, value] of this.#values) {
      const { name: family, labels: own } = JSON.parse(series) as ReturnType<typeof parsed>;
      if (family === name && Object.entries(labels).every(([label, is]) => own[label] === is)) sum += value;
    }
    return sum;
  }

  observed(name: string, labels: Record<string, string>): readonly number[] {
    return this.#observations.get(seriesOf(name, labels)) ?? [];
  }

  #add(series: string, by: number): void {
    this.#values.set(series, (this.#values.get(series) ?? 0) + by);
  }

  #family<L extends string, M>(definition: MetricDefinition<L>, member: (series: string) => M): Family<L, M> {
    return {
      labels: (values) => {
        const series = seriesOf(definition.name, values);
        if (definition.type !== "histogram" && !this.#values.has(series)) this.#values.set(series, 0);
        return member(series);
      },
      remove: (values) => void this.#values.delete(seriesOf(definition.name, values)),
    };
  }
}

function parsed(name: string, labels: Record<string, string>): { name: string; labels: Record<string, string> } {
  return { name, labels: Object.fromEntries(Object.entries(labels).sort(([a], [b]) => a.localeCompare(b))) };
}

function seriesOf(name: string, labels: LabelValues<string>): string {
  return JSON.stringify(parsed(name, labels));
}

/** A finished or running span as the tracer saw it. */
export interface RecordedSpan {
  readonly name: string;
  readonly kind: string;
  readonly context: SpanContext;
  readonly parent: SpanContext | undefined;
  readonly links: SpanContext[];
  readonly attributes: Record<string, unknown>;
  readonly errors: unknown[];
  ended: boolean;
}

/** A tracer that keeps every span, for assertions. */
export class RecordingTracer implements Tracer {
  readonly enabled = true;
  readonly spans: RecordedSpan[] = [];

  startSpan(name: string, options: SpanOptions = {}): Span {
    const id = String(this.spans.length + 1).padStart(16, "0");
    const context = options.parent?.context ?? { traceId: id.padStart(32, "f"), spanId: "", traceFlags: 1 };
    const recorded: RecordedSpan = {
      name,
      kind: options.kind ?? "internal",
      context: { ...context, spanId: id },
      parent: options.parent?.context,
      links: [...(options.links ?? [])],
      attributes: { ...options.attributes },
      errors: [],
      ended: false,
    };
    this.spans.push(recorded);
    return {
      context: recorded.context,
      set: (attributes: Attributes) => void Object.assign(recorded.attributes, attributes),
      link: (link) => void recorded.links.push(link),
      fail: (error) => void recorded.errors.push(error),
      end: () => {
        recorded.ended = true;
      },
    };
  }

  /** The root spans of one controller's passes, oldest first. */
  passes(controller: string): RecordedSpan[] {
    return this.spans.filter((span) => span.name === `${controller} reconcile`);
  }
}
