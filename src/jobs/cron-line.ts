import { parseDuration } from "../base/index.ts";

/** A line as fields of plain numbers: what any cron library reads alike. */
export type CronLine =
  | { readonly everyMs: number }
  | {
      /** Five fields, each `*` or numbers separated by commas; undefined: a field has no value, so it never fires. */
      readonly pattern: string | undefined;
      /** A day must fit both day fields, since one of them is open. Else one of the two is enough. */
      readonly bothDays: boolean;
    };

interface Field {
  readonly name: string;
  readonly lowest: number;
  readonly highest: number;
  readonly names?: readonly string[];
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const FIELDS: readonly Field[] = [
  { name: "minute", lowest: 0, highest: 59 },
  { name: "hour", lowest: 0, highest: 23 },
  { name: "day of month", lowest: 1, highest: 31 },
  { name: "month", lowest: 1, highest: 12, names: MONTHS },
  { name: "day of week", lowest: 0, highest: 6, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];

const SHORTHANDS: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

const EVERY = "@every ";

/** What Go has for durations: 63 bits of nanoseconds. */
const LONGEST_DURATION_MS = 2 ** 63 / 1e6;

/**
 * What kube-controller-manager reads in spec.schedule: five fields of the standard form, or a shorthand
 * (https://pkg.go.dev/github.com/robfig/cron/v3, ParseStandard). Throws an Error that names the field and the value.
 */
export function readCronLine(line: string): CronLine {
  if (line.startsWith(EVERY)) {
    const ms = parseDuration(line.slice(EVERY.length));
    if (ms > LONGEST_DURATION_MS) throw new Error(`${line.slice(EVERY.length)} is too long`);
    // Whole seconds, and at least one.
    return { everyMs: Math.max(1_000, Math.floor(ms / 1_000) * 1_000) };
  }
  const texts = (SHORTHANDS[line] ?? line).split(/\s+/).filter((text) => text !== "");
  if (line.startsWith("@") && SHORTHANDS[line] === undefined) throw new Error(`there is no shorthand ${line}`);
  if (texts.length !== FIELDS.length) throw new Error(`a line has 5 fields, this one has ${texts.length}`);
  const read = FIELDS.map((field, index) => readField(field, texts[index] ?? ""));
  return {
    pattern: read.every(({ values }) => values.size > 0)
      ? read.map(({ values, open }) => (open ? "*" : [...values].sort((a, b) => a - b).join(","))).join(" ")
      : undefined,
    bothDays: read[2]?.open === true || read[4]?.open === true,
  };
}

function readField(field: Field, text: string): { values: ReadonlySet<number>; open: boolean } {
  const values = new Set<number>();
  let open = false;
  for (const part of text.split(",").filter((one) => one !== "")) {
    const [range = "", step, ...more] = part.split("/");
    if (more.length > 0) throw new Error(`${field.name} "${part}": one step at most`);
    const every = step === undefined ? 1 : count(field, step);
    if (every === 0) throw new Error(`${field.name} "${part}": a step of 0`);
    const { first, last, star } = readRange(field, range, step !== undefined);
    for (let value = first; value <= last; value += every) values.add(value);
    open ||= star && every === 1;
  }
  return { values, open };
}

interface Range {
  readonly first: number;
  readonly last: number;
  /** All of the field. */
  readonly star: boolean;
}

function readRange(field: Field, text: string, stepped: boolean): Range {
  const { name, lowest, highest } = field;
  const [from = "", to, ...rest] = text.split("-");
  if (from === "*" || from === "?") return { first: lowest, last: highest, star: true };
  if (rest.length > 0) throw new Error(`${name} "${text}": one range at most`);
  const first = valueOf(field, from);
  // "5/15" goes on to the end of the field.
  const end = stepped ? highest : first;
  const last = to === undefined ? end : valueOf(field, to);
  if (first < lowest || last > highest || first > last) {
    throw new Error(`${name} "${text}": not from ${lowest} to ${highest}, or the wrong way round`);
  }
  return { first, last, star: false };
}

function valueOf(field: Field, text: string): number {
  const index = field.names?.indexOf(text.toLowerCase()) ?? -1;
  return index < 0 ? count(field, text) : index + field.lowest;
}

function count(field: Field, text: string): number {
  if (!/^\+?\d{1,9}$/.test(text)) throw new Error(`${field.name} "${text}": not a number`);
  return Number(text);
}
