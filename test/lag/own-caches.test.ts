import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Transport } from "../../src/base/index.ts";
import { Informer } from "../../src/cache/index.ts";
import { HeadSet } from "../../src/head/index.ts";
import { KubeClient } from "../../src/kube/index.ts";
import { OwnCaches } from "../../src/lag/index.ts";
import { type Resource, resources } from "../../src/resources/index.ts";
import { EmbeddedCluster } from "../../src/testing/index.ts";
import { type Recorded, recordingEnv } from "../kube/recording-env.ts";

let recorded: Recorded;
let cluster: EmbeddedCluster;
let stop: AbortController;
let running: Promise<void>[];
let informer: Informer;
let caches: OwnCaches;
/** Whether the cache's own connection is cut; that of the watch beside it is another. */
let isCut: boolean;

beforeEach(async () => {
  recorded = recordingEnv();
  const { env, clock } = recorded;
  cluster = await EmbeddedCluster.start({ clock });
  stop = new AbortController();
  isCut = false;
  const client = new KubeClient({ transport: cutable(cluster.transport()), env });
  const resource: Resource = resources.jobs;
  informer = new Informer({ client, resource, env });
  const heads = new HeadSet({
    client: new KubeClient({ transport: cluster.transport(), env }),
    probeIntervalMs: 15_000,
    env,
  });
  caches = new OwnCaches({ heads, informers: () => [informer], probeIntervalMs: 15_000, budgetMs: 30_000, env });
  const { signal } = stop;
  running = [informer.run({ signal }), heads.run({ signal }), caches.run({ signal })];
  await cluster.settle({ advance: 1_000 });
});
afterEach(async () => {
  stop.abort();
  await Promise.all(running);
  await cluster[Symbol.asyncDispose]();
});

function cutable(transport: Transport): Transport {
  return {
    exchange: (request) => (isCut ? Promise.reject(new Error("no route to host")) : transport.exchange(request)),
    close: () => transport.close(),
  };
}

function addJobs(...names: readonly string[]): void {
  for (const name of names) cluster.objects.create(resources.jobs, { metadata: { name, namespace: "shop" } });
}

const cached = (): readonly string[] => informer.lister.list("shop").map(({ metadata }) => metadata.name);

describe("a cache of our own", () => {
  it("that goes on from a history that is gone is found out by the watch beside it, and listed again", async () => {
    addJobs("a");
    await cluster.settle({ advance: 100 });
    const snapshot = cluster.currentVersion();
    addJobs("lost-1", "lost-2");
    await cluster.settle({ advance: 5_000 });
    isCut = true;
    cluster.faults.rollback(snapshot);
    await cluster.settle({ advance: 5_000 });
    expect(caches.answer(informer)).toMatchObject({ state: "rewind", minMs: undefined, maxMs: undefined });
    // By the time that the cache can ask, the version that it stands at exists again: it sees nothing odd.
    addJobs("b", "c", "d", "e");
    isCut = false;
    await cluster.settle({ advance: 40_000 });
    expect(cached().toSorted()).toEqual(["a", "b", "c", "d", "e"]);
    expect(caches.answer(informer)).toMatchObject({ state: "fresh", minMs: 0, eventsBehind: 0 });
    const kind = { group: "batch", version: "v1", resource: "jobs" };
    expect(recorded.count("stalewatch_relists_total", { ...kind, reason: "rewind" })).toBe(1);
  });
});
