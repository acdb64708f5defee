import type { MetricsPage, Sample } from "./metrics-page.ts";
import { parseSeries } from "./parse-series.ts";
import { ScrapeError } from "./scrape-error.ts";

export interface ExpositionLimits {
  /** Of the page, after decompression; 64 MiB unless given. */
  readonly maxBytes?: number;
  /** A longer line counts as malformed; 16 KiB unless given. */
  readonly maxLineBytes?: number;
  /** Wanted ones; 50 000 unless given. */
  readonly maxSamples?: number;
  /** Of the lines that samples and types are kept of; 8 MiB unless given. */
  readonly maxKeptBytes?: number;
}

const NEWLINE = 0x0a;
const HASH = 0x23;
const BRACE = 0x7b;
const BLANK = new Set([0x20, 0x09, 0x0d]);

/** Letters, digits, `_` and `:`, by byte. */
const NAME_BYTES: readonly boolean[] = Array.from({ length: 256 }, (_, byte) =>
  /[\w:]/.test(String.fromCharCode(byte)),
);

const TYPE_LINE = /^# TYPE ([\w:]+) ([a-z]+)/;

/**
 * Reads the Prometheus text format (https://prometheus.io/docs/instrumenting/exposition_formats/) and OpenMetrics as bytes come, and
 * keeps the samples whose name is wanted; all other lines cost a look at their name. By hand, since the parsers on npm want the whole
 * page as one string and keep all of it.
 *
 * Promises: never more in memory than one line and the wanted samples; takes whatever bytes come (what cannot be read is counted).
 * Does not check that samples fit their declared type.
 */
export class ExpositionParser {
  readonly #wanted: (name: string) => boolean;
  readonly #limits: Required<ExpositionLimits>;
  readonly #samples: Sample[] = [];
  readonly #seen: Set<string> = new Set();
  readonly #types: Map<string, string> = new Map();
  #bytes = 0;
  #keptBytes = 0;
  #duplicates = 0;
  #malformed = 0;
  /** The beginning of a line whose end has not come yet. */
  #begun: Buffer[] = [];
  #begunBytes = 0;

  constructor(wanted: (name: string) => boolean, limits: ExpositionLimits = {}) {
    this.#wanted = wanted;
    const { maxBytes = 64 * 1024 * 1024, maxLineBytes = 16 * 1024, maxSamples = 50_000 } = limits;
    const { maxKeptBytes = 8 * 1024 * 1024 } = limits;
    this.#limits = { maxBytes, maxLineBytes, maxSamples, maxKeptBytes };
  }

  /** Errors: `SCRAPE_TOO_LARGE`, `SCRAPE_TOO_MANY_SAMPLES`. */
  push(chunk: Uint8Array): void {
    const { maxBytes } = this.#limits;
    this.#bytes += chunk.length;
    if (this.#bytes > maxBytes) {
      throw new ScrapeError(
        "too_large",
        `it has sent more than ${Math.round(maxBytes / 1_048_576)} MiB and was cut off`,
        "check that the URL is a /metrics, and what makes its page so large",
      );
    }
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      if (this.#begunBytes > 0) this.#finishBegun(bytes.subarray(start, end));
      else this.#line(bytes, start, end);
      start = end + 1;
    }
    if (start < bytes.length) this.#begin(bytes.subarray(start));
  }

  /** The page, once all of it was pushed; the last line need not have an end. */
  end(): MetricsPage {
    if (this.#begunBytes > 0) this.#finishBegun(Buffer.alloc(0));
    return {
      samples: this.#samples,
      types: this.#types,
      duplicates: this.#duplicates,
      malformed: this.#malformed,
    };
  }

  #begin(bytes: Buffer): void {
    this.#begunBytes += bytes.length;
    if (this.#begunBytes <= this.#limits.maxLineBytes) this.#begun.push(Buffer.from(bytes));
    else this.#begun = [];
  }

  #finishBegun(bytes: Buffer): void {
    const length = this.#begunBytes + bytes.length;
    if (length > this.#limits.maxLineBytes) this.#malformed += 1;
    else this.#line(Buffer.concat([...this.#begun, bytes], length), 0, length);
    this.#begun = [];
    this.#begunBytes = 0;
  }

  #line(bytes: Buffer, from: number, end: number): void {
    let start = from;
    while (start < end && BLANK.has(bytes[start] ?? 0)) start += 1;
    if (start === end) return;
    if (bytes[start] === HASH) return this.#comment(bytes, start, end);
    // A name in quotes inside the braces: nothing that anybody wants has one.
    if (bytes[start] === BRACE) return;
    const at = endOfName(bytes, start, end);
    if (at === undefined || end - start > this.#limits.maxLineBytes) this.#malformed += 1;
    else this.#named(bytes.toString("latin1", start, at), bytes, at, end);
  }

  #named(name: string, bytes: Buffer, at: number, end: number): void {
    if (!this.#wanted(name)) return;
    const series = parseSeries(bytes.toString("utf8", at, end));
    if (!series) {
      this.#malformed += 1;
      return;
    }
    const key = name + series.labelText;
    if (this.#seen.has(key)) {
      this.#duplicates += 1;
      return;
    }
    if (this.#samples.length >= this.#limits.maxSamples) {
      throw new ScrapeError(
        "too_many_samples",
        `it has more than ${this.#limits.maxSamples} samples of what is read of a target`,
        "check what publishes so many series under Kubernetes' metric names",
      );
    }
    // Strings that are cut out of a line keep all of it.
    this.#keep(name.length + end - at);
    this.#seen.add(key);
    this.#samples.push({ name, labels: series.labels, value: series.value });
  }

  #comment(bytes: Buffer, start: number, end: number): void {
    if (bytes.toString("latin1", start, start + 7) !== "# TYPE " || end - start > this.#limits.maxLineBytes) return;
    const [, name = "", type = ""] = TYPE_LINE.exec(bytes.toString("latin1", start, end)) ?? [];
    if (name === "" || !this.#wanted(name) || this.#types.size >= this.#limits.maxSamples) return;
    this.#keep(end - start);
    this.#types.set(name, type);
  }

  #keep(bytes: number): void {
    const { maxKeptBytes } = this.#limits;
    this.#keptBytes += bytes;
    if (this.#keptBytes <= maxKeptBytes) return;
    throw new ScrapeError(
      "too_large",
      `it has more than ${Math.round(maxKeptBytes / 1_048_576)} MiB of what is read of a target`,
      "check what publishes such long series under Kubernetes' metric names",
    );
  }
}

/** Undefined where there is no name, or something else than labels or a value behind it. */
function endOfName(bytes: Buffer, start: number, end: number): number | undefined {
  let at = start;
  while (at < end && NAME_BYTES[bytes[at] ?? 0]) at += 1;
  if (at === start || at === end) return undefined;
  return bytes[at] === BRACE || BLANK.has(bytes[at] ?? 0) ? at : undefined;
}
