import type { Family, LabelValues, MetricDefinition } from "../telemetry/index.ts";
import type { LabelSet } from "./series.ts";

/** Where a value goes that a closed label does not have, so that a mistake in a caller cannot grow the set. */
const OTHER = "other";

export interface FamilyOptions<S, L extends string> {
  readonly definition: MetricDefinition<L>;
  readonly make: (labels: LabelSet) => S;
  /** Told when a caller uses a label value outside its closed set. */
  readonly complain: (problem: string) => void;
  /** Told of a series that `remove` took out. */
  readonly removed?: (series: S) => void;
  /** No more series than this; unbounded unless given. */
  readonly limit?: { readonly max: number; readonly overflow: S; readonly dropped: () => void };
}

/**
 * The series of one family by their labels. Promises one object a label set for as long as it is not removed, and never throws:
 * an unknown value of a closed label is counted under "other", a series above the limit goes to a member that keeps nothing.
 */
export class SeriesFamily<S, L extends string = string> implements Family<L, S> {
  readonly definition: MetricDefinition<L>;
  readonly #options: FamilyOptions<S, L>;
  readonly #names: readonly L[];
  readonly #series: Map<string, S> = new Map();

  constructor(options: FamilyOptions<S, L>) {
    this.definition = options.definition;
    this.#options = options;
    this.#names = Object.keys(options.definition.labels) as L[];
  }

  labels(values: LabelValues<L>): S {
    return this.#series.get(this.#keyOf(values)) ?? this.#make(this.#closed(values));
  }

  remove(values: LabelValues<L>): void {
    const key = this.#keyOf(this.#closed(values));
    const series = this.#series.get(key);
    if (series === undefined) return;
    this.#series.delete(key);
    this.#options.removed?.(series);
  }

  get size(): number {
    return this.#series.size;
  }

  series(): IterableIterator<S> {
    return this.#series.values();
  }

  /** Makes every series that can be known beforehand: all combinations, when no label is open. */
  fill(): void {
    let combinations: Partial<Record<L, string>>[] = [{}];
    for (const name of this.#names) {
      const values = this.definition.labels[name];
      if (values === "open") return;
      combinations = combinations.flatMap((labels) => values.map((value) => ({ ...labels, [name]: value })));
    }
    for (const labels of combinations) this.labels(labels as LabelValues<L>);
  }

  #make(values: LabelValues<L>): S {
    const key = this.#keyOf(values);
    const found = this.#series.get(key);
    if (found) return found;
    const { limit, make } = this.#options;
    if (limit && this.#series.size >= limit.max) {
      limit.dropped();
      return limit.overflow;
    }
    const made = make(values);
    this.#series.set(key, made);
    return made;
  }

  /** Exactly the declared labels, each with a value that its set allows. */
  #closed(values: LabelValues<L>): LabelValues<L> {
    const closed: Partial<Record<L, string>> = {};
    for (const name of this.#names) {
      const allowed = this.definition.labels[name];
      const value = values[name] ?? "";
      const known = allowed === "open" || allowed.includes(value);
      if (!known) this.#options.complain(`label ${name} has no value "${value}", counted as "${OTHER}"`);
      closed[name] = known ? value : OTHER;
    }
    return closed as LabelValues<L>;
  }

  #keyOf(values: LabelValues<L>): string {
    let key = "";
    for (const name of this.#names) key += `${values[name] ?? ""}\u0000`;
    return key;
  }
}
