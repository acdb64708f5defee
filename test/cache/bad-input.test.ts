import { expect, test } from "vitest";
import type { WatchEvent } from "../../src/kube/index.ts";
import type { KubeObject } from "../../src/resources/index.ts";
import { Rig } from "./rig.ts";
import { added, apiError, bookmark, deleted, expired, modified, object } from "./scripted-server.ts";

const garbage: WatchEvent<KubeObject> = { type: "OPAQUE", change: undefined, object: undefined, why: "not JSON" };

function opaque(change: "ADDED" | "MODIFIED" | "DELETED", it: KubeObject): WatchEvent<KubeObject> {
  return { type: "OPAQUE", change, object: it, why: "status.active is a list" };
}

test("a list that RBAC forbids is tried again, and the status names the rule to add", async () => {
  await using rig = new Rig();
  await rig.start();
  rig.server.lastList.fail(apiError(403, "Forbidden"));
  await rig.rest();
  expect(rig.informer.status()).toMatchObject({
    state: "backing-off",
    lastError:
      'list things.v1: Forbidden; the rule to add is apiGroups: [""], resources: ["things"], verbs: ["list", "watch"]',
  });
  expect(rig.meter.total("stalewatch_list_failures_total", { reason: "forbidden" })).toBe(1);
  expect(rig.lines).toHaveLength(1);
  await rig.clock.advance(2_000);
  rig.server.lastList.answer("9", [object("a", 3)]);
  await rig.rest();
  expect([rig.keys(), rig.informer.status().lastError]).toEqual([["a@3"], undefined]);
});

test("a kind that the server lacks is tried again, and found when it is installed", async () => {
  await using rig = new Rig();
  await rig.start();
  rig.server.lastList.fail(apiError(404, "NotFound"));
  await rig.rest();
  expect(rig.informer.status()).toMatchObject({ state: "backing-off", synced: false });
  expect(rig.meter.total("stalewatch_list_failures_total", { reason: "not_found" })).toBe(1);
  expect(rig.lines).toHaveLength(1);
  await rig.clock.advance(2_000);
  rig.server.lastList.answer("9", []);
  await rig.informer.whenSynced();
});

test("a frame that is not readable is asked for once more, then passed over", async () => {
  await using rig = new Rig();
  await rig.started(10);
  rig.server.lastWatch.send(added("a", 11), garbage, added("c", 13));
  await rig.rest();
  expect(rig.server.lastWatch.options.resourceVersion).toBe("11");
  rig.server.lastWatch.send(added("b", 12), added("c", 13), bookmark(14));
  await rig.rest();
  expect(rig.keys()).toEqual(["a@11", "b@12", "c@13"]);
  expect(rig.restarts("unreadable")).toBe(1);

  for (let times = 0; times < 2; times += 1) {
    rig.server.lastWatch.send(garbage, added("d", 16));
    await rig.rest();
  }
  expect(rig.keys()).toEqual(["a@11", "b@12", "c@13", "d@16"]);
  expect([rig.restarts("unreadable"), rig.server.lists.length]).toEqual([2, 1]);

  // What it said nobody knows: a list makes up for it when the watch ends.
  await rig.clock.advance(60_000);
  rig.server.lastWatch.end();
  await rig.rest();
  rig.server.lastList.answer("20", [object("a", 11), object("b", 15), object("c", 13), object("d", 16)]);
  await rig.rest();
  expect([rig.keys()[1], rig.relists("unreadable")]).toEqual(["b@15", 1]);
  await rig.clock.advance(60_000);
  rig.server.lastWatch.send(bookmark(21));
  rig.server.lastWatch.end();
  await rig.rest();
  expect(rig.server.lists).toHaveLength(2);
});

