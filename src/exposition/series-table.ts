import type { Gauge } from "../telemetry/index.ts";
import { escapeHelp, labelText, valueText } from "./number-text.ts";
import type { LabelSet } from "./series.ts";

/** Lines whose bytes are kept together: a change of one series encodes one piece anew, not the page. */
const PIECE = 256;

/**
 * The text of a family that has one series an object. Each series keeps its line and each piece of the table its bytes, so that a
 * scrape in which little changed costs little more than copying; the idea is that of kube-state-metrics
 * (https://github.com/kubernetes/kube-state-metrics/blob/main/docs/design/metrics-store-performance-optimization.md).
 * The lines of a gauge are the same in the text format and in OpenMetrics.
 */
export class SeriesTable {
  readonly #header: Buffer;
  readonly #name: string;
  #rows: TableGauge[] = [];
  #pieces: (Buffer | undefined)[] = [];

  constructor(name: string, help: string) {
    this.#name = name;
    this.#header = Buffer.from(`# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} gauge\n`);
  }

  get size(): number {
    return this.#rows.length;
  }

  add(labels: LabelSet): TableGauge {
    const row = new TableGauge(`${this.#name}{${labelText(labels)}} `, this.#rows.length, this.#changed);
    this.#rows.push(row);
    this.#changed(row.at);
    return row;
  }

  /** The last row takes the place of the one that goes, so that removing costs the same whatever the size. */
  remove(row: TableGauge): void {
    row.end();
    const last = this.#rows.pop();
    if (!last) return;
    this.#changed(last.at);
    if (last === row) return;
    this.#rows[row.at] = last;
    last.at = row.at;
    this.#changed(last.at);
  }

  /** The bytes of header and lines, each line ended by a newline; they belong to the table and are not to be written to. */
  render(): readonly Buffer[] {
    const rendered = [this.#header];
    for (let start = 0; start < this.#rows.length; start += PIECE) rendered.push(this.#piece(start / PIECE));
    return rendered;
  }

  #piece(at: number): Buffer {
    const known = this.#pieces[at];
    if (known) return known;
    let text = "";
    for (const row of this.#rows.slice(at * PIECE, (at + 1) * PIECE)) text += row.line();
    return (this.#pieces[at] = Buffer.from(text));
  }

  readonly #changed = (at: number): void => {
    this.#pieces[Math.floor(at / PIECE)] = undefined;
  };
}

/** One series of a table. */
export class TableGauge implements Gauge {
  /** Where the table keeps it; the table's business alone. */
  at: number;
  readonly #prefix: string;
  readonly #changed: (at: number) => void;
  #value = 0;
  #line: string | undefined;
  #gone = false;

  constructor(prefix: string, at: number, changed: (at: number) => void) {
    this.#prefix = prefix;
    this.at = at;
    this.#changed = changed;
  }

  set(value: number): void {
    if (value === this.#value || Number.isNaN(value)) return;
    this.#value = value;
    this.#line = undefined;
    if (!this.#gone) this.#changed(this.at);
  }

  add(by: number): void {
    this.set(this.#value + by);
  }

  /** Its line of the page, with the newline. */
  line(): string {
    return (this.#line ??= `${this.#prefix}${valueText(this.#value)}\n`);
  }

  /** From now on a caller that kept this handle changes nothing: its place belongs to another row. */
  end(): void {
    this.#gone = true;
  }
}
