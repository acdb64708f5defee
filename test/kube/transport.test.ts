import type { RequestListener, ServerResponse } from "node:http";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ExchangeRequest, ExchangeResponse } from "../../src/base/index.ts";
import { ApiError, type Cluster, KubeClient, loadCluster } from "../../src/kube/index.ts";
import { resources } from "../../src/resources/index.ts";
import { VirtualClock } from "../../src/testing/index.ts";
import { certificate, LoopbackServer } from "./loopback-server.ts";
import { kubeconfigText, type KubeconfigParts, TemporaryFiles } from "./temporary-files.ts";

const { jobs } = resources;
const ref = { namespace: "shop", name: "a" };
const job = { metadata: { name: "a", namespace: "shop", uid: "u" } };

const files = new TemporaryFiles();
const opened: Cluster[] = [];

afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(opened.splice(0).map((cluster) => cluster.close()));
});

async function clusterOf(parts: KubeconfigParts, clock?: VirtualClock): Promise<Cluster> {
  const kubeconfig = files.write("config", kubeconfigText(parts));
  const cluster = await loadCluster({ kubeconfig, ...(clock ? { env: { clock } } : {}) });
  opened.push(cluster);
  return cluster;
}

const answersJob: RequestListener = (_request, response) => sendJson(response, job);

function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function request(more: Partial<ExchangeRequest> = {}): ExchangeRequest {
  return { method: "GET", path: "/", headers: {}, pool: "requests", ...more };
}

async function text(response: ExchangeResponse): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of response.body) parts.push(part);
  return Buffer.concat(parts).toString();
}

