import { type Clock, systemRandom } from "../../src/base/index.ts";
import {
  type Counter,
  type Env,
  type Family,
  type Gauge,
  type Histogram,
  type LabelValues,
  type MetricDefinition,
  noopTracer,
} from "../../src/telemetry/index.ts";
import { VirtualClock } from "../../src/testing/index.ts";

export interface Recorded {
  readonly env: Env;
  readonly clock: VirtualClock;
  readonly warnings: { message: string; fields: unknown }[];
  /** A counter's value, or how often a histogram observed; 0 for a series that is not there. */
  count(name: string, labels: Readonly<Record<string, string>>): number;
  sum(name: string, labels: Readonly<Record<string, string>>): number;
}

/** An env with a clock that the test moves, which keeps what is measured and warned of. */
export function recordingEnv(): Recorded {
  const clock = new VirtualClock();
  const counts = new Map<string, number>();
  const sums = new Map<string, number>();
  const warnings: Recorded["warnings"] = [];
  const family = <L extends string>({ name }: MetricDefinition<L>): Family<L, Counter & Gauge & Histogram> => ({
    labels: (values: LabelValues<L>) => {
      const key = keyOf(name, values);
      return {
        inc: (by = 1) => add(counts, key, by),
        observe: (value) => {
          add(counts, key, 1);
          add(sums, key, value);
        },
        set: (value) => void counts.set(key, value),
        add: (by) => add(counts, key, by),
      };
    },
    remove: (values) => void counts.delete(keyOf(name, values)),
  });
  const env: Env = {
    clock: clock satisfies Clock,
    random: systemRandom,
    log: { debug() {}, info() {}, warn: (message, fields) => void warnings.push({ message, fields }), error() {} },
    meter: { counter: family, gauge: family, histogram: family, onCollect: () => () => {} },
    tracer: noopTracer,
  };
  return {
    env,
    clock,
    warnings,
    count: (name, labels) => counts.get(keyOf(name, labels)) ?? 0,
    sum: (name, labels) => sums.get(keyOf(name, labels)) ?? 0,
  };
}

function add(to: Map<string, number>, key: string, by: number): void {
  to.set(key, (to.get(key) ?? 0) + by);
}

function keyOf(name: string, labels: Readonly<Record<string, string>>): string {
  return `${name}${JSON.stringify(
    Object.keys(labels)
      .sort()
      .map((label) => [label, labels[label]]),
  )}`;
}
