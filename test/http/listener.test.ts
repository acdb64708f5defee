import { type RequestListener, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { isLoopback, Listener, type ListenerOptions, parseBindAddress } from "../../src/http/index.ts";
import { testEnv } from "./env.ts";

const hello: RequestListener = (_request, response) => void response.end("hello");

function options(more: Partial<ListenerOptions> = {}): ListenerOptions {
  return {
    name: "status",
    flag: "--status-bind-address",
    address: "127.0.0.1:0",
    reach: "loopback",
    handler: hello,
    ...more,
  };
}

async function opened(more: Partial<ListenerOptions> = {}): Promise<Listener> {
  const listener = await Listener.open(options(more));
  if (!listener) throw new Error("not opened");
  return listener;
}

describe("parseBindAddress", () => {
  it.each([
    [":8443", { host: undefined, port: 8443 }, false],
    ["127.0.0.1:8080", { host: "127.0.0.1", port: 8080 }, true],
    ["127.9.9.9:1", { host: "127.9.9.9", port: 1 }, true],
    ["[::1]:0", { host: "::1", port: 0 }, true],
    ["localhost:80", { host: "localhost", port: 80 }, true],
    ["0.0.0.0:80", { host: "0.0.0.0", port: 80 }, false],
    ["[::]:80", { host: "::", port: 80 }, false],
    ["10.0.0.7:80", { host: "10.0.0.7", port: 80 }, false],
    ["127.evil.example:80", { host: "127.evil.example", port: 80 }, false],
  ])("reads %s", (text, address, loopback) => {
    const parsed = parseBindAddress(text, "--x");
    expect(parsed).toEqual(address);
    expect(parsed && isLoopback(parsed)).toBe(loopback);
  });

  it("takes 0 for off", () => {
    expect(parseBindAddress("0", "--x")).toBeUndefined();
  });

  it.each([
    "",
    "8080",
    "127.0.0.1",
    ":",
    ":x",
    ":65536",
    "::1:80",
    "[127.0.0.1]:80",
    "[]:80",
    "http://a:80",
    "a:80/metrics",
  ])('names the flag when it is given "%s"', (text) => {
    expect(() => parseBindAddress(text, "--metrics-bind-address")).toThrow(
      `--metrics-bind-address: "${text}" is not an address to bind: write it as "127.0.0.1:8080"`,
    );
  });
});

describe("Listener", () => {
  it("picks a free port for 0 and says where it listens, in one line", async () => {
    const env = testEnv();
    const listener = await opened({ log: env.log });
    expect(listener.url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/);
    expect(env.lines).toEqual([
      { message: "listening", fields: { listener: "status", address: listener.url.slice(7), url: listener.url } },
    ]);
    expect(await (await fetch(listener.url)).text()).toBe("hello");
    await listener.close(0);
  });

  it("is not opened for 0", async () => {
    expect(await Listener.open(options({ address: "0" }))).toBeUndefined();
  });

  it("listens on every interface when asked to, and can be asked on loopback then", async () => {
    const listener = await opened({ address: ":0", reach: "anywhere" });
    expect(await (await fetch(listener.url)).text()).toBe("hello");
    await listener.close(0);
  });

  it.each([":0", "0.0.0.0:0", "[::]:0"])(
    "refuses %s for what tells about the cluster, naming the way out",
    async (address) => {
      await expect(Listener.open(options({ address }))).rejects.toMatchObject({
        code: "ADDRESS_NOT_LOOPBACK",
        message: `--status-bind-address: ${address} would serve status without TLS or authentication to everyone who can reach it: bind 127.0.0.1:0, or accept that with --metrics-secure=false`,
      });
    },
  );

  it("names flag and remedy when the port is in use", async () => {
    const first = await opened();
    const address = first.url.slice("http://".length);
    await expect(Listener.open(options({ address }))).rejects.toMatchObject({
      code: "ADDRESS_IN_USE",
      message: `--status-bind-address: another process listens on ${address}: stop it, choose another port, or port 0 for a free one`,
    });
    await first.close(0);
  });

  it("names flag and remedy when the address is not one of this machine", async () => {
    await expect(Listener.open(options({ address: "192.0.2.1:0", reach: "anywhere" }))).rejects.toMatchObject({
      code: "LISTEN_FAILED",
      message: expect.stringMatching(
        /^--status-bind-address: cannot listen on 192\.0\.2\.1:0 .*: choose an address of this machine$/,
      ),
    });
  });

  it("lets a request under way finish before it has closed, and closes the connection after it", async () => {
    const { promise: asked, resolve: onRequest } = Promise.withResolvers<ServerResponse>();
    const listener = await opened({ handler: (_request, response) => onRequest(response) });
    const answer = fetch(listener.url);
    const response = await asked;
    const closed = listener.close(60_000);
    response.end("late but whole");
    expect(await (await answer).text()).toBe("late but whole");
    await closed;
    await expect(fetch(listener.url)).rejects.toThrow();
  });

  it("cuts off at the deadline who does not finish", async () => {
    const env = testEnv();
    const { promise: asked, resolve: onRequest } = Promise.withResolvers<void>();
    const listener = await opened({ clock: env.clock, handler: () => onRequest() });
    const answer = fetch(listener.url);
    await asked;
    const closed = listener.close(5_000);
    expect(listener.close(5_000)).toBe(closed);
    env.clock.advance(5_000);
    await closed;
    await expect(answer).rejects.toThrow();
  });

  it("is not kept open by an idle connection", async () => {
    const listener = await opened();
    const socket = await new Promise<Socket>((resolve) => {
      const made = connect(Number(new URL(listener.url).port), "127.0.0.1", () => resolve(made));
    });
    await new Promise<void>((resolve) => {
      socket.once("data", () => resolve());
      socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    });
    await listener.close(60_000);
    socket.destroy();
  });
});