describe("connections", () => {
  it("are kept and used again, and each pool has its own", async () => {
    await using server = await LoopbackServer.start(answersJob);
    const { transport } = await clusterOf({ server: server.url });
    const pools = ["requests", "watches", "election"] as const;
    for (const pool of Array.from({ length: 20 }, () => pools).flat()) {
      await text(await transport.exchange(request({ pool, path: `/${pool}` })));
    }
    const used = pools.map((pool) => {
      return new Set(server.requests.filter(({ path }) => path === `/${pool}`).map(({ connection }) => connection));
    });
    // undici gives a connection back a moment after the body's end, so that one call after the other may take turns on a few.
    expect(Math.max(...used.map(({ size }) => size))).toBeLessThanOrEqual(3);
    expect(server.connections).toBe(used.reduce((sum, { size }) => sum + size, 0));
  });

  it("close when a body is left early", async () => {
    await using server = await LoopbackServer.start((_request, response) => void response.write("first"));
    const { transport } = await clusterOf({ server: server.url });
    const { body } = await transport.exchange(request({ pool: "watches" }));
    for await (const part of body) {
      expect(Buffer.from(part).toString()).toBe("first");
      break;
    }
    await server.whenClosed();
  });

  it("close when the signal aborts, and the reader gets its reason", async () => {
    await using server = await LoopbackServer.start((_request, response) => void response.write("first"));
    const { transport } = await clusterOf({ server: server.url });
    const stop = new AbortController();
    const { body } = await transport.exchange(request({ signal: stop.signal }));
    const reader = body[Symbol.asyncIterator]();
    await reader.next();
    const next = reader.next();
    stop.abort(new Error("enough"));
    await expect(next).rejects.toThrow("enough");
    await expect(reader.next()).resolves.toMatchObject({ done: true });
    await server.whenClosed();
  });

  it("give up before headers when the signal aborts", async () => {
    await using server = await LoopbackServer.start(() => {});
    const { transport } = await clusterOf({ server: server.url });
    const stop = new AbortController();
    const answer = transport.exchange(request({ signal: stop.signal }));
    const settled = expect(answer).rejects.toThrow("enough");
    await vi.waitUntil(() => server.requests.length === 1);
    stop.abort(new Error("enough"));
    await settled;
    await expect(transport.exchange(request({ signal: stop.signal }))).rejects.toThrow("enough");
    expect(server.requests).toHaveLength(1);
  });

  it("hold the server back while nobody reads", async () => {
    const sent = { bytes: 0 };
    await using server = await LoopbackServer.start((_request, response) => {
      const piece = Buffer.alloc(64 * 1024);
      const send = (): void => {
        do sent.bytes += piece.length;
        while (response.write(piece));
      };
      response.on("drain", send);
      send();
    });
    const { transport } = await clusterOf({ server: server.url });
    const { body } = await transport.exchange(request({ pool: "watches" }));
    const reader = body[Symbol.asyncIterator]();
    await reader.next();
    let before = -1;
    await vi.waitUntil(() => before === (before = sent.bytes), { interval: 100, timeout: 20_000 });
    expect(sent.bytes).toBeLessThan(64 * 2 ** 20);
    for (let read = 0; read < 2 * before;) read += (await reader.next()).value?.length ?? Number.POSITIVE_INFINITY;
    expect(sent.bytes).toBeGreaterThan(before);
    await reader.return?.();
  });

  it("that were kept and are gone cost a read nothing", async () => {
    await using server = await LoopbackServer.start((request_, response) => {
      if (server.requests.length === 2) request_.socket.destroy();
      else sendJson(response, job);
    });
    const client = new KubeClient({ transport: (await clusterOf({ server: server.url })).transport });
    await client.get(jobs, ref);
    await expect(client.get(jobs, ref)).resolves.toEqual(job);
    expect(server.requests).toHaveLength(3);
  });

  it("that break twice are an error, as is one write", async () => {
    await using server = await LoopbackServer.start(({ socket }) => void socket.destroy());
    const client = new KubeClient({ transport: (await clusterOf({ server: server.url })).transport });
    await expect(client.get(jobs, ref)).rejects.toMatchObject({ code: "API_CONNECTION_LOST", status: 0 });
    expect(server.requests).toHaveLength(2);
    await expect(client.create(jobs, { metadata: ref })).rejects.toMatchObject({ code: "API_CONNECTION_LOST" });
    expect(server.requests).toHaveLength(3);
  });

  it("that break inside a body end it with an error", async () => {
    await using server = await LoopbackServer.start((request_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"type":"ADD', () => request_.socket.destroy());
    });
    const client = new KubeClient({ transport: (await clusterOf({ server: server.url })).transport });
    const watch = client.watch(jobs, { resourceVersion: "1", timeoutSeconds: 300 })[Symbol.asyncIterator]();
    await expect(watch.next()).rejects.toMatchObject({ code: "API_CONNECTION_LOST", resource: "jobs.v1.batch" });
  });

  it("that fall silent end with a timeout, before headers and after", async () => {
    await using server = await LoopbackServer.start(({ url }, response) => {
      if (url === "/silent-body") response.write("first");
    });
    const { transport } = await clusterOf({ server: server.url });
    const client = new KubeClient({ transport });
    const options = { resourceVersion: "1", timeoutSeconds: 300, idleTimeoutMs: 50 };
    const watch = client.watch(jobs, options)[Symbol.asyncIterator]();
    await expect(watch.next()).rejects.toMatchObject({
      code: "API_TIMEOUT",
      message: expect.stringMatching(/no answer/),
    });
    const { body } = await transport.exchange(request({ path: "/silent-body", idleTimeoutMs: 50 }));
    const reader = body[Symbol.asyncIterator]();
    await reader.next();
    await expect(reader.next()).rejects.toThrow(/nothing more came/);
  });

  it.each([
    ["closed", (cluster: Cluster) => cluster.close()],
    ["disposed of", (cluster: Cluster) => cluster[Symbol.asyncDispose]()],
  ])("all end when the cluster is %s", async (_, end) => {
    await using server = await LoopbackServer.start((_request, response) => void response.write("first"));
    const cluster = await clusterOf({ server: server.url });
    const { body } = await cluster.transport.exchange(request({ pool: "watches" }));
    const reader = body[Symbol.asyncIterator]();
    await reader.next();
    const next = expect(reader.next()).rejects.toThrow();
    await end(cluster);
    await next;
    await server.whenClosed();
  });
});

