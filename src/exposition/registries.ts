import { type Metric, Registry } from "prom-client";
import type { Format } from "./format.ts";

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What one family has to say at a scrape, as the client's own metrics say it. */
export interface SampleSource {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  get(): Promise<{ readonly values: readonly Sample[] }>;
}

/**
 * The client's registries, one a format, over one set of families. In the client the format belongs to the registry, and a registry
 * of OpenMetrics renames the counters that it holds; so each gets a view of its own on every family, and records are kept once.
 */
export class Registries {
  readonly #byFormat: Readonly<Record<Format, Registry>> = {
    text: new Registry(Registry.PROMETHEUS_CONTENT_TYPE),
    openmetrics: new Registry(Registry.OPENMETRICS_CONTENT_TYPE),
  };

  constructor(sources: readonly SampleSource[]) {
    for (const registry of Object.values(this.#byFormat)) {
      for (const source of sources) registry.registerMetric(new FamilyView(source) as unknown as Metric<string>);
    }
  }

  /** The families' text, each line ended by a newline, without the end mark of OpenMetrics. */
  async render(format: Format): Promise<string> {
    const text = await this.#byFormat[format].metrics();
    return text.replace(/# EOF\n$/, "").replaceAll("\n\n", "\n");
  }
}

/** A family as a registry wants it. `name` is written by the registry of OpenMetrics. */
class FamilyView {
  name: string;
  readonly help: string;
  readonly type: string;
  readonly #source: SampleSource;

  constructor(source: SampleSource) {
    this.name = source.name;
    this.help = source.help;
    this.type = source.type;
    this.#source = source;
  }

  async get(): Promise<{ name: string; help: string; type: string; values: readonly Sample[] }> {
    const { values } = await this.#source.get();
    return { name: this.name, help: this.help, type: this.type, values };
  }
}
