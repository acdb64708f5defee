import { expect, test } from "vitest";
import { InformerSet } from "../../src/cache/index.ts";
import { defineResource, type Resource } from "../../src/resources/index.ts";
import { VirtualClock } from "../../src/testing/index.ts";
import { bookmark, added, ScriptedServer } from "./scripted-server.ts";
import { things } from "./rig.ts";

const others: Resource = defineResource({ group: "x", version: "v1", kind: "Other", resource: "others" });

test("makes one informer for each kind and scope, however many ask", () => {
  const set = new InformerSet({ client: new ScriptedServer() });
  const all = set.get(things);
  expect(set.get({ ...things })).toBe(all);
  expect(set.get(others)).not.toBe(all);
  const scoped = set.get(things, { namespace: "shop" });
  expect(scoped).not.toBe(all);
  expect(set.get(things, { namespace: "shop" })).toBe(scoped);
});

test("names the first of a kind as itself, and puts the scope behind the name of any other", () => {
  const set = new InformerSet({ client: new ScriptedServer(), name: "mine" });
  set.get(things, { namespace: "shop", labelSelector: "app=a" });
  set.get(others);
  set.get(things);
  set.get(things, { namespace: "shop" });
  set.get(things, { namespace: "shop", labelSelector: "app=b", fieldSelector: "metadata.name=c" });
  set.get(things, { namespace: "home" }, "theirs");
  const names = ["mine", "mine", "mine:*", "mine:shop", "mine:shop?app=b#metadata.name=c", "theirs"];
  expect([...set].map(({ name }) => name)).toEqual(names);
});

test("runs those that are there and those that come later, and stops all", async () => {
  const server = new ScriptedServer();
  const clock = new VirtualClock();
  const set = new InformerSet({ client: server, env: { clock } });
  const first = set.get(things);
  const stop = new AbortController();
  const running = set.run({ signal: stop.signal });
  const later = set.get(others);
  await clock.advance(0);
  expect(server.watches).toHaveLength(2);
  const synced = set.whenSynced();
  for (const watch of server.watches) watch.send(added("a", 3), bookmark(9, true));
  await synced;
  expect([first, later].map((informer) => informer.lister.list().length)).toEqual([1, 1]);
  stop.abort();
  await running;
  expect([...set].map((informer) => informer.status().state)).toEqual(["stopped", "stopped"]);
  expect(clock.waitingTimers).toBe(0);
});

test("stops when it is disposed of", async () => {
  const set = new InformerSet({ client: new ScriptedServer() });
  const informer = set.get(things);
  const running = set.run({ signal: new AbortController().signal });
  await set[Symbol.asyncDispose]();
  await running;
  expect(informer.status().state).toBe("stopped");
});
