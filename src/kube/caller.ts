import { type ExchangeRequest, type ExchangeResponse, sleep, type Transport } from "../base/index.ts";
import type { Counter, Env, Family, Histogram } from "../telemetry/index.ts";
import { exchangeError, refusal } from "./answers.ts";
import type { Codec } from "./codec.ts";
import { ApiError } from "./errors.ts";
import {
  rateLimiterDurationSeconds,
  requestDurationSeconds,
  requestRetriesTotal,
  requestSizeBytes,
  requestsTotal,
  responseSizeBytes,
} from "./metrics.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import type { Subject } from "./status.ts";

/** One call to the API server as the client's methods describe it. */
export interface Call {
  readonly method: ExchangeRequest["method"];
  readonly path: string;
  readonly subject: Subject;
  readonly accept: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly pool: ExchangeRequest["pool"];
  readonly idleTimeoutMs: number;
  /** Doing it twice leaves what doing it once leaves. */
  readonly repeatable: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly beforeSend?: (() => void) | undefined;
}

export interface CallerOptions {
  readonly transport: Transport;
  readonly env: Env;
  readonly limiter: RateLimiter;
  readonly userAgent: string;
  readonly codec: Codec;
}

/** client-go's bound (rest/with_retry.go). */
const MOST_TRIES = 10;
/** A server that asks for a longer pause is refused it: the caller knows better what else there is to do. */
const LONGEST_PAUSE_MS = 60_000;

/** Makes calls: limits their rate, repeats those that the server asks to repeat, counts and times them, and types their failures. */
export class Caller {
  readonly #transport: Transport;
  readonly #env: Env;
  readonly #limiter: RateLimiter;
  readonly #userAgent: string;
  readonly #host: string;
  readonly #codec: Codec;
  readonly #requests: Family<"code" | "method" | "host", Counter>;
  readonly #retries: Family<"code" | "verb" | "host", Counter>;
  readonly #durations: Family<"verb" | "host", Histogram>;
  readonly #waits: Family<"verb" | "host", Histogram>;
  readonly #requestSizes: Family<"verb" | "host", Histogram>;
  readonly #responseSizes: Family<"verb" | "host", Histogram>;

  constructor(options: CallerOptions) {
    this.#transport = options.transport;
    this.#env = options.env;
    this.#limiter = options.limiter;
    this.#userAgent = options.userAgent;
    this.#codec = options.codec;
    this.#host = options.transport.host ?? "none";
    const { meter } = options.env;
    this.#requests = meter.counter(requestsTotal);
    this.#retries = meter.counter(requestRetriesTotal);
    this.#durations = meter.histogram(requestDurationSeconds);
    this.#waits = meter.histogram(rateLimiterDurationSeconds);
    this.#requestSizes = meter.histogram(requestSizeBytes);
    this.#responseSizes = meter.histogram(responseSizeBytes);
  }

  /**
   * Makes the call and reads its answer with `read`. An answer of 429, or of 5xx to a call that may be repeated, that says when to
   * come back (Retry-After) is waited for, ten tries in all. Errors: `ApiError`, or the signal's reason.
   */
  async run<R>(call: Call, read: (response: ExchangeResponse) => Promise<R>): Promise<R> {
    const startedAt = this.#env.clock.monotonic();
    try {
      for (let tries = 1; ; tries += 1) {
        try {
          return await this.#read(await this.open(call), call, read);
        } catch (thrown) {
          const failure = exchangeError(thrown, call.subject, call.signal);
          const pauseMs = tries < MOST_TRIES ? pauseBefore(failure, call, tries) : undefined;
          if (pauseMs === undefined) throw failure;
          const code = failure instanceof ApiError && failure.status ? String(failure.status) : "<error>";
          this.#retries.labels({ code, verb: call.method, host: this.#host }).inc();
          await sleep(this.#env.clock, pauseMs, call.signal);
        }
      }
    } finally {
      const seconds = (this.#env.clock.monotonic() - startedAt) / 1_000;
      this.#durations.labels({ verb: call.method, host: this.#host }).observe(seconds);
    }
  }

  /** One attempt, up to the answer's headers. Errors: `ApiError` for no answer or one outside 2xx, or the signal's reason. */
  async open(call: Call): Promise<ExchangeResponse> {
    call.signal?.throwIfAborted();
    // client-go limits no watches either: they are few, and a cache that waits for its turn is stale.
    if (call.pool !== "watches") {
      const waitedMs = await this.#limiter.take(call.signal);
      this.#waits.labels({ verb: call.method, host: this.#host }).observe(waitedMs / 1_000);
    }
    const response = await this.#exchange(call);
    if (response.status >= 200 && response.status < 300) return response;
    throw await refusal(response, call.subject, this.#codec);
  }

  async #read<R>(response: ExchangeResponse, call: Call, read: (response: ExchangeResponse) => Promise<R>): Promise<R> {
    let size = 0;
    const tally = async function* (): AsyncIterable<Uint8Array> {
      for await (const part of response.body) {
        size += part.length;
        yield part;
      }
    };
    const result = await read({ ...response, body: tally() });
    this.#responseSizes.labels({ verb: call.method, host: this.#host }).observe(size);
    return result;
  }

  async #exchange(call: Call): Promise<ExchangeResponse> {
    const headers: Record<string, string> = { accept: call.accept, "user-agent": this.#userAgent };
    if (call.contentType) headers["content-type"] = call.contentType;
    if (call.body) {
      this.#requestSizes.labels({ verb: call.method, host: this.#host }).observe(Buffer.byteLength(call.body));
    }
    let code = "<error>";
    try {
      const response = await this.#transport.exchange({
        method: call.method,
        path: call.path,
        headers,
        pool: call.pool,
        idleTimeoutMs: call.idleTimeoutMs,
        ...(call.body === undefined ? {} : { body: call.body }),
        ...(call.signal ? { signal: call.signal } : {}),
        ...(call.beforeSend ? { beforeSend: call.beforeSend } : {}),
      });
      code = String(response.status);
      return response;
    } catch (thrown) {
      throw exchangeError(thrown, call.subject, call.signal);
    } finally {
      this.#requests.labels({ code, method: call.method, host: this.#host }).inc();
    }
  }
}

/**
 * How long to wait before the call is made again, undefined if it shall not. 429 is said before anything is done, so that every
 * call may be repeated; after a 5xx it may have been done. A connection that was kept and breaks when it is used next is nobody's
 * failure: the server had closed it.
 */
function pauseBefore(failure: unknown, call: Call, tries: number): number | undefined {
  if (!(failure instanceof ApiError)) return undefined;
  if (failure.reason === "ConnectionLost" && call.method === "GET" && tries === 1) return 0;
  const allowed = failure.status === 429 || (failure.status >= 500 && call.repeatable);
  const { retryAfterMs } = failure;
  return allowed && retryAfterMs !== undefined && retryAfterMs <= LONGEST_PAUSE_MS ? retryAfterMs : undefined;
}
