import { once } from "node:events";
import { Agent, createServer, request, type Server } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ClusterAccess } from "./cluster-access.ts";
import { pause } from "./daemon.ts";

export interface DelayingProxyOptions {
  /** The plural, or plurals, whose watches are held back, as "pods". */
  resource: string | readonly string[];
  delayMs: number;
}

/**
 * An HTTPS server between a client and the API server. It passes everything through with admin's rights, and holds back what
 * the watches of some kinds bring: later by a delay, not at all (half-open), or cut in the middle.
 */
export class DelayingProxy implements AsyncDisposable {
  /** Of the watches held back now and of those to come; chunks already waiting keep their time. */
  delayMs: number;
  readonly #held: readonly string[];
  readonly #server: Server;
  readonly #upstream: URL;
  readonly #agent: Agent;
  readonly #watches = new Set<ServerResponse>();
  readonly #silent = new WeakSet<ServerResponse>();

  private constructor(access: ClusterAccess, options: DelayingProxyOptions) {
    this.delayMs = options.delayMs;
    this.#held = [options.resource].flat();
    this.#upstream = new URL(access.server);
    const { cert, key } = access.admin;
    this.#agent = new Agent({ ca: access.authority.ca.cert, cert, key, keepAlive: true });
    const identity = access.authority.issue("proxy");
    this.#server = createServer({ cert: identity.cert, key: identity.key }, (incoming, outgoing) => {
      this.#pass(incoming, outgoing);
    });
  }

  static async start(access: ClusterAccess, options: DelayingProxyOptions): Promise<DelayingProxy> {
    const proxy = new DelayingProxy(access, options);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  /** What a kubeconfig calls `server`. */
  get server(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Breaks every open watch of these kinds, as a lost connection does. */
  cut(): void {
    for (const watch of this.#watches) watch.destroy();
  }

  /** The open watches of these kinds stay open and bring nothing any more; `cut` ends them. New watches work. */
  halfOpen(): void {
    for (const watch of this.#watches) this.#silent.add(watch);
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    this.#agent.destroy();
    await once(this.#server, "close");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method, url = "/" } = incoming;
    const headers = { ...incoming.headers, host: this.#upstream.host };
    const upstream = request(new URL(url, this.#upstream), { method: method ?? "GET", headers, agent: this.#agent });
    incoming.pipe(upstream);
    upstream.on("error", () => outgoing.destroy());
    upstream.on("response", (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      if (this.#holdsBack(url)) this.#delay(answer, outgoing);
      else answer.pipe(outgoing);
    });
    outgoing.on("close", () => upstream.destroy());
  }

  #delay(answer: IncomingMessage, outgoing: ServerResponse): void {
    outgoing.flushHeaders();
    this.#watches.add(outgoing);
    outgoing.on("close", () => this.#watches.delete(outgoing));
    let last = Promise.resolve();
    const later = (act: () => void): void => {
      const due = performance.now() + this.delayMs;
      last = last.then(async () => {
        await pause(Math.max(0, due - performance.now()));
        if (!this.#silent.has(outgoing) && !outgoing.destroyed) act();
      });
    };
    answer.on("data", (chunk: Buffer) => later(() => outgoing.write(chunk)));
    answer.on("end", () => later(() => outgoing.end()));
    answer.on("error", () => outgoing.destroy());
  }

  #holdsBack(url: string): boolean {
    const { pathname, searchParams } = new URL(url, this.#upstream);
    const watch = ["true", "1"].includes(searchParams.get("watch") ?? "");
    return watch && pathname.split("/").some((part) => this.#held.includes(part));
  }
}
