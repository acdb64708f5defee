import type { ExchangeRequest, ExchangeResponse, Transport } from "../../src/base/index.ts";

export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  /** Sent piece by piece; an Error breaks the connection there. */
  body?: readonly (string | Uint8Array | Error)[];
}

/** Answers each call from a script, and keeps the calls. */
export class ScriptedTransport implements Transport {
  readonly host = "server.test:6443";
  readonly requests: ExchangeRequest[] = [];
  readonly #script: (Answer | Error)[];

  constructor(...script: (Answer | Error)[]) {
    this.#script = script;
  }

  exchange(request: ExchangeRequest): Promise<ExchangeResponse> {
    this.requests.push(request);
    const answer = this.#script.shift();
    if (answer === undefined) return Promise.reject(new Error(`no answer is scripted for ${request.path}`));
    if (answer instanceof Error) return Promise.reject(answer);
    const { status = 200, headers = {}, body = [] } = answer;
    return Promise.resolve({
      status,
      headers: { "content-type": "application/json", ...headers },
      body: pieces(body),
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

async function* pieces(body: readonly (string | Uint8Array | Error)[]): AsyncGenerator<Uint8Array, void, void> {
  for (const piece of body) {
    if (piece instanceof Error) throw piece;
    yield typeof piece === "string" ? Buffer.from(piece) : piece;
  }
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Answer {
  return { status, headers, body: [JSON.stringify(body)] };
}
