import type { Clock, ExchangeRequest, ExchangeResponse, Timer, Transport } from "../../base/index.ts";
import type { Activity } from "../activity.ts";
import type { ServerRequest, ServerResponse } from "../api/exchange.ts";
import { connectionReset, idleTimeout } from "./connection-errors.ts";
import type { Replica } from "../watching/replica.ts";

export interface TransportServices {
  readonly clock: Clock;
  readonly activity: Activity;
  /** Throws when the server cannot be reached. */
  handle(request: ServerRequest): Promise<ServerResponse>;
  replica(): Replica;
}

/** Calls the server without sockets: same requests, same byte streams, on the cluster's clock. */
export class InProcessTransport implements Transport {
  readonly #services: TransportServices;
  readonly #closing = new AbortController();

  constructor(services: TransportServices) {
    this.#services = services;
  }

  async exchange(request: ExchangeRequest): Promise<ExchangeResponse> {
    const { clock } = this.#services;
    const watcher = new IdleWatch(clock, request, this.#closing.signal);
    this.#services.activity.note();
    try {
      request.beforeSend?.();
      const asked = { ...request, headers: lowerCase(request.headers), replica: this.#services.replica() };
      const answer = this.#services.handle({ ...asked, body: request.body });
      const response = await watcher.race(answer);
      return { status: response.status, headers: response.headers, body: this.#body(response, watcher) };
    } catch (error) {
      watcher.stop();
      throw error;
    } finally {
      this.#services.activity.note();
    }
  }

  close(): Promise<void> {
    this.#closing.abort(connectionReset());
    return Promise.resolve();
  }

  #body({ body }: ServerResponse, watcher: IdleWatch): AsyncIterable<Uint8Array> {
    const services = this.#services;
    return {
      async *[Symbol.asyncIterator]() {
        const chunks = (body instanceof Uint8Array ? single(body) : body)[Symbol.asyncIterator]();
        try {
          for (;;) {
            const { done, value } = await watcher.race(chunks.next());
            services.activity.note();
            if (done) return;
            services.activity.countReader(1);
            try {
              yield value;
            } finally {
              services.activity.countReader(-1);
            }
          }
        } finally {
          watcher.stop();
          await chunks.return?.();
          services.activity.note();
        }
      },
    };
  }
}

async function* single(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Gives up on whatever is waited for when the caller aborts, the transport closes, or nothing comes for too long. */
class IdleWatch {
  readonly #clock: Clock;
  readonly #idleMs: number | undefined;
  readonly #signals: readonly AbortSignal[];
  #giveUp: ((reason: Error) => void) | undefined;
  #timer: Timer | undefined;

  constructor(clock: Clock, { idleTimeoutMs, signal }: ExchangeRequest, closing: AbortSignal) {
    this.#clock = clock;
    this.#idleMs = idleTimeoutMs;
    this.#signals = signal ? [signal, closing] : [closing];
    for (const each of this.#signals) each.addEventListener("abort", this.#onAbort);
  }

  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const aborted = this.#signals.find((signal) => signal.aborted);
      if (aborted) {
        work.catch(() => {}); // Nobody waits for it any more.
        reject(aborted.reason as Error);
        return;
      }
      const finish = (): void => {
        this.#timer?.cancel();
        this.#giveUp = undefined;
      };
      this.#giveUp = (reason) => {
        finish();
        reject(reason);
      };
      if (this.#idleMs !== undefined) {
        const waitedMs = this.#idleMs;
        this.#timer = this.#clock.setTimer(() => this.#giveUp?.(idleTimeout(waitedMs)), waitedMs);
      }
      work.then(
        (value) => {
          finish();
          resolve(value);
        },
        (error: unknown) => {
          finish();
          reject(error);
        },
      );
    });
  }

  stop(): void {
    this.#timer?.cancel();
    for (const signal of this.#signals) signal.removeEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = (event: Event): void => {
    this.#giveUp?.((event.target as AbortSignal).reason as Error);
  };
}
