import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";

/** Files of self-signed certificates, valid for a hundred years; the keys are no secret. */
export const certificates: { readonly here: Pair; readonly elsewhere: Pair } = {
  /** For localhost and 127.0.0.1. */
  here: pair("../kube/tls/server"),
  /** For elsewhere.example. */
  elsewhere: pair("./tls/elsewhere"),
};

interface Pair {
  readonly certFile: string;
  readonly keyFile: string;
  /** Of the certificate. */
  readonly text: string;
}

function pair(name: string): Pair {
  const path = (suffix: string): string => new URL(`${name}.${suffix}`, import.meta.url).pathname;
  return { certFile: path("crt"), keyFile: path("key"), text: readFileSync(path("crt"), "utf8") };
}

/** Somebody's /metrics on loopback, in plain HTTP or with one of the certificates. */
export class MetricsServer implements AsyncDisposable {
  readonly url: URL;
  /** Opened so far. */
  connections = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, scheme: string) {
    this.#server = server;
    this.url = new URL(`${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`);
    server.on("connection", (socket: Socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on("error", () => {}); // a reader that has had enough resets it
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  static async start(answer: RequestListener | string, tls?: keyof typeof certificates): Promise<MetricsServer> {
    const listener: RequestListener = (request, response) => {
      if (typeof answer === "string") response.writeHead(200, { "content-type": "text/plain" }).end(answer);
      else answer(request, response);
    };
    const server = tls
      ? createTlsServer(
          { cert: readFileSync(certificates[tls].certFile), key: readFileSync(certificates[tls].keyFile) },
          listener,
        )
      : createServer(listener);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new MetricsServer(server, tls ? "https" : "http");
  }

  /** Resolves when every connection is closed, by whichever side. */
  async whenAlone(): Promise<void> {
    while (this.#sockets.size > 0) await Promise.all([...this.#sockets].map(closed));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** Also when it ends in an error. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once("close", () => resolve()));
}
