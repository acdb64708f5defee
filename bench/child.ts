import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A benchmark's other process: it prints one JSON object a line and reads commands, one a line. */
export class Child implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  /** Rejects when the process ends: nobody should wait for what it was to do. */
  readonly failed: Promise<never>;

  constructor(command: string, args: readonly string[], env: Record<string, string> = {}) {
    this.#process = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, ...env } });
    this.failed = new Promise((_, reject) => {
      this.#process.once("exit", () => reject(new Error(`${args.join(" ")} ended; its error is above`)));
    });
    this.failed.catch(() => {}); // Of interest only to who waits for it.
    if (!this.#process.stdout) throw new Error(`${command} has no standard output`);
    this.#lines = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();
  }

  /** A script of this folder, with the garbage collector at hand. */
  static script(name: string, ...args: string[]): Child {
    return Child.scriptWith([], name, ...args);
  }

  /** The same with further options of Node. */
  static scriptWith(options: readonly string[], name: string, ...args: string[]): Child {
    const file = new URL(name, import.meta.url).pathname;
    return new Child(process.execPath, [...options, "--expose-gc", "--conditions=stalewatch-source", file, ...args]);
  }

  async next<T>(): Promise<T> {
    const line = await this.#lines.next();
    if (line.done) throw new Error("the benchmark's other process ended early; its error is above");
    return JSON.parse(line.value) as T;
  }

  send(command: string): void {
    this.#process.stdin?.write(`${command}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.kill();
    await ended;
  }
}
