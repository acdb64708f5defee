import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Daemon, freePort } from "./daemon.ts";
import { requireTool } from "./tools.ts";

export interface PrometheusOptions {
  /** HOST:PORT of what is scraped, each second. */
  targets: readonly string[];
  /** Absolute paths. */
  ruleFiles?: readonly string[];
}

export interface Sample {
  metric: Record<string, string>;
  /** Seconds since the epoch, and the value as text. */
  value: [number, string];
}

/** A real Prometheus that scrapes plain /metrics endpoints. */
export class Prometheus implements AsyncDisposable {
  readonly url: string;
  readonly #daemon: Daemon;
  readonly #directory: string;

  private constructor(daemon: Daemon, directory: string, url: string) {
    this.#daemon = daemon;
    this.#directory = directory;
    this.url = url;
  }

  static async start(options: PrometheusOptions): Promise<Prometheus> {
    const directory = mkdtempSync(join(tmpdir(), "stalewatch-prometheus-"));
    const address = `127.0.0.1:${await freePort()}`;
    const config = {
      global: { scrape_interval: "1s", evaluation_interval: "1s" },
      rule_files: options.ruleFiles ?? [],
      scrape_configs: [{ job_name: "stalewatch", static_configs: [{ targets: options.targets }] }],
    };
    writeFileSync(join(directory, "prometheus.yml"), JSON.stringify(config)); // YAML is a superset
    const daemon = new Daemon({
      name: "prometheus",
      command: requireTool("prometheus"),
      directory,
      args: [
        `--config.file=${join(directory, "prometheus.yml")}`,
        `--storage.tsdb.path=${join(directory, "data")}`,
        `--web.listen-address=${address}`,
      ],
    });
    const prometheus = new Prometheus(daemon, directory, `http://${address}`);
    await daemon.whenReady(async () => (await fetch(`${prometheus.url}/-/ready`)).ok);
    return prometheus;
  }

  /** The result of an instant query; throws with Prometheus' own words for one that it does not take. */
  async query(expression: string): Promise<Sample[]> {
    const response = await fetch(`${this.url}/api/v1/query?query=${encodeURIComponent(expression)}`);
    const answer = (await response.json()) as { data?: { result: Sample[] }; error?: string };
    if (answer.data === undefined) throw new Error(`${answer.error}: ${expression}`);
    return answer.data.result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#daemon.kill();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** What `promtool check metrics` says of a page in the text format; "" when nothing is wrong. */
export function lintMetrics(page: string): string {
  const { status, stdout, stderr } = spawnSync(requireTool("promtool"), ["check", "metrics"], { input: page });
  const said = `${String(stdout)}${String(stderr)}`.trim();
  return status === 0 ? said : said || `promtool exited with ${status}`;
}
