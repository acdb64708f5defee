import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

/** A span as OTLP's JSON carries it (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding). */
export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { key: string; value: Record<string, unknown> }[];
  readonly links?: readonly { traceId: string; spanId: string }[];
  readonly status: { code?: number; message?: string };
}

interface TracesRequest {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] };
    scopeSpans: { spans: ReceivedSpan[] }[];
  }[];
}

/** An OTLP/HTTP endpoint in this process that takes JSON. */
export class OtlpReceiver implements AsyncDisposable {
  readonly spans: ReceivedSpan[] = [];
  readonly paths: string[] = [];
  readonly resource: Record<string, string | undefined> = {};
  /** Set, it takes connections and never answers. */
  mute = false;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.paths.push(request.url ?? "");
      if (this.mute) return;
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const bytes = Buffer.concat(chunks);
        const text = request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes;
        this.#take(JSON.parse(text.toString()) as TracesRequest);
        response.writeHead(200, { "content-type": "application/json" }).end("{}");
      });
    });
  }

  static async start(): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, "127.0.0.1", resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  named(name: string): ReceivedSpan[] {
    return this.spans.filter((span) => span.name === name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #take(request: TracesRequest): void {
    for (const { resource, scopeSpans } of request.resourceSpans) {
      for (const { key, value } of resource.attributes) this.resource[key] = value.stringValue;
      for (const { spans } of scopeSpans) this.spans.push(...spans);
    }
  }
}
