import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Daemon, freePort } from "./daemon.ts";

export interface SidecarOptions {
  kubeconfig: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
}

export interface Page {
  status: number;
  body: string;
}

const bin = join(import.meta.dirname, "../../../bin/stalewatch.js");

/** `stalewatch run` as a process of its own, and what it serves. */
export class Sidecar implements AsyncDisposable {
  readonly metricsAddress: string;
  readonly #daemon: Daemon;
  readonly #directory: string;
  readonly #health: string;
  readonly #status: string;

  private constructor(daemon: Daemon, directory: string, ports: readonly [number, number, number]) {
    this.#daemon = daemon;
    this.#directory = directory;
    this.metricsAddress = `127.0.0.1:${ports[0]}`;
    this.#health = `http://127.0.0.1:${ports[1]}`;
    this.#status = `http://127.0.0.1:${ports[2]}`;
  }

  /** Resolves once it listens, which says nothing of its caches. */
  static async start(options: SidecarOptions): Promise<Sidecar> {
    const directory = mkdtempSync(join(tmpdir(), "stalewatch-sidecar-"));
    const ports = [await freePort(), await freePort(), await freePort()] as const;
    const daemon = new Daemon({
      name: "stalewatch",
      command: process.execPath,
      directory,
      ...(options.env ? { env: options.env } : {}),
      args: [
        bin,
        "run",
        `--kubeconfig=${options.kubeconfig}`,
        `--metrics-bind-address=127.0.0.1:${ports[0]}`,
        `--health-probe-bind-address=127.0.0.1:${ports[1]}`,
        `--status-bind-address=127.0.0.1:${ports[2]}`,
        ...(options.args ?? []),
      ],
    });
    const sidecar = new Sidecar(daemon, directory, ports);
    await daemon.whenReady(async () => (await sidecar.healthz()).status === 200, 30_000);
    return sidecar;
  }

  get running(): boolean {
    return this.#daemon.running;
  }

  /** Everything it wrote, both streams. */
  get log(): string {
    return readFileSync(this.#daemon.log, "utf8");
  }

  healthz(): Promise<Page> {
    return page(`${this.#health}/healthz`);
  }

  readyz(): Promise<Page> {
    return page(`${this.#health}/readyz?verbose`);
  }

  async metrics(): Promise<string> {
    return (await page(`http://${this.metricsAddress}/metrics`)).body;
  }

  async api<T>(name: string): Promise<T> {
    const { status, body } = await page(`${this.#status}/api/v1/${name}`);
    if (status !== 200) throw new Error(`/api/v1/${name}: ${status} ${body}`);
    return JSON.parse(body) as T;
  }

  /** SIGTERM, and the exit status once it is gone. */
  async stop(): Promise<number | null> {
    await this.#daemon.kill("SIGTERM");
    return this.#daemon.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#daemon.kill();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** One sample of a page in the text format by name and some of its labels; undefined when there is none. */
export function sampleOf(text: string, name: string, labels: Record<string, string> = {}): number | undefined {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const line = text
    .split("\n")
    .find((each) => new RegExp(`^${name}[{ ]`).test(each) && wanted.every((pair) => each.includes(pair)));
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(" ") + 1));
}

async function page(url: string): Promise<Page> {
  const response = await fetch(url);
  return { status: response.status, body: await response.text() };
}
