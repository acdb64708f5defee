import type { ExchangeRequest, ExchangeResponse, Transport } from "../../src/base/index.ts";

/** Passes everything on, but counts, lacks WatchList if asked, and damages frames on demand. */
export class UnreliableTransport implements Transport {
  requests = 0;
  /** Watches whose body is still read, or was never looked at. */
  openWatches = 0;
  /** Refuse `sendInitialEvents`, as servers before Kubernetes 1.32 do. */
  refusesStreams = false;
  readonly #inner: Transport;
  #damages = 0;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  /** The next frame of any watch arrives with its length intact and its content unreadable. */
  damageNextFrame(): void {
    this.#damages += 1;
  }

  heal(): void {
    this.#damages = 0;
  }

  async exchange(request: ExchangeRequest): Promise<ExchangeResponse> {
    this.requests += 1;
    const isWatch = /[?&]watch=true/.test(request.path);
    if (this.refusesStreams && request.path.includes("sendInitialEvents=true")) return refusal();
    const response = await this.#inner.exchange(request);
    if (!isWatch || response.status !== 200) return response;
    this.openWatches += 1;
    return { ...response, body: this.#damaged(response) };
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  async *#damaged({ body, headers }: ExchangeResponse): AsyncIterable<Uint8Array> {
    const isJson = headers["content-type"]?.includes("json");
    try {
      for await (const chunk of body) {
        if (this.#damages > 0) {
          this.#damages -= 1;
          const end = isJson ? chunk.indexOf(0x0a) : 4 + Buffer.from(chunk).readUInt32BE(0);
          yield Buffer.from(chunk).fill(isJson ? "?" : 0xff, isJson ? 0 : 4, end);
        } else yield chunk;
      }
    } finally {
      this.openWatches -= 1;
    }
  }
}

function refusal(): ExchangeResponse {
  const status = { kind: "Status", code: 422, reason: "Invalid", message: "sendInitialEvents is forbidden" };
  return {
    status: 422,
    headers: { "content-type": "application/json" },
    body: (async function* body() {
      yield Buffer.from(JSON.stringify(status));
    })(),
  };
}
