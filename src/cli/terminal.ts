import { styleText } from "node:util";

/** Where a command reads its surroundings and writes its answer; tests pass their own. */
export interface Terminal {
  /** Answers. Written as given; callers end their lines. */
  out(text: string): void;
  /** What is piped in. */
  readonly stdin: AsyncIterable<Uint8Array>;
  /** One-line errors and progress. */
  err(text: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Width to wrap at. */
  readonly columns: number;
  /** Whether answers may be coloured: a terminal, and NO_COLOR is not set (https://no-color.org). */
  readonly colour: boolean;
  /** Whether errors and logs go to a person. */
  readonly interactive: boolean;
}

export type Style = Parameters<typeof styleText>[0];

export function systemTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  stopWhenUnread(stdout);
  return {
    out: (text) => void stdout.write(text),
    // Not before somebody reads it: standard input keeps the process alive.
    get stdin() {
      return process.stdin as AsyncIterable<Uint8Array>;
    },
    err: (text) => void stderr.write(text),
    env,
    columns: stdout.columns ?? 100,
    colour: stdout.isTTY && stdout.hasColors(env),
    interactive: stderr.isTTY,
  };
}

/** A reader that goes away, as `| head` does, stops the process as a signal would. */
function stopWhenUnread(stream: NodeJS.WriteStream): void {
  let told = false;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    if (!told) process.kill(process.pid, "SIGTERM");
    told = true;
  });
}

/** `text` in a colour or weight, or as it is where there is no colour. */
export function styled(terminal: Pick<Terminal, "colour">, style: Style, text: string): string {
  return terminal.colour ? styleText(style, text, { validateStream: false }) : text;
}
