import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Transport } from "../../src/base/index.ts";
import { Informer } from "../../src/cache/index.ts";
import { HeadSet } from "../../src/head/index.ts";
import { KubeClient } from "../../src/kube/index.ts";
import { OwnCaches } from "../../src/lag/index.ts";
import { type Resource, resources } from "../../src/resources/index.ts";
import { EmbeddedCluster } from "../../src/testing/index.ts";
import { type Recorded, recordingEnv } from "../kube/recording-env.ts";
import { lateWatches } from "./late-watches.ts";

let recorded: Recorded;
let cluster: EmbeddedCluster;
let stop: AbortController;
let running: Promise<void>[];
let informer: Informer;
let caches: OwnCaches;
/** Whether the cache's own connection is cut; that of the watch beside it is another. */
let isCut: boolean;
/** For how long what its watch is sent is held back on the way. */
let heldMs: number;

beforeEach(async () => {
  recorded = recordingEnv();
  const { env, clock } = recorded;
  cluster = await EmbeddedCluster.start({ clock });
  stop = new AbortController();
  isCut = false;
  heldMs = 0;
  const client = new KubeClient({ transport: lateWatches(cutable(cluster.transport()), clock, () => heldMs), env });
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

const kind = { group: "batch", version: "v1", resource: "jobs" };
const relists = (reason: string): number => recorded.count("stalewatch_relists_total", { ...kind, reason });

describe("a cache of our own", () => {
  // Each at several distances from the last bookmark and the last read; the watch beside it dies too where the server is to blame.
  const times = [1_000, 8_000, 14_500, 59_000, 61_000];
  const deaths: Readonly<Record<string, () => void>> = {
    "half-open": () => cluster.faults.halfOpen(resources.jobs),
    cut: () => cluster.faults.breakWatches(resources.jobs),
    "silently withheld": () => void (heldMs = 3_600_000),
  };
  const cases = Object.entries(deaths).flatMap(([name, die]) => times.map((after) => ({ name, die, after })));

  it.each(cases)("whose watch is $name after $after ms has what it missed within 100 s", async ({ die, after }) => {
    await cluster.settle({ advance: after });
    die();
    await cluster.settle({ advance: 2_000 });
    addJobs("missed");
    await cluster.settle({ advance: 100_000 });
    expect(cached()).toEqual(["missed"]);
    heldMs = 0;
    addJobs("next");
    await cluster.settle({ advance: 10_000 });
    expect(caches.answer(informer)).toMatchObject({ state: "fresh", minMs: 0, eventsBehind: 0 });
  });

  it("that is idle and healthy is left alone for an hour, whatever happens to other kinds", async () => {
    for (let minute = 0; minute < 60; minute += 1) {
      cluster.objects.create(resources.configMaps, { metadata: { name: `other-${minute}`, namespace: "shop" } });
      await cluster.settle({ advance: 60_000 });
      expect(caches.answer(informer)).toMatchObject({ state: "fresh", minMs: 0, eventsBehind: 0 });
    }
    expect(relists("verification") + relists("rewind")).toBe(0);
    expect(recorded.warnings).toEqual([]);
  });

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
    heldMs = 0;
    await cluster.settle({ advance: 40_000 });
    expect(cached().toSorted()).toEqual(["a", "b", "c", "d", "e"]);
    expect(caches.answer(informer)).toMatchObject({ state: "fresh", minMs: 0, eventsBehind: 0 });
    expect(relists("rewind")).toBe(1);
  });
});
