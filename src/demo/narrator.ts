import { styleText } from "node:util";
import type { Clock } from "../base/index.ts";

export interface NarratorOptions {
  write(text: string): void;
  columns: number;
  colour: boolean;
  clock: Clock;
}

type Style = Parameters<typeof styleText>[0];

const INDENT = 9;

/** Tells a story one line at a time, each with the time since the beginning; long lines wrap under themselves. */
export class Narrator {
  readonly #options: NarratorOptions;
  readonly #beganAt: number;

  constructor(options: NarratorOptions) {
    this.#options = options;
    this.#beganAt = options.clock.monotonic();
  }

  /** The beginning of a scene. */
  title(text: string): void {
    this.#options.write(`\n${" ".repeat(INDENT)}${this.#styled("bold", text)}\n`);
  }

  say(text: string): void {
    this.#lines(text, undefined);
  }

  /** Something went as it should. */
  good(text: string): void {
    this.#lines(text, "green");
  }

  /** Something is wrong, as it is meant to be. */
  bad(text: string): void {
    this.#lines(text, "yellow");
  }

  /** An address or command, never wrapped: it is there to be copied. */
  copy(label: string, text: string): void {
    this.#options.write(`${" ".repeat(INDENT + 2)}${label.padEnd(9)} ${this.#styled("cyan", text)}\n`);
  }

  #lines(text: string, style: Style | undefined): void {
    const seconds = ((this.#options.clock.monotonic() - this.#beganAt) / 1_000).toFixed(1);
    const [first = "", ...rest] = wrap(text, Math.max(40, this.#options.columns - INDENT));
    const stamp = this.#styled("dim", `${seconds.padStart(INDENT - 4)} s`);
    const body = [first, ...rest].map((line) => (style ? this.#styled(style, line) : line));
    this.#options.write(`${stamp}  ${body.join(`\n${" ".repeat(INDENT)}`)}\n`);
  }

  #styled(style: Style, text: string): string {
    return this.#options.colour ? styleText(style, text, { validateStream: false }) : text;
  }
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
