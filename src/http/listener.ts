import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Clock, messageOf, StalewatchError, systemClock } from "../base/index.ts";
import { type Log, noopLog } from "../telemetry/index.ts";
import { authorityOf, type BindAddress, isLoopback, parseBindAddress } from "./address.ts";

export interface ListenerOptions {
  /** "metrics", "health", "status": for the log and for errors. */
  name: string;
  /** The flag that `address` came from, for errors. */
  flag: string;
  /** As `parseBindAddress` reads it. */
  address: string;
  /**
   * "loopback" refuses every address that others can reach, since what is served tells about the cluster and nobody is asked who
   * they are. "anywhere" is for probes, and for users who said `--metrics-secure=false`.
   */
  reach: "loopback" | "anywhere";
  handler: RequestListener;
  clock?: Clock;
  log?: Log;
}

/** Bounds on a client that is slow or hangs. An idle connection outlives a scrape interval of one minute. */
const TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 75_000 };
const SILENCE_MS = 120_000;

/** One HTTP server. Promises one log line with its address, and a close that ends within its deadline whatever clients do. */
export class Listener {
  readonly #server: Server;
  readonly #clock: Clock;
  /** Where it can be asked from this machine: `http://127.0.0.1:8080`. */
  readonly url: string;
  #closing: Promise<void> | undefined;

  private constructor(server: Server, url: string, handler: RequestListener, clock: Clock) {
    this.#server = server;
    this.url = url;
    this.#clock = clock;
    server.on("request", (request, response) => {
      if (this.#closing) response.setHeader("connection", "close");
      // A connection that has just answered would stay open for its next request.
      response.once("close", () => this.#closing && setImmediate(() => server.closeIdleConnections()));
      handler(request, response);
    });
  }

  /**
   * Binds and serves. Undefined when the address is "0". Errors, each naming the flag and a remedy: `BAD_ADDRESS`,
   * `ADDRESS_NOT_LOOPBACK`, `ADDRESS_IN_USE`, `LISTEN_FAILED`.
   */
  static async open(options: ListenerOptions): Promise<Listener | undefined> {
    const address = parseBindAddress(options.address, options.flag);
    if (!address) return undefined;
    if (options.reach === "loopback" && !isLoopback(address)) throw notLoopback(options, address);
    const server = createServer(TIMEOUTS);
    server.timeout = SILENCE_MS;
    await bound(server, address, options);
    const { address: host, port } = server.address() as AddressInfo;
    const url = `http://${authorityOf(address.host === undefined ? "127.0.0.1" : host, port)}`;
    (options.log ?? noopLog).info("listening", { listener: options.name, address: authorityOf(host, port), url });
    return new Listener(server, url, options.handler, options.clock ?? systemClock);
  }

  /**
   * Takes no new request, lets those under way finish, and cuts what is still open after `deadlineMs`. A second call waits for the
   * first.
   */
  close(deadlineMs: number): Promise<void> {
    return (this.#closing ??= this.#close(deadlineMs));
  }

  async #close(deadlineMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const deadline = this.#clock.setTimer(() => this.#server.closeAllConnections(), deadlineMs);
    await closed;
    deadline.cancel();
  }
}

async function bound(server: Server, address: BindAddress, options: ListenerOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen({ port: address.port, ...(address.host === undefined ? {} : { host: address.host }) }, resolve);
  try {
    await promise;
  } catch (error) {
    throw listenError(error as NodeJS.ErrnoException, options);
  }
  server.off("error", reject);
}

function listenError(error: NodeJS.ErrnoException, { flag, address }: ListenerOptions): StalewatchError {
  if (error.code === "EADDRINUSE") {
    return new StalewatchError(
      "ADDRESS_IN_USE",
      `${flag}: another process listens on ${address}`,
      "stop it, choose another port, or port 0 for a free one",
    );
  }
  const remedy = error.code === "EACCES" ? "choose a port from 1024 on" : "choose an address of this machine";
  return new StalewatchError("LISTEN_FAILED", `${flag}: cannot listen on ${address} (${messageOf(error)})`, remedy);
}

function notLoopback({ flag, address, name }: ListenerOptions, { port }: BindAddress): StalewatchError {
  return new StalewatchError(
    "ADDRESS_NOT_LOOPBACK",
    `${flag}: ${address} would serve ${name} without TLS or authentication to everyone who can reach it`,
    `bind 127.0.0.1:${port}, or accept that with --metrics-secure=false`,
  );
}
