import type { MetricDefinition } from "../telemetry/index.ts";
import { counterName, type Format } from "./format.ts";
import { escapeHelp } from "./number-text.ts";
import type { Series } from "./series.ts";

interface Kept {
  readonly bytes: Buffer;
  readonly series: number;
}

/** A family on the page: its header, then the lines of its series. Its bytes are kept while none of them changes. */
export class FamilyText {
  readonly #headers: Readonly<Record<Format, string>>;
  readonly #series: () => Iterable<Series>;
  readonly #kept: Partial<Record<Format, Kept>> = {};

  constructor({ name, type }: MetricDefinition, help: string, series: () => Iterable<Series>) {
    const header = (shown: string): string => `# HELP ${shown} ${escapeHelp(help)}\n# TYPE ${shown} ${type}\n`;
    this.#headers = { text: header(name), openmetrics: header(type === "counter" ? counterName(name) : name) };
    this.#series = series;
  }

  /** Each line ended by a newline. The bytes are not to be written to. */
  render(format: Format): Buffer {
    return this.#unchanged(format) ?? this.#render(format);
  }

  #unchanged(format: Format): Buffer | undefined {
    const kept = this.#kept[format];
    let count = 0;
    for (const series of this.#series()) {
      if (!series.isKept(format)) return undefined;
      count += 1;
    }
    // A new series has no lines yet, so as many as before are the same.
    return count === kept?.series ? kept.bytes : undefined;
  }

  #render(format: Format): Buffer {
    let text = this.#headers[format];
    let count = 0;
    for (const series of this.#series()) {
      text += series.lines(format);
      count += 1;
    }
    const bytes = Buffer.from(text);
    this.#kept[format] = { bytes, series: count };
    return bytes;
  }
}
