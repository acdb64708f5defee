import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Daemon, freePort } from "./daemon.ts";
import { requireTool } from "./tools.ts";

/** A span as Jaeger's query API gives it; a link is a reference of type FOLLOWS_FROM. */
export interface JaegerSpan {
  traceID: string;
  spanID: string;
  operationName: string;
  references: { refType: "CHILD_OF" | "FOLLOWS_FROM"; traceID: string; spanID: string }[];
  tags: { key: string; value: unknown }[];
}

/** A trace backend in memory: takes OTLP over HTTP, answers queries. */
export class Jaeger implements AsyncDisposable {
  /** What OTEL_EXPORTER_OTLP_ENDPOINT is set to. */
  readonly endpoint: string;
  readonly #query: string;
  readonly #daemon: Daemon;
  readonly #directory: string;

  private constructor(daemon: Daemon, directory: string, ports: { otlp: number; query: number }) {
    this.#daemon = daemon;
    this.#directory = directory;
    this.endpoint = `http://127.0.0.1:${ports.otlp}`;
    this.#query = `http://127.0.0.1:${ports.query}`;
  }

  static async start(): Promise<Jaeger> {
    const directory = mkdtempSync(join(tmpdir(), "stalewatch-jaeger-"));
    const listeners = {
      otlp: "collector.otlp.http",
      query: "query.http-server",
      otlpGrpc: "collector.otlp.grpc",
      queryGrpc: "query.grpc-server",
      collector: "collector.http-server",
      collectorGrpc: "collector.grpc-server",
      admin: "admin.http",
    };
    const ports: Record<string, number> = {};
    for (const name of Object.keys(listeners)) ports[name] = await freePort();
    const daemon = new Daemon({
      name: "jaeger",
      command: requireTool("jaeger"),
      directory,
      env: { COLLECTOR_OTLP_ENABLED: "true", SPAN_STORAGE_TYPE: "memory" },
      args: Object.entries(listeners).map(([name, flag]) => `--${flag}.host-port=127.0.0.1:${ports[name]}`),
    });
    const jaeger = new Jaeger(daemon, directory, { otlp: ports["otlp"] ?? 0, query: ports["query"] ?? 0 });
    await daemon.whenReady(async () => (await fetch(`${jaeger.#query}/api/services`)).ok);
    return jaeger;
  }

  /** All spans of the service that have arrived, whatever their trace. */
  async spans(service: string): Promise<JaegerSpan[]> {
    const response = await fetch(`${this.#query}/api/traces?service=${encodeURIComponent(service)}&limit=1500`);
    const { data } = (await response.json()) as { data: { spans: JaegerSpan[] }[] | null };
    return (data ?? []).flatMap(({ spans }) => spans);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#daemon.kill();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
