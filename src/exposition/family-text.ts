import type { MetricDefinition } from "../telemetry/index.ts";
import { counterName, type Format } from "./format.ts";
import { escapeHelp } from "./number-text.ts";
import type { Series } from "./series.ts";

/** A family on the page: its header, then the lines of its series. */
export class FamilyText {
  readonly #headers: Readonly<Record<Format, string>>;
  readonly #series: () => Iterable<Series>;

  constructor({ name, type }: MetricDefinition, help: string, series: () => Iterable<Series>) {
    const header = (shown: string): string => `# HELP ${shown} ${escapeHelp(help)}\n# TYPE ${shown} ${type}\n`;
    this.#headers = { text: header(name), openmetrics: header(type === "counter" ? counterName(name) : name) };
    this.#series = series;
  }

  /** Each line ended by a newline. */
  render(format: Format): string {
    let text = this.#headers[format];
    for (const series of this.#series()) text += series.lines(format);
    return text;
  }
}