describe("a closed cluster", () => {
  it("ends the calls of former credentials too, and makes no new ones", async () => {
    await using server = await LoopbackServer.start((_request, response) => void response.write("first"), {
      tls: true,
    });
    const clock = new VirtualClock();
    const path = files.write("former.crt", certificate);
    const cluster = await clusterOf({ server: server.url, cluster: { "certificate-authority": path } }, clock);
    const { body } = await cluster.transport.exchange(request({ pool: "watches" }));
    const former = body[Symbol.asyncIterator]();
    await former.next();
    files.write("former.crt", `${certificate}\n${certificate}`);
    await clock.advance(61_000);
    const current = (await cluster.transport.exchange(request())).body[Symbol.asyncIterator]();
    await current.next();
    expect(server.open).toBe(2);
    const ended = [former, current].map((reader) => expect(reader.next()).rejects.toThrow());
    await cluster.close();
    await Promise.all(ended);
    await server.whenClosed();
    await expect(cluster.transport.exchange(request())).rejects.toThrow(/is closed/);
  });
});

describe("addresses", () => {
  it("are reached through the kubeconfig's proxy", async () => {
    await using proxy = await LoopbackServer.start(answersJob);
    const server = "http://behind.test:8080";
    const cluster = await clusterOf({ server, cluster: { "proxy-url": proxy.url } });
    await expect(new KubeClient(cluster).get(jobs, ref)).resolves.toEqual(job);
    expect(proxy.requests[0]?.path).toBe(`${server}/apis/batch/v1/namespaces/shop/jobs/a`);
  });

  it("may have a path of their own", async () => {
    await using server = await LoopbackServer.start(answersJob);
    const { transport } = await clusterOf({ server: `${server.url}/k8s/c-1/` });
    await text(await transport.exchange(request({ path: "/api/v1/pods?limit=1" })));
    expect(server.requests[0]?.path).toBe("/k8s/c-1/api/v1/pods?limit=1");
  });

  it("that nobody listens on are unreachable", async () => {
    const server = await LoopbackServer.start(answersJob);
    const { url } = server;
    await server[Symbol.asyncDispose]();
    const client = new KubeClient({ transport: (await clusterOf({ server: url })).transport });
    const thrown: unknown = await client.get(jobs, ref).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(ApiError);
    expect(thrown).toMatchObject({
      code: "API_UNREACHABLE",
      message: `get jobs.v1.batch shop/a: ${url}: the connection is refused: check that the API server runs and the address is right`,
    });
  });
});

describe("TLS", () => {
  it("trusts the kubeconfig's CA, and no other", async () => {
    await using server = await LoopbackServer.start(answersJob, { tls: true });
    const trusted = await clusterOf({
      server: server.url,
      cluster: { "certificate-authority-data": Buffer.from(certificate).toString("base64") },
    });
    await expect(new KubeClient(trusted).get(jobs, ref)).resolves.toEqual(job);
    const untrusted = await clusterOf({ server: server.url });
    await expect(new KubeClient(untrusted).get(jobs, ref)).rejects.toMatchObject({
      code: "API_TLS_UNTRUSTED",
      message: expect.stringMatching(/certificate-authority/),
    });
  });

  it("takes a server by another name, or any, when told so", async () => {
    await using server = await LoopbackServer.start(answersJob, { tls: true });
    const cluster = { "certificate-authority": files.write("ca.crt", certificate) };
    const named = (name: string): Promise<Cluster> =>
      clusterOf({ server: server.url, cluster: { ...cluster, "tls-server-name": name } });
    await expect(new KubeClient(await named("localhost")).get(jobs, ref)).resolves.toEqual(job);
    await expect(new KubeClient(await named("elsewhere")).get(jobs, ref)).rejects.toMatchObject({
      code: "API_TLS_UNTRUSTED",
      message: expect.stringMatching(/another host name/),
    });
    const insecure = await clusterOf({ server: server.url, cluster: { "insecure-skip-tls-verify": true } });
    await expect(new KubeClient(insecure).get(jobs, ref)).resolves.toEqual(job);
  });

  it("is missed where the server speaks plain HTTP", async () => {
    await using server = await LoopbackServer.start(answersJob);
    const { transport } = await clusterOf({ server: server.url.replace("http:", "https:") });
    await expect(new KubeClient({ transport }).get(jobs, ref)).rejects.toMatchObject({ code: "API_NOT_TLS" });
  });

  it("says which file of the client's certificate is gone", async () => {
    await using server = await LoopbackServer.start(answersJob, { tls: true });
    const user = { "client-certificate": "gone.crt", "client-key": "gone.key" };
    const cluster = await clusterOf({ server: server.url, user });
    await expect(new KubeClient(cluster).get(jobs, ref)).rejects.toMatchObject({
      code: "API_CREDENTIALS_UNAVAILABLE",
      message: expect.stringMatching(/gone\.crt/),
    });
  });

  it("opens new connections when the CA changes, and keeps them while it does not", async () => {
    await using server = await LoopbackServer.start(answersJob, { tls: true });
    const clock = new VirtualClock();
    const path = files.write("changing.crt", certificate);
    const cluster = await clusterOf({ server: server.url, cluster: { "certificate-authority": path } }, clock);
    const client = new KubeClient({ ...cluster, env: { clock } });
    const call = async (times: number): Promise<void> => {
      for (let call_ = 0; call_ < times; call_ += 1) await client.get(jobs, ref);
    };
    await call(9);
    const { connections } = server;
    await clock.advance(61_000);
    await call(9);
    files.write("changing.crt", `${certificate}\n${certificate}`);
    await call(9);
    expect(server.connections).toBe(connections);
    await clock.advance(61_000);
    await call(1);
    expect(server.connections).toBe(connections + 1);
  });
});

