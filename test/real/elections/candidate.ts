import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type ClusterAccess, Daemon, requireTool } from "../harness/index.ts";

export interface Terms {
  /** Of the Lease, and of the ConfigMap that the leader writes to. */
  readonly namespace: string;
  readonly name: string;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/** One thing that a candidate said of itself, with the machine's time in milliseconds. */
export interface Saying {
  readonly at: number;
  readonly what: string;
}

/** A process that stands for election, by our code or by client-go's. */
export class Candidate implements AsyncDisposable {
  readonly identity: string;
  readonly #daemon: Daemon;

  private constructor(identity: string, daemon: Daemon) {
    this.identity = identity;
    this.#daemon = daemon;
  }

  /** `server` may be that of a Cable. */
  static ours(access: ClusterAccess, terms: Terms, identity: string, server: string = access.server): Candidate {
    const task = { ...terms, identity, kubeconfig: access.kubeconfig({ server }) };
    const args = [fileURLToPath(new URL("./elector.ts", import.meta.url)), JSON.stringify(task)];
    const { directory } = access;
    return new Candidate(identity, new Daemon({ name: identity, command: process.execPath, args, directory }));
  }

  static clientGo(access: ClusterAccess, terms: Terms, identity: string): Candidate {
    const args = Object.entries({
      kubeconfig: access.kubeconfig(),
      namespace: terms.namespace,
      name: terms.name,
      identity,
      "lease-duration": `${terms.leaseDurationMs}ms`,
      "renew-deadline": `${terms.renewDeadlineMs}ms`,
      "retry-period": `${terms.retryPeriodMs}ms`,
    }).map(([flag, value]) => `--${flag}=${value}`);
    const { directory } = access;
    return new Candidate(identity, new Daemon({ name: identity, command: requireTool("elector"), args, directory }));
  }

  get running(): boolean {
    return this.#daemon.running;
  }

  get exitCode(): number | null {
    return this.#daemon.exitCode;
  }

  /** Of ours, what it said so far. */
  said(what?: string): Saying[] {
    const lines = readFileSync(this.#daemon.log, "utf8").split("\n").slice(0, -1);
    const sayings = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as Saying);
    return sayings.filter((saying) => what === undefined || saying.what === what);
  }

  get log(): string {
    return readFileSync(this.#daemon.log, "utf8");
  }

  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    process.kill(this.#daemon.pid, signal);
  }

  kill(): Promise<void> {
    return this.#daemon.kill("SIGKILL");
  }

  /** Resolves when it has ended by itself. */
  stop(): Promise<void> {
    return this.#daemon.kill("SIGTERM");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}
