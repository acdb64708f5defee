import { oneLine } from "../base/index.ts";
import { type DeepReadonly, keyOf, type KubeObject } from "../resources/index.ts";

/** `Job shop/export-1`, safe to print. */
export function nameOf(kind: string, object: DeepReadonly<KubeObject>): string {
  return `${kind} ${oneLine(keyOf(object.metadata))}`;
}

/** A command line. Values go in as they are and come out as single words of a POSIX shell, whatever they hold. */
export function command(template: TemplateStringsArray, ...values: readonly string[]): string {
  return template.map((text, index) => text + (index < values.length ? shellWord(values[index] ?? "") : "")).join("");
}

function shellWord(text: string): string {
  const printable = oneLine(text);
  return /^[\w./:@=-]+$/.test(printable) ? printable : `'${printable.replaceAll("'", `'\\''`)}'`;
}

const MOST_LINES = 5;

/** The first five lines, and how many more there are. */
export function cut(lines: readonly string[]): readonly string[] {
  if (lines.length <= MOST_LINES) return lines;
  return [...lines.slice(0, MOST_LINES), `and ${lines.length - MOST_LINES} more`];
}

/** A registry may answer with a page of HTML. */
const LONGEST_TEXT = 300;

/** What somebody else says, safe to print and not too long. */
export function quoted(text: string | undefined): string {
  return oneLine((text ?? "").slice(0, LONGEST_TEXT));
}