function credentialOf(token: string): string {
  return JSON.stringify({ status: { token, expirationTimestamp: "2020-01-01T00:00:00Z" } });
}

/** A user whose credential plugin says this. */
function printing(output: string): object {
  const args = ["-e", `process.stdout.write(${JSON.stringify(output)})`];
  return { exec: { apiVersion: "client.authentication.k8s.io/v1", command: process.execPath, args } };
}

describe("credentials", () => {
  it.each([
    ["a token", { token: "t0ken" }, "Bearer t0ken"],
    ["a password", { username: "me", password: "pass" }, `Basic ${Buffer.from("me:pass").toString("base64")}`],
    ["nothing", {}, undefined],
  ])("are sent: %s", async (_what, user, authorization) => {
    await using server = await LoopbackServer.start(answersJob);
    await new KubeClient(await clusterOf({ server: server.url, user })).get(jobs, ref);
    expect(server.requests[0]?.headers.authorization).toBe(authorization);
  });

  it("come from a token file, which is read again each minute", async () => {
    await using server = await LoopbackServer.start(answersJob);
    const clock = new VirtualClock();
    vi.useFakeTimers({ toFake: ["Date"], now: clock.now() });
    try {
      files.write("token", "first\n");
      const client = new KubeClient(await clusterOf({ server: server.url, user: { tokenFile: "token" } }, clock));
      await client.get(jobs, ref);
      files.write("token", "second\n");
      await client.get(jobs, ref);
      await clock.advance(61_000);
      vi.setSystemTime(clock.now());
      await client.get(jobs, ref);
      const sent = server.requests.map(({ headers }) => headers.authorization);
      expect(sent).toEqual(["Bearer first", "Bearer first", "Bearer second"]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("come from a plugin, whose output no error repeats", async () => {
    await using server = await LoopbackServer.start(answersJob);
    await new KubeClient(await clusterOf({ server: server.url, user: printing(credentialOf("from-plugin")) })).get(
      jobs,
      ref,
    );
    expect(server.requests[0]?.headers.authorization).toBe("Bearer from-plugin");
    const broken = new KubeClient(await clusterOf({ server: server.url, user: printing("s3cret-token") }));
    const thrown: unknown = await broken.get(jobs, ref).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: "API_CREDENTIALS_UNAVAILABLE" });
    expect(String(thrown)).not.toContain("s3cret");
  });

  it("are asked for again soon after the server refused them", async () => {
    await using server = await LoopbackServer.start(({ headers }, response) =>
      headers.authorization === "Bearer renewed" ? sendJson(response, job) : sendJson(response, {}, 401),
    );
    const clock = new VirtualClock();
    const path = files.write("impersonate", "old");
    const client = new KubeClient(
      await clusterOf({ server: server.url, user: { exec: { command: "cat", args: [path] } } }, clock),
    );
    files.write("impersonate", credentialOf("old"));
    await expect(client.get(jobs, ref)).rejects.toMatchObject({ code: "API_UNAUTHORIZED" });
    files.write("impersonate", credentialOf("renewed"));
    await expect(client.get(jobs, ref)).rejects.toMatchObject({ code: "API_UNAUTHORIZED" });
    await clock.advance(5_000);
    await expect(client.get(jobs, ref)).resolves.toEqual(job);
  });
});
