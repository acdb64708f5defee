import type { Replica } from "../watching/replica.ts";

/** One HTTP request, wherever it came in. */
export interface ServerRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array | string | undefined;
  /** Which of the API servers was asked. */
  readonly replica: Replica;
}

export interface ServerResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
}
