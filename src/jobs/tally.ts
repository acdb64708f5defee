import type { Family, Gauge, LabelValues } from "../telemetry/index.ts";

/** A gauge that counts members by their labels. A count of zero has no series: namespaces come and go. */
export class Tally<L extends string> {
  readonly #family: Family<L, Gauge>;
  readonly #counts: Map<string, number> = new Map();

  constructor(family: Family<L, Gauge>) {
    this.#family = family;
  }

  add(labels: LabelValues<L>, by: 1 | -1): void {
    const key = Object.values(labels).join(" ");
    const count = (this.#counts.get(key) ?? 0) + by;
    if (count > 0) {
      this.#counts.set(key, count);
      this.#family.labels(labels).set(count);
    } else {
      this.#counts.delete(key);
      this.#family.remove(labels);
    }
  }
}
