import { styleText } from "node:util";
import { oneLine } from "../base/index.ts";

const styles = { debug: "gray", info: "cyan", warn: "yellow", error: "red" } as const;

/**
 * One JSON line of the log as people read it: time, level, message, then `name=value` in the order given. Values with blanks or
 * quotes are quoted; control characters are escaped, so that no object's name can forge a line or move the cursor.
 */
export function textLine(json: string, colour: boolean): string {
  const { time, level, message, ...fields } = JSON.parse(json) as Record<string, unknown> & {
    level: keyof typeof styles;
  };
  const paint = (style: Parameters<typeof styleText>[0], text: string): string =>
    colour ? styleText(style, text, { validateStream: false }) : text;
  const pairs = Object.entries(fields).map(
    ([name, value]) => `${paint("gray", `${oneLine(name)}=`)}${fieldText(value)}`,
  );
  const stamp = paint("gray", String(time));
  return `${[stamp, paint(styles[level], level.toUpperCase().padEnd(5)), oneLine(String(message)), ...pairs].join(" ")}\n`;
}

function fieldText(value: unknown): string {
  const text = oneLine(typeof value === "string" ? value : JSON.stringify(value));
  return /^[^\s"=]+$/.test(text) ? text : `"${text.replaceAll('"', '\\"')}"`;
}
