/** One HTTP call as the API client makes it. The body that comes back is a stream: reading slowly holds the sender back. */
export interface ExchangeRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query, as `/apis/batch/v1/jobs?limit=500`. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Which connections to use: a stuck watch must not hold back a request, nor either of them a lease renewal. */
  pool: "requests" | "watches" | "election";
  /** Gives up when the answer's headers, or the next bytes of its body, do not come for this long. */
  idleTimeoutMs?: number;
  /** Called when the first byte is about to go out, after any wait for a connection. What it throws ends the call, unsent. */
  beforeSend?: () => void;
  signal?: AbortSignal;
}

export interface ExchangeResponse {
  status: number;
  /** Header names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Leaving the loop early, or an abort of the request's signal, closes the stream. */
  body: AsyncIterable<Uint8Array>;
}

/**
 * Carries the calls of one client to one API server. Promises to deliver the bytes in order and to end `body` with an error
 * when the connection breaks. Does not retry, does not read statuses. Implemented over sockets in kube/, in process in testing/.
 */
export interface Transport {
  /** `host:port` of the server, as upstream's client metrics label it. */
  readonly host?: string;
  exchange(request: ExchangeRequest): Promise<ExchangeResponse>;
  /** Closes every connection; calls under way fail. */
  close(): Promise<void>;
}
