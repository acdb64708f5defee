import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";

/** Self-signed for localhost and 127.0.0.1, valid for a hundred years; the key is no secret. */
export const certificate: string = read("tls/server.crt");
const key = read("tls/server.key");

function read(name: string): string {
  return readFileSync(new URL(name, import.meta.url), "utf8");
}

/** A server on loopback that says which connections and headers calls came with. */
export class LoopbackServer implements AsyncDisposable {
  readonly url: string;
  readonly requests: { path: string; headers: IncomingMessage["headers"]; connection: number }[] = [];
  readonly #server: Server;
  readonly #sockets: Map<Socket, number> = new Map();

  private constructor(server: Server, scheme: string) {
    this.#server = server;
    this.url = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const open = (socket: Socket): void => {
      this.#sockets.set(socket, this.connections);
      this.connections += 1;
      socket.on("close", () => this.#sockets.delete(socket));
    };
    server.on(scheme === "https" ? "secureConnection" : "connection", open);
    server.prependListener("request", (request: IncomingMessage) => {
      const connection = this.#sockets.get(request.socket) ?? -1;
      this.requests.push({ path: request.url ?? "", headers: request.headers, connection });
    });
  }

  /** Opened so far. */
  connections = 0;

  /** Still open. */
  get open(): number {
    return this.#sockets.size;
  }

  static async start(answer: RequestListener, options: { tls?: boolean } = {}): Promise<LoopbackServer> {
    const server = options.tls ? createTlsServer({ cert: certificate, key }, answer) : createServer(answer);
    server.keepAliveTimeout = 120_000;
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new LoopbackServer(server, options.tls ? "https" : "http");
  }

  /** Breaks every connection now. */
  cut(): void {
    for (const socket of this.#sockets.keys()) socket.destroy();
  }

  /** Resolves when a connection has closed, by whichever side. */
  async whenClosed(): Promise<void> {
    while (this.open > 0) await Promise.all([...this.#sockets.keys()].map((socket) => once(socket, "close")));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }
}
