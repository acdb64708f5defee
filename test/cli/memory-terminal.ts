import type { Terminal } from "../../src/cli/index.ts";

export interface MemoryTerminal extends Terminal {
  readonly stdout: () => string;
  readonly stderr: () => string;
}

/** A terminal of 100 columns without colour that keeps what is written to it. */
export function memoryTerminal(env: Readonly<Record<string, string>> = {}): MemoryTerminal {
  const out: string[] = [];
  const err: string[] = [];
  return {
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    stdout: () => out.join(""),
    stderr: () => err.join(""),
    env,
    columns: 100,
    colour: false,
    interactive: false,
  };
}
