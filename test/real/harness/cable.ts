import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import type { ClusterAccess } from "./cluster-access.ts";

/**
 * What lies between one client and the API server: bytes, which it does not look into, so that the client's own certificate counts.
 * It can be pulled out, as a network does that fails: connections stay open, and nothing arrives any more.
 */
export class Cable implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #pulled = false;

  private constructor(access: ClusterAccess) {
    const { hostname, port } = new URL(access.server);
    this.#server = createServer({ pauseOnConnect: true }, (client) => {
      const upstream = connect(Number(port), hostname);
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.#sockets.add(from);
        from.on("data", (bytes) => void (this.#pulled || to.write(bytes)));
        from.on("close", () => this.#sockets.delete(from) && !this.#pulled && to.destroy());
        from.on("error", () => from.destroy());
      }
      client.resume();
    });
  }

  static async start(access: ClusterAccess): Promise<Cable> {
    const cable = new Cable(access);
    cable.#server.listen(0, "127.0.0.1");
    await once(cable.#server, "listening");
    return cable;
  }

  /** What a kubeconfig calls `server`. */
  get server(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** For good. */
  pull(): void {
    this.#pulled = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, "close");
  }
}
