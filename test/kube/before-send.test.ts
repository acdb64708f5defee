import { setImmediate } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Cluster, KubeClient, loadCluster } from "../../src/kube/index.ts";
import { resources } from "../../src/resources/index.ts";
import { EmbeddedCluster, VirtualClock } from "../../src/testing/index.ts";
import { LoopbackServer } from "./loopback-server.ts";
import { kubeconfigText, TemporaryFiles } from "./temporary-files.ts";

const { configMaps } = resources;
const ref = { namespace: "default", name: "a" };
const change = { type: "merge", body: { data: { by: "me" } } } as const;

const files = new TemporaryFiles();
let opened: Cluster | undefined;

afterEach(() => opened?.close());

async function clientOf(server: LoopbackServer): Promise<KubeClient> {
  opened = await loadCluster({ kubeconfig: files.write("config", kubeconfigText({ server: server.url })) });
  return new KubeClient({ transport: opened.transport, pool: "election" });
}

describe("what a writer asks before each write", () => {
  it("keeps the write from being sent, and leaves the connection to the next", async () => {
    await using server = await LoopbackServer.start((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ metadata: ref }));
    });
    const client = await clientOf(server);
    await client.get(configMaps, ref);
    const refusal = new Error("not now");
    const refuse = (): never => {
      throw refusal;
    };
    await expect(client.patch(configMaps, ref, change, { beforeSend: refuse })).rejects.toThrow("not now");
    expect(server.requests).toHaveLength(1);
    await client.patch(configMaps, ref, change, { beforeSend: () => {} });
    expect(server.requests).toHaveLength(2);
    expect(server.open).toBe(server.connections);
  });

  it("is asked when there is a connection for it, not before", async () => {
    const held: (() => void)[] = [];
    await using server = await LoopbackServer.start((_request, response) => {
      held.push(() => response.writeHead(200, { "content-type": "application/json" }).end('{"metadata":{}}'));
    });
    const client = await clientOf(server);
    let asked = 0;
    const write = (): Promise<unknown> => client.patch(configMaps, ref, change, { beforeSend: () => (asked += 1) });
    const first = [write(), write(), write(), write()];
    await vi.waitUntil(() => held.length === 4);
    const last = write();
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    expect(asked).toBe(4);
    for (const release of held.splice(0)) release();
    await Promise.all(first);
    await vi.waitUntil(() => held.length > 0);
    expect(asked).toBe(5);
    for (const release of held) release();
    await last;
  });

  it("is asked again for each retry", async () => {
    const clock = new VirtualClock();
    await using cluster = await EmbeddedCluster.start({ clock });
    cluster.objects.create(configMaps, { metadata: ref });
    cluster.faults.failRequests({ match: { verb: "patch" }, status: 429, retryAfter: 5, times: 2 });
    const client = new KubeClient({ transport: cluster.transport(), env: { clock } });
    const askedAt: number[] = [];
    const start = clock.monotonic();
    const beforeSend = (): void => {
      askedAt.push(clock.monotonic() - start);
      if (askedAt.length === 3) throw new Error("no longer");
    };
    const refused = expect(client.patch(configMaps, ref, change, { beforeSend })).rejects.toThrow("no longer");
    await clock.advance(20_000);
    await refused;
    expect(askedAt).toEqual([0, 5_000, 10_000]);
    expect(cluster.objects.get(configMaps, ref)).not.toHaveProperty("data");
  });

  it("is asked after the wait for the client's own rate", async () => {
    const clock = new VirtualClock();
    await using cluster = await EmbeddedCluster.start({ clock });
    cluster.objects.create(configMaps, { metadata: ref });
    const client = new KubeClient({ transport: cluster.transport(), env: { clock }, qps: 0.5, burst: 1 });
    await client.get(configMaps, ref);
    let askedAt = 0;
    const start = clock.monotonic();
    const beforeSend = (): void => {
      askedAt = clock.monotonic() - start;
    };
    const written = client.patch(configMaps, ref, change, { beforeSend });
    await clock.advance(2_000);
    await written;
    expect(askedAt).toBe(2_000);
  });
});
