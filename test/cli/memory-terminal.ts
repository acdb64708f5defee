import { Readable } from "node:stream";
import type { Terminal } from "../../src/cli/index.ts";

export interface MemoryTerminal extends Terminal {
  stdout(): string;
  stderr(): string;
  /** Resolves with the first line on standard error that matches, written or yet to come. */
  whenErr(pattern: RegExp): Promise<string>;
}

/** A terminal of 100 columns without colour that keeps what is written to it. */
export function memoryTerminal(env: Readonly<Record<string, string>> = {}, stdin = ""): MemoryTerminal {
  const out: string[] = [];
  const err: string[] = [];
  const waiting = new Set<() => void>();
  return {
    out: (text) => void out.push(text),
    err: (text) => {
      err.push(text);
      for (const look of waiting) look();
    },
    stdout: () => out.join(""),
    stderr: () => err.join(""),
    whenErr: (pattern) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = err.find((line) => pattern.test(line));
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    stdin: Readable.from([Buffer.from(stdin)]),
    env,
    columns: 100,
    colour: false,
    interactive: false,
  };
}
