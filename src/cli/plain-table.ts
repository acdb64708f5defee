import Table from "cli-table3";

const GAP = 2;
const NARROWEST = 8;

const NO_LINES = Object.fromEntries(
  ["top", "bottom", "mid", "left", "right"]
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`].map((line) => [line, ""]))
    .concat([["middle", ""]]),
);

/** A row of cells, or text over the whole width whose lines are short enough. */
export type TableRow = readonly string[] | string;

export interface TableOptions {
  /** Characters. */
  readonly columns: number;
  /** The columns, from the first on, that give way where there is no room for all: they hold names, which may be long. */
  readonly flexible: number;
  /** A cell as it is printed, in colour say; as long as before to the eye. */
  readonly paint?: (cell: string, column: number) => string;
}

/** Rows in columns as kubectl prints them, without lines between them. What does not fit a column goes on below. */
export function plainTable(head: readonly string[], rows: readonly TableRow[], options: TableOptions): string {
  const { columns, flexible, paint = (cell) => cell } = options;
  const cells = [head, ...rows.filter((row) => typeof row !== "string")];
  const widths = head.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)) + GAP);
  const table = new Table({
    chars: NO_LINES,
    style: { head: [], border: [], compact: true, "padding-left": 0, "padding-right": GAP },
    colWidths: fitted(widths, columns, flexible),
    wordWrap: true,
    wrapOnWordBoundary: false,
  });
  table.push([...head]);
  for (const row of rows) {
    if (typeof row === "string") table.push([{ content: row, colSpan: head.length, wordWrap: false }]);
    else table.push(row.map(paint));
  }
  return table.toString().replaceAll(/ +$/gm, "");
}

/** The widest gives way until all of them have room; the last takes what room is left, for text over the whole width. */
function fitted(widths: readonly number[], columns: number, flexible: number): number[] {
  const fitting = [...widths];
  const over = widths.reduce((sum, width) => sum + width, 0) - columns;
  const last = widths.length - 1;
  if (over < 0) fitting[last] = (fitting[last] ?? 0) - over;
  for (let more = over; more > 0; more -= 1) {
    const widest = Math.max(...fitting.slice(0, flexible));
    if (widest <= NARROWEST) break;
    fitting[fitting.indexOf(widest)] = widest - 1;
  }
  return fitting;
}
