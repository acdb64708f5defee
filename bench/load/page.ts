import { Gauge, Registry } from "prom-client";
import { catalog, PrometheusMeter } from "../../src/exposition/index.ts";
import { ExpositionParser, type Sample } from "../../src/scrape/index.ts";
import type { LabelValues, MetricDefinition } from "../../src/telemetry/index.ts";
import { median } from "../benchmark.ts";

const ROUNDS = 21;
/** Of the series one in so many changes between two scrapes. */
const CHANGED = 20;
/** Whoever makes the page, these come from the Prometheus client. */
const OF_THE_PROCESS = /^(?:process|nodejs)_/;
const PART = /_(?:bucket|sum|count)$/;

/** A page that can be made again and again. */
interface Page {
  /** Each changes one series. */
  readonly changes: readonly (() => void)[];
  make(): Promise<unknown>;
}

export interface PageTimes {
  readonly series: number;
  /** Milliseconds. */
  readonly ours: number;
  readonly peer: number;
}

/** How long it takes to make a page with the series of this one: by our meter, and by a registry of prom-client. */
export async function timesOfPage(text: Uint8Array): Promise<PageTimes> {
  const parser = new ExpositionParser((name) => !OF_THE_PROCESS.test(name));
  parser.push(text);
  const { samples } = parser.end();
  return { series: samples.length, ours: await timed(ourPage(samples)), peer: await timed(peerPage(samples)) };
}

async function timed({ changes, make }: Page): Promise<number> {
  await make();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let at = round % CHANGED; at < changes.length; at += CHANGED) changes[at]?.();
    const start = performance.now();
    await make();
    times.push(performance.now() - start);
  }
  return median(times);
}

function ourPage(samples: readonly Sample[]): Page {
  const meter = new PrometheusMeter({ catalog, processMetrics: false });
  const definitions = new Map(catalog.map((definition) => [definition.name, definition]));
  const changes = samples.flatMap(({ name, labels }) => {
    const definition = definitions.get(name) ?? definitions.get(name.replace(PART, ""));
    // Each histogram has one sum.
    if (!definition || name.endsWith("_bucket") || name.endsWith("_count")) return [];
    return changeOf(meter, definition, Object.fromEntries(labels));
  });
  for (const change of changes) change();
  return { changes, make: () => meter.scrape() };
}

function changeOf(meter: PrometheusMeter, definition: MetricDefinition, labels: LabelValues<string>): () => void {
  if (definition.type === "histogram") {
    const histogram = meter.histogram(definition).labels(labels);
    return () => histogram.observe(0.02);
  }
  if (definition.type === "counter") {
    const counter = meter.counter(definition).labels(labels);
    return () => counter.inc();
  }
  const gauge = meter.gauge(definition).labels(labels);
  return () => gauge.add(1);
}

/** Each sample is a gauge, the parts of histograms too: the least that the registry can be asked for. */
function peerPage(samples: readonly Sample[]): Page {
  const registry = new Registry();
  const changes: (() => void)[] = [];
  for (const [name, members] of Map.groupBy(samples, (sample) => sample.name)) {
    const labelNames = new Set(members.flatMap(({ labels }) => [...labels.keys()]));
    const gauge = new Gauge({ name, help: name, labelNames: [...labelNames], registers: [registry] });
    for (const { labels, value } of members) {
      const set = Object.fromEntries(labels);
      gauge.set(set, value);
      changes.push(() => gauge.inc(set));
    }
  }
  return { changes, make: async () => Buffer.from(await registry.metrics()) };
}