test("an object that cannot be read stays in the cache by its metadata, with the reason, until it can be read", async () => {
  await using rig = new Rig();
  const { lister } = rig.informer;
  const controlled = { ownerReferences: [{ apiVersion: "v1", kind: "X", name: "x", uid: "x", controller: true }] };
  await rig.started(10, [object("a", 3), object("b", 4)]);
  rig.server.lastWatch.send(
    opaque("MODIFIED", object("a", 11, controlled)),
    opaque("ADDED", object("c", 12)),
    added("d", 13),
  );
  await rig.rest();
  expect(rig.events).toEqual(["update a@3 -> a@11 (watch)", "add c@12 (watch)", "add d@13 (watch)"]);
  expect(["a", "b", "c"].map((name) => lister.unreadable(`shop/${name}`))).toEqual([
    "status.active is a list",
    undefined,
    "status.active is a list",
  ]);
  expect(lister.ownedBy("x")).toHaveLength(1);
  rig.server.lastWatch.send(modified("a", 14), opaque("DELETED", object("c", 15)), opaque("DELETED", object("b", 16)));
  await rig.rest();
  expect(rig.events.slice(3)).toEqual([
    "update a@11 -> a@14 (watch)",
    "delete c@12 (tombstone, watch)",
    "delete b@4 (tombstone, watch)",
  ]);
  expect([rig.keys(), lister.unreadable("shop/a"), lister.unreadable("shop/c")]).toEqual([
    ["a@14", "d@13"],
    undefined,
    undefined,
  ]);
  expect(rig.informer.lastStoreSyncResourceVersion()).toBe("16");
});

test("an object of a list that cannot be read is not taken for deleted, and is told when it can be read", async () => {
  await using rig = new Rig();
  await rig.started(10, [object("a", 3)]);
  const relist = async (version: string, readable: boolean): Promise<void> => {
    rig.server.lastWatch.fail(expired());
    await rig.clock.advance(10_000);
    const unread = { object: object("a", 3), why: "bad" };
    if (readable) rig.server.lastList.answer(version, [object("a", 3)]);
    else rig.server.lastList.answer(version, [], { opaque: [unread, { object: undefined, why: "no metadata" }] });
    await rig.rest();
  };
  await relist("20", false);
  expect([rig.keys(), rig.informer.lister.unreadable("shop/a")]).toEqual([["a@3"], "bad"]);
  await relist("30", true);
  expect([rig.keys(), rig.informer.lister.unreadable("shop/a")]).toEqual([["a@3"], undefined]);
  expect(rig.events).toEqual(["update a@3 -> a@3 (relist)", "update a@3 -> a@3 (relist)"]);
});

test("versions that are not numbers are counted, said once, and never make anybody wait", async () => {
  await using rig = new Rig();
  await rig.start();
  rig.server.lastList.answer("v-one", [object("a", "x1"), object("b", 5)]);
  await rig.rest();
  rig.server.lastWatch.send(modified("a", "x2"), deleted("b", "x3"));
  await rig.rest();
  expect(rig.keys()).toEqual(["a@x2"]);
  expect(rig.informer.lastStoreSyncResourceVersion()).toBe("x3");
  await rig.informer.whenAtVersion("99");
  expect(rig.meter.total("stalewatch_defective_objects_total", { defect: "version_not_comparable" })).toBe(3);
  expect(rig.lines).toHaveLength(1);
  rig.server.lastWatch.end();
  await rig.rest();
  expect(rig.server.lastWatch.options.resourceVersion).toBe("x3");
});

test("an object or a bookmark without a version does not make the cache forget where it is", async () => {
  await using rig = new Rig();
  await rig.started(10);
  rig.server.lastWatch.send(added("a", ""), bookmark(""));
  await rig.clock.advance(300_000);
  rig.server.lastWatch.end();
  await rig.rest();
  expect(rig.informer.lastStoreSyncResourceVersion()).toBe("10");
  expect(rig.server.lastWatch.options.resourceVersion).toBe("10");
});

test("a list without a version is a failure, not a cache that nobody can keep up", async () => {
  await using rig = new Rig();
  await rig.start();
  rig.server.lastList.answer("", [object("a", 3)]);
  await rig.rest();
  expect(rig.informer.hasSynced()).toBe(false);
  expect(rig.informer.status().lastError).toMatch(/no resourceVersion/);
  expect(rig.meter.total("stalewatch_list_failures_total", { reason: "unreadable" })).toBe(1);
});

test("a damaged initial event does not make a list without its object", async () => {
  await using rig = new Rig();
  await rig.start({ streams: true });
  rig.server.lastWatch.send(added("a", 3), garbage, bookmark(9, true));
  await rig.rest();
  expect([rig.informer.hasSynced(), rig.server.lists.length]).toEqual([false, 1]);
  expect(rig.meter.total("stalewatch_list_failures_total", { reason: "unreadable" })).toBe(1);
  rig.server.lastList.answer("9", [object("a", 3), object("b", 4)]);
  await rig.rest();
  expect(rig.keys()).toEqual(["a@3", "b@4"]);
});
