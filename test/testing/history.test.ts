import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type ConfigMap, resources } from "../../src/resources/index.ts";
import { EmbeddedCluster } from "../../src/testing/index.ts";
import { call, type Frame, startWatch } from "./client.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const { configMaps } = resources;

interface Write {
  name: string;
  act: "put" | "label" | "delete";
  value: string;
}

const writes = fc.array(
  fc.record<Write>({
    name: fc.constantFrom("a", "b", "c", "d"),
    act: fc.constantFrom("put", "label", "delete"),
    value: fc.constantFrom("1", "2", "3"),
  }),
  { maxLength: 30 },
);

function perform(cluster: EmbeddedCluster, { name, act, value }: Write): void {
  const there = cluster.objects.get(configMaps, name) !== undefined;
  if (act === "delete") {
    if (there) cluster.objects.delete(configMaps, name);
  } else if (!there)
    cluster.objects.create(configMaps, { metadata: { name, labels: { l: value } }, data: { v: value } });
  else if (act === "put") cluster.objects.patch(configMaps, name, { data: { v: value } });
  else cluster.objects.patch(configMaps, name, { metadata: { labels: { l: value } } });
}

type State = Record<string, ConfigMap>;

const byName = (objects: readonly ConfigMap[]): State =>
  Object.fromEntries(objects.map((object) => [object.metadata.name, object]));

/** The present state of a cache that began with `state` and saw these events. */
function after(state: State, frames: readonly Frame[]): State {
  const next = { ...state };
  for (const { type, object } of frames) {
    const { kind: _, apiVersion: __, ...own } = object as ConfigMap & { kind: string; apiVersion: string };
    if (type === "DELETED") delete next[own.metadata.name];
    else next[own.metadata.name] = own;
  }
  return next;
}

test("any version that is kept can be read exactly as it was, and restored", async () => {
  await fc.assert(
    fc.asyncProperty(writes, fc.nat(), async (history, pick) => {
      await using cluster = await EmbeddedCluster.start({ baseVersion: 2n ** 60n });
      const past = new Map([[cluster.currentVersion(), cluster.objects.list(configMaps)]]);
      for (const write of history) {
        perform(cluster, write);
        past.set(cluster.currentVersion(), cluster.objects.list(configMaps));
      }
      for (const [version, expected] of past) {
        const query = `resourceVersion=${version}&resourceVersionMatch=Exact`;
        expect((await call(cluster.transport(), "GET", `${CONFIG_MAPS}?${query}`)).body.items).toEqual(expected);
      }
      const [version, expected] = [...past][pick % past.size] as [string, ConfigMap[]];
      cluster.faults.rollback(version);
      expect(cluster.objects.list(configMaps)).toEqual(expected);
    }),
  );
});

test.each(["", "&labelSelector=l%3D1", "&labelSelector=l%21%3D1"])(
  "a watch from any version, applied to the state at it, gives the present state (%s)",
  async (selector) => {
    await fc.assert(
      fc.asyncProperty(writes, writes, async (before, since) => {
        await using cluster = await EmbeddedCluster.start();
        for (const write of before) perform(cluster, write);
        const transport = cluster.transport();
        const start = (await call(transport, "GET", `${CONFIG_MAPS}?${selector}`)).body;
        const half = Math.floor(since.length / 2);
        for (const write of since.slice(0, half)) perform(cluster, write);
        const version = start.metadata.resourceVersion as string;
        const watch = await startWatch(transport, `${CONFIG_MAPS}?watch=1&resourceVersion=${version}${selector}`);
        for (const write of since.slice(half)) perform(cluster, write);
        await cluster.settle();
        const present = (await call(transport, "GET", `${CONFIG_MAPS}?${selector}`)).body.items as ConfigMap[];
        const seen = after(byName(start.items as ConfigMap[]), watch.frames);
        expect(seen).toEqual(byName(present));
      }),
    );
  },
);

test("pages of any size are the list at their version, whatever happens between them", async () => {
  await fc.assert(
    fc.asyncProperty(writes, writes, fc.integer({ min: 1, max: 3 }), async (before, between, limit) => {
      await using cluster = await EmbeddedCluster.start();
      for (const write of before) perform(cluster, write);
      const expected = cluster.objects.list(configMaps);
      const pages: ConfigMap[] = [];
      const queue = [...between];
      for (let token: string | undefined = ""; token !== undefined;) {
        const more: string = token === "" ? "" : `&continue=${token}`;
        const { body } = await call(cluster.transport(), "GET", `${CONFIG_MAPS}?limit=${limit}${more}`);
        pages.push(...(body.items as ConfigMap[]));
        token = body.metadata.continue as string | undefined;
        for (const write of queue.splice(0, 3)) perform(cluster, write);
      }
      expect(pages).toEqual(expected);
    }),
  );
});

test("commits tell when each version was written", async () => {
  await using cluster = await EmbeddedCluster.start();
  cluster.objects.create(configMaps, { metadata: { name: "a" } });
  await cluster.settle({ advance: 1_500 });
  cluster.objects.delete(configMaps, "a");
  const [first, second] = cluster.commits(configMaps);
  expect(first).toMatchObject({ type: "ADDED", key: "default/a" });
  expect(second).toMatchObject({ type: "DELETED", version: cluster.currentVersion() });
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBe(1_500);
});

test("the history is bounded: the oldest version cannot be watched from any more", async () => {
  await using cluster = await EmbeddedCluster.start({ historySize: 10 });
  const from = cluster.currentVersion();
  for (let count = 0; count < 30; count += 1) cluster.objects.create(configMaps, { metadata: { name: `c${count}` } });
  expect(cluster.commits(configMaps).length).toBeLessThanOrEqual(13);
  const watch = await startWatch(cluster.transport(), `${CONFIG_MAPS}?watch=1&resourceVersion=${from}`);
  await cluster.settle();
  expect(watch.frames.map(({ type }) => type)).toEqual(["ERROR"]);
});
