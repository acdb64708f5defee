import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { createInterface } from "node:readline";

export interface Credentials {
  cert?: string;
  key?: string;
  token?: string;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Any object as the API server writes it in JSON. */
export interface Json {
  metadata: JsonMeta;
  items?: Json[];
  // oxlint-disable-next-line typescript/no-explicit-any -- an independent witness has no types of the product
  [field: string]: any;
}

interface JsonMeta {
  name: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  creationTimestamp: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

/**
 * Calls of the API server that share no code with src/kube: tests hold what the product saw against what this sees.
 * One pool of kept-alive connections.
 */
export class RawClient {
  readonly server: string;
  readonly #agent: Agent;
  readonly #headers: Record<string, string>;

  constructor(server: string, ca: string, credentials: Credentials = {}) {
    const { cert, key, token } = credentials;
    this.server = server;
    this.#agent = new Agent({ ca, keepAlive: true, maxSockets: 64, ...(cert && key ? { cert, key } : {}) });
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  /** Any answer of the server, whatever its status. */
  async exchange(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await this.#send(method, path, body, headers);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) };
  }

  /** The JSON object of a successful call. */
  async call<T = Json>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<T> {
    const answer = await this.exchange(method, path, body, headers);
    const text = answer.body.toString();
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`);
    return JSON.parse(text) as T;
  }

  get<T = Json>(path: string): Promise<T> {
    return this.call<T>("GET", path);
  }

  post<T = Json>(path: string, body: object): Promise<T> {
    return this.call<T>("POST", path, body);
  }

  patch<T = Json>(path: string, body: object, type = "merge"): Promise<T> {
    return this.call<T>("PATCH", path, body, { "content-type": `application/${type}-patch+json` });
  }

  delete<T = Json>(path: string, options: object = {}): Promise<T> {
    return this.call<T>("DELETE", path, options);
  }

  /** Each line of an endless answer as JSON; ends when the server or the signal ends it. */
  async *lines(path: string, signal: AbortSignal): AsyncGenerator<{ type: string; object: Json }> {
    const response = await this.#send("GET", path, undefined, {}, signal);
    if (response.statusCode !== 200) throw new Error(`GET ${path}: ${response.statusCode}`);
    const closed = once(response, "close");
    try {
      for await (const line of createInterface({ input: response })) {
        if (line !== "") yield JSON.parse(line) as { type: string; object: Json };
      }
    } finally {
      response.destroy();
      await closed;
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  async #send(
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<IncomingMessage> {
    const payload = body === undefined ? "" : JSON.stringify(body);
    const length = { "content-length": String(Buffer.byteLength(payload)) }; // Node frames a DELETE's body no other way
    const outgoing = request(new URL(path, this.server), {
      method,
      agent: this.#agent,
      headers: {
        accept: "application/json",
        "content-type": "application/json",
        ...length,
        ...this.#headers,
        ...headers,
      },
      ...(signal ? { signal } : {}),
    });
    outgoing.end(payload);
    const [response] = (await once(outgoing, "response")) as [IncomingMessage];
    return response;
  }
}
