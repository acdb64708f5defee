import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, request as startRequest } from "node:https";
import type { ExchangeRequest, ExchangeResponse, Transport } from "../../src/base/index.ts";

export interface HttpsOptions {
  server: string;
  ca: string;
  cert?: string;
  key?: string;
  token?: string;
}

/** A transport that shares no code with src/kube: the contract bears witness about servers, not about our client. */
export class HttpsTransport implements Transport {
  readonly #options: HttpsOptions;
  readonly #agent: Agent;

  constructor(options: HttpsOptions) {
    const { ca, cert, key } = options;
    this.#options = options;
    this.#agent = new Agent({ ca, keepAlive: true, ...(cert && key ? { cert, key } : {}) });
  }

  async exchange(request: ExchangeRequest): Promise<ExchangeResponse> {
    const { method, path, headers, body = "", signal } = request;
    const { server, token } = this.#options;
    const outgoing = startRequest(new URL(path, server), {
      method,
      agent: this.#agent,
      headers: {
        ...headers,
        "content-length": String(Buffer.byteLength(body)),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(signal ? { signal } : {}),
    });
    outgoing.end(body);
    const [response] = (await once(outgoing, "response")) as [IncomingMessage];
    return {
      status: response.statusCode ?? 0,
      headers: response.headers as Record<string, string>,
      body: response as AsyncIterable<Uint8Array>,
    };
  }

  close(): Promise<void> {
    this.#agent.destroy();
    return Promise.resolve();
  }
}
