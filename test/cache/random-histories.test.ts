import * as fc from "fast-check";
import { expect, test } from "vitest";
import { seededRandom } from "../../src/base/index.ts";
import { Informer } from "../../src/cache/index.ts";
import { KubeClient } from "../../src/kube/index.ts";
import { type Resource, resources } from "../../src/resources/index.ts";
import { EmbeddedCluster, VirtualClock } from "../../src/testing/index.ts";
import { histories, type History, REPLICAS, snapshot, World } from "./histories.ts";
import { Observer, text } from "./observer.ts";
import { UnreliableTransport } from "./unreliable-transport.ts";

/** More than this in some 20 minutes of virtual time is a busy loop. */
const MOST_REQUESTS = 250;

async function follow(history: History): Promise<void> {
  const resource = { ...resources.configMaps, protobuf: history.protobuf } as unknown as Resource;
  const clock = new VirtualClock();
  const cluster = await EmbeddedCluster.start({
    clock,
    replicas: REPLICAS,
    ...(history.largeVersions ? { baseVersion: 9_007_199_254_740_990n } : {}),
  });
  const transport = new UnreliableTransport(cluster.transport({ replica: () => world.replica }));
  transport.refusesStreams = history.paged;
  const world = new World({ cluster, transport, resource, selected: history.selected });
  const env = { clock, random: seededRandom(7) };
  const informer = new Informer({
    client: new KubeClient({ transport, env }),
    resource,
    env,
    ...(history.selected ? { scope: { labelSelector: "lit=yes" } } : {}),
  });
  const observer = new Observer(informer, world);
  const stop = new AbortController();
  const running = informer.run({ signal: stop.signal });
  const half = Math.ceil(history.steps.length / 2);
  await world.play(history.steps.slice(0, half));
  observer.addHandler();
  await world.play(history.steps.slice(half));
  await world.heal();

  const server = text(world.state);
  expect(text(snapshot(informer.lister.list())), "at rest the cache equals the server").toBe(server);
  for (const shadow of observer.shadows) {
    expect(text(shadow.state), "every handler knows each object's last state").toBe(server);
    expect(shadow.complaints).toEqual([]);
  }
  expect(observer.complaints).toEqual([]);
  expect(transport.requests).toBeLessThan(MOST_REQUESTS);
  stop.abort();
  await running;
  await clock.advance(0);
  expect(transport.openWatches).toBe(0);
  await cluster[Symbol.asyncDispose]();
  expect(clock.waitingTimers).toBe(0);
}

test(
  "whatever happens on the way, at rest the cache and its handlers agree with the server",
  { timeout: 600_000 },
  async () => {
    await fc.assert(fc.asyncProperty(histories, follow), {
      numRuns: Number(process.env["HISTORIES"] ?? 10_000),
      ...(process.env["SEED"] ? { seed: Number(process.env["SEED"]) } : {}),
    });
  },
);
