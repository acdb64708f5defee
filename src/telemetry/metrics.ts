import type { SpanContext } from "./traces.ts";

/**
 * One metric family as data. Each folder declares its own in its `metrics.ts`; exposition/ puts them together into the catalog,
 * from which the docs table, the golden scrape and the checks of rules and dashboards are made.
 */
export interface MetricDefinition<L extends string = string> {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  /** Label names, each with its closed set of values, or "open" where the cluster decides. */
  readonly labels: Readonly<Record<L, readonly string[] | "open">>;
  /** Upper bounds of a histogram in seconds (or the family's unit), ascending, without +Inf. */
  readonly buckets?: readonly number[];
  /** ALPHA may change in any release, BETA keeps its name, STABLE keeps name and labels. */
  readonly stability: "ALPHA" | "BETA" | "STABLE";
  /** Set on a gauge with one series an object of the cluster: its series are capped (`--max-series`) and rendered from cached text. */
  readonly perObject?: true;
}

export type LabelValues<L extends string> = Readonly<Record<L, string>>;

export interface Counter {
  /** Adds `by` (1 unless given, never negative). The exemplar ties this increment to a trace. */
  inc(by?: number, exemplar?: SpanContext): void;
}
export interface Gauge {
  set(value: number): void;
  add(by: number): void;
}
export interface Histogram {
  observe(value: number, exemplar?: SpanContext): void;
}

/** The members of one family. `labels()` finds or makes a series and is meant to be called once and kept on hot paths. */
export interface Family<L extends string, M> {
  labels(values: LabelValues<L>): M;
  /** Ends a series; it is gone from the next scrape. */
  remove(values: LabelValues<L>): void;
}

/**
 * Where measurements go. Asking twice for a family of the same name gives the same family, so several controllers share one.
 * Implementations never throw on a measurement: telemetry must not break the pass that it describes.
 */
export interface Meter {
  counter<L extends string>(definition: MetricDefinition<L>): Family<L, Counter>;
  gauge<L extends string>(definition: MetricDefinition<L>): Family<L, Gauge>;
  histogram<L extends string>(definition: MetricDefinition<L>): Family<L, Histogram>;
  /** Runs `update` before each scrape, for gauges that are read rather than kept. Returns how to stop it. */
  onCollect(update: () => void): () => void;
}

const noopMember: Counter & Gauge & Histogram = { inc() {}, set() {}, add() {}, observe() {} };
const noopFamily: Family<string, Counter & Gauge & Histogram> = { labels: () => noopMember, remove() {} };

export const noopMeter: Meter = {
  counter: () => noopFamily,
  gauge: () => noopFamily,
  histogram: () => noopFamily,
  onCollect: () => () => {},
};
