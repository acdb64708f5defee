import { Agent, type Dispatcher, ProxyAgent } from "undici";
import type { ExchangeRequest, ExchangeResponse, Transport } from "../base/index.ts";
import type { Credentials, TlsOptions } from "./credentials.ts";
import { TransportFailure } from "./transport-failure.ts";
import { UndiciExchange } from "./undici-exchange.ts";

type Pool = ExchangeRequest["pool"];

/** A watch holds its connection for minutes: those have no bound. */
const CONNECTIONS: Readonly<Record<Pool, number | null>> = { requests: 32, watches: null, election: 4 };
/** Below the 90 s after which the API server closes a silent connection itself. */
const KEEP_ALIVE_MS = 60_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** As client-go has it: below the idle timeouts of the usual load balancers. */
const TCP_KEEP_ALIVE_MS = 30_000;

/**
 * HTTP/1.1 over three sets of connections, which live as long as the client certificate and the CA stay the same.
 *
 * Not HTTP/2, although the API server offers it: over one connection a watch that is read slowly holds back the others, and a
 * connection that dies without a word takes all of them with it.
 */
export class UndiciTransport implements Transport {
  readonly host: string;
  readonly #server: URL;
  readonly #proxy: URL | undefined;
  readonly #credentials: Credentials;
  #dispatchers: Map<Pool, Dispatcher> = new Map();
  #madeWith: string | undefined;
  readonly #underWay: Set<UndiciExchange> = new Set();
  #closed = false;

  constructor(options: { server: URL; proxy?: URL | undefined; credentials: Credentials }) {
    this.#server = options.server;
    this.#proxy = options.proxy;
    this.#credentials = options.credentials;
    const port = options.server.port || (options.server.protocol === "https:" ? "443" : "80");
    this.host = `${options.server.hostname}:${port}`;
  }

  async exchange(request: ExchangeRequest): Promise<ExchangeResponse> {
    const { headers, tls, fingerprint } = await this.#credentials.current();
    request.signal?.throwIfAborted();
    if (this.#closed) throw this.#closedFailure();
    const exchange = new UndiciExchange(this.#server.origin, request, () => this.#underWay.delete(exchange));
    this.#underWay.add(exchange);
    const options: Dispatcher.DispatchOptions = {
      origin: this.#server.origin,
      path: pathUnder(this.#server, request.path),
      method: request.method,
      headers: { ...request.headers, ...headers },
      body: request.body ?? null,
      headersTimeout: request.idleTimeoutMs ?? 0,
      bodyTimeout: request.idleTimeoutMs ?? 0,
    };
    this.#dispatcherFor(request.pool, tls, fingerprint).dispatch(options, exchange);
    const response = await exchange.response;
    if (response.status === 401) this.#credentials.refused();
    return response;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const exchange of this.#underWay) exchange.cancel(this.#closedFailure());
    const dispatchers = [...this.#dispatchers.values()];
    this.#dispatchers = new Map();
    await Promise.all(dispatchers.map((dispatcher) => dispatcher.destroy()));
  }

  #dispatcherFor(pool: Pool, tls: TlsOptions, fingerprint: string): Dispatcher {
    if (this.#madeWith !== fingerprint) {
      // The former ones end when their last call does; a watch lasts minutes.
      for (const dispatcher of this.#dispatchers.values()) void dispatcher.close();
      this.#dispatchers = new Map();
      this.#madeWith = fingerprint;
    }
    const known = this.#dispatchers.get(pool);
    if (known) return known;
    const made = this.#makeDispatcher(pool, tls);
    this.#dispatchers.set(pool, made);
    return made;
  }

  #closedFailure(): TransportFailure {
    return new TransportFailure("ConnectionLost", `the client of ${this.host} is closed`, "");
  }

  #makeDispatcher(pool: Pool, tls: TlsOptions): Dispatcher {
    const shared = {
      connections: CONNECTIONS[pool],
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      allowH2: false,
    };
    const socket = { timeout: CONNECT_TIMEOUT_MS, keepAlive: true, keepAliveInitialDelay: TCP_KEEP_ALIVE_MS };
    if (this.#proxy) return new ProxyAgent({ ...shared, uri: this.#proxy.href, requestTls: tls, connect: socket });
    return new Agent({ ...shared, connect: { ...tls, ...socket } });
  }
}

/** A server behind a gateway may have a path of its own. */
function pathUnder(server: URL, path: string): string {
  return server.pathname === "/" ? path : `${server.pathname.replace(/\/$/, "")}${path}`;
}
