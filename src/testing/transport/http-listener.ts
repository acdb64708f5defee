import { createServer, type IncomingMessage, type Server, type ServerResponse as NodeResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { ServerRequest, ServerResponse } from "../api/exchange.ts";

type Handle = (request: Omit<ServerRequest, "replica">) => Promise<ServerResponse>;

/** The same request handling behind a socket on the loopback interface. */
export class HttpListener {
  readonly url: string;
  readonly #server: Server;
  readonly #sockets: Set<Socket> = new Set();

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
  }

  /** Errors: rejects when the port is taken. */
  static async start(port: number, handle: Handle): Promise<HttpListener> {
    const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
      answer(handle, request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, "127.0.0.1", resolve);
    });
    return new HttpListener(server);
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

async function answer(handle: Handle, request: IncomingMessage, response: NodeResponse): Promise<void> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  const { status, headers, body } = await handle({
    method: request.method ?? "GET",
    path: request.url ?? "/",
    headers: request.headers as Record<string, string | undefined>,
    body: chunks.length === 0 ? undefined : Buffer.concat(chunks),
  });
  if (body instanceof Uint8Array) {
    response.writeHead(status, { ...headers, "content-length": body.length });
    response.end(body);
    return;
  }
  response.writeHead(status, headers);
  response.flushHeaders();
  await pipe(body, response);
}

/** Writes what comes, waits while the socket is full, and stops reading when the client has gone. */
async function pipe(body: AsyncIterable<Uint8Array>, response: NodeResponse): Promise<void> {
  const chunks = body[Symbol.asyncIterator]();
  const gone = (): void => void chunks.return?.();
  response.once("close", gone);
  for (;;) {
    const { done, value } = await chunks.next();
    if (done) break;
    if (!response.write(value)) await drained(response);
  }
  response.removeListener("close", gone);
  response.end();
}

function drained(response: NodeResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      response.removeListener("drain", settle);
      response.removeListener("close", settle);
      resolve();
    };
    response.once("drain", settle);
    response.once("close", settle);
  });
}
