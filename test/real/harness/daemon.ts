import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

export interface DaemonOptions {
  name: string;
  command: string;
  args: readonly string[];
  /** Where NAME.log goes, appended to across restarts. */
  directory: string;
  env?: Readonly<Record<string, string>>;
}

const alive = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
});

/** A background process of a test. Ends with the test run at the latest; its output goes to a log file. */
export class Daemon implements AsyncDisposable {
  readonly log: string;
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;

  constructor(options: DaemonOptions) {
    this.log = join(options.directory, `${options.name}.log`);
    const output = openSync(this.log, "a");
    this.#child = spawn(options.command, options.args, {
      cwd: options.directory,
      env: { ...process.env, ...options.env },
      stdio: ["ignore", output, output],
    });
    closeSync(output);
    alive.add(this.#child);
    this.#exit = once(this.#child, "exit").finally(() => alive.delete(this.#child));
    this.#exit.catch(() => undefined); // a command that could not be spawned: `running` tells
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null && this.#child.pid !== undefined;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The exit status; null when a signal ended it. */
  get exitCode(): number | null {
    return this.#child.exitCode;
  }

  /** Sends the signal and resolves once the process is gone. */
  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    if (!this.running) return;
    this.#child.kill(signal);
    await this.#exit;
  }

  /** The end of the log, for the message of a failure. */
  tail(lines = 20): string {
    return readFileSync(this.log, "utf8").trimEnd().split("\n").slice(-lines).join("\n");
  }

  /** Polls `ready` until it holds; fails at once when the process has ended. */
  async whenReady(ready: () => Promise<boolean>, timeoutMs = 60_000): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!(await ready().catch(() => false))) {
      if (!this.running) throw new Error(`${this.log}: the process ended before it was ready\n${this.tail()}`);
      if (performance.now() > deadline) throw new Error(`${this.log}: not ready in ${timeoutMs} ms\n${this.tail()}`);
      await pause(100);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}

/** Real time passing, between two looks at a process that nobody can be told to hurry. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** Looks until `check` gives a value that is not undefined or false; an error of the last look is the failure's cause. */
export async function eventually<T>(
  what: string,
  check: () => Promise<T | undefined | false> | T | undefined | false,
  options: { timeoutMs?: number; everyMs?: number } = {},
): Promise<T> {
  const { timeoutMs = 30_000, everyMs = 100 } = options;
  const deadline = performance.now() + timeoutMs;
  let cause: unknown;
  do {
    try {
      const value = await check();
      if (value !== undefined && value !== false) return value;
    } catch (thrown) {
      cause = thrown; // reported below when no later look succeeds
    }
    await pause(everyMs);
  } while (performance.now() < deadline);
  throw new Error(`not within ${timeoutMs} ms: ${what}`, { cause });
}

/** A port of 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port was given");
  return address.port;
}
