import { type Clock, messageOf, StalewatchError, systemClock } from "../base/index.ts";
import type { Counter, Family, Gauge, Histogram, Log, Meter, MetricDefinition } from "../telemetry/index.ts";
import { noopLog } from "../telemetry/index.ts";
import { FamilyText } from "./family-text.ts";
import { ForeignRegistries, type ForeignRegistry } from "./foreign-registries.ts";
import { contentTypes, counterName, negotiateFormat } from "./format.ts";
import { buildInfo, seriesDropped } from "./metrics.ts";
import { processMetrics } from "./process-metrics.ts";
import { Registries } from "./registries.ts";
import { type FamilyOptions, SeriesFamily } from "./series-family.ts";
import { SeriesTable, TableGauge } from "./series-table.ts";
import { CounterSeries, GaugeSeries, HistogramSeries, type LabelSet, type Series, seriesContext } from "./series.ts";

export interface PrometheusMeterOptions {
  /** Families that are there from the start, recorded or not. */
  catalog?: readonly MetricDefinition[];
  clock?: Clock;
  log?: Log;
  /** Most series of a family that has one an object (`--max-series`); 5000 unless given. */
  maxSeries?: number;
  /** Adds the families about this process and its event loop; on unless false. */
  processMetrics?: boolean;
  /** Shown by `stalewatch_build_info`, which is left out without it. */
  version?: string;
}

/** A page of metrics as it goes to a scraper, but for its compression. */
export interface Scrape {
  readonly contentType: string;
  readonly body: Buffer;
}

interface KeptFamily extends Family<string, unknown> {
  readonly definition: MetricDefinition;
}

/** What a caller holds of a series that did not get in. */
const nowhere: TableGauge = new TableGauge("", 0, () => {});

const DEFAULT_MAX_SERIES = 5_000;

/**
 * The meter that a Prometheus scrapes. Recording costs a few nanoseconds and never throws. A scrape makes the lines of what
 * has changed since the last one, and copies the others.
 * A family is kept by its name: asking again gives the same series, whoever asks.
 */
export class PrometheusMeter implements Meter {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #maxSeries: number;
  /** The families of this process; undefined: left out. */
  readonly #process: Registries | undefined;
  readonly #foreign: ForeignRegistries;
  readonly #families: Map<string, KeptFamily> = new Map();
  readonly #texts: FamilyText[] = [];
  readonly #tables: SeriesTable[] = [];
  readonly #taken: Set<string> = new Set();
  readonly #collectors: Set<() => void> = new Set();
  readonly #complaints: Set<string> = new Set();

  constructor(options: PrometheusMeterOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#log = options.log ?? noopLog;
    this.#maxSeries = options.maxSeries ?? DEFAULT_MAX_SERIES;
    this.#foreign = new ForeignRegistries(this.#clock, this.#log);
    for (const definition of options.catalog ?? []) this.#family(definition);
    if (options.version) this.gauge(buildInfo).labels({ version: options.version, node: process.version }).set(1);
    if (options.processMetrics === false) return;
    const sources = processMetrics();
    for (const { name } of sources) this.#taken.add(counterName(name));
    this.#process = new Registries(sources);
  }

  counter<L extends string>(definition: MetricDefinition<L>): Family<L, Counter> {
    return this.#family(definition, "counter") as Family<L, Counter>;
  }

  gauge<L extends string>(definition: MetricDefinition<L>): Family<L, Gauge> {
    return this.#family(definition, "gauge") as Family<L, Gauge>;
  }

  histogram<L extends string>(definition: MetricDefinition<L>): Family<L, Histogram> {
    return this.#family(definition, "histogram") as Family<L, Histogram>;
  }

  onCollect(update: () => void): () => void {
    const own = (): void => update();
    this.#collectors.add(own);
    return () => void this.#collectors.delete(own);
  }

  /** Appends a registry of the user's own to every page. Errors: `REGISTRY_FORMAT`. */
  attach(registry: ForeignRegistry): void {
    this.#foreign.attach(registry);
  }

  /**
   * The page for one scrape, in the format that `accept` (the request's header) asks for; attached registries, which speak one
   * format only, decide instead when there are any.
   */
  async scrape(accept?: string): Promise<Scrape> {
    const format = this.#foreign.format ?? negotiateFormat(accept);
    for (const update of this.#collectors) this.#collect(update);
    const own = this.#texts.map((family) => family.render(format));
    const tables = this.#tables.flatMap((table) => table.render());
    const process = (await this.#process?.render(format)) ?? "";
    const foreign = await this.#foreign.render(this.#taken);
    const end = format === "openmetrics" ? "# EOF\n" : "";
    const body = Buffer.concat([...own, ...tables, Buffer.from(process + foreign + end)]);
    return { contentType: contentTypes[format], body };
  }

  #collect(update: () => void): void {
    try {
      update();
    } catch (error) {
      this.#complain("collect", messageOf(error));
    }
  }

  /** Errors: `METRIC_CONFLICT` when the name is already that of another type. */
  #family<L extends string>(definition: MetricDefinition<L>, type = definition.type): KeptFamily {
    const known = this.#families.get(definition.name);
    if (known?.definition.type === type) return known;
    if (known || definition.type !== type) {
      const is = (known?.definition ?? definition).type;
      throw new StalewatchError(
        "METRIC_CONFLICT",
        `metric ${definition.name} is a ${is}, not a ${type}`,
        "give one of them another name",
      );
    }
    const family = this.#make(definition);
    this.#families.set(definition.name, family);
    return family;
  }

  #make(definition: MetricDefinition): KeptFamily {
    const help = `[${definition.stability}] ${definition.help}`;
    const complain = (problem: string): void => this.#complain(definition.name, problem);
    if (definition.perObject) return this.#makeTable(definition, help, complain);
    const context = seriesContext(definition, { clock: this.#clock, complain });
    const Made = { counter: CounterSeries, gauge: GaugeSeries, histogram: HistogramSeries }[definition.type];
    const make = (labels: LabelSet): Series => new Made(labels, context);
    const family = new SeriesFamily<Series>({ definition, make, complain });
    if (definition.type !== "gauge") family.fill();
    this.#taken.add(counterName(definition.name));
    this.#texts.push(new FamilyText(definition, help, () => family.series()));
    return family;
  }

  #makeTable(definition: MetricDefinition, help: string, complain: (problem: string) => void): KeptFamily {
    const table = new SeriesTable(definition.name, help);
    this.#tables.push(table);
    this.#taken.add(definition.name);
    const dropped = this.counter(seriesDropped).labels({ family: definition.name });
    const options: FamilyOptions<TableGauge, string> = {
      definition,
      make: (labels) => table.add(labels),
      removed: (row) => table.remove(row),
      complain,
      limit: { max: this.#maxSeries, overflow: nowhere, dropped: () => dropped.inc() },
    };
    return new SeriesFamily(options);
  }

  #complain(about: string, problem: string): void {
    if (this.#complaints.has(about)) return;
    this.#complaints.add(about);
    this.#log.warn("a metric was recorded wrongly; said once", { metric: about, problem });
  }
}
