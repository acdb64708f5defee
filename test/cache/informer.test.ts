import { expect, test } from "vitest";
import { Informer, type InformerEvent } from "../../src/cache/index.ts";
import type { KubeObject } from "../../src/resources/index.ts";
import { describe as text, Rig, things } from "./rig.ts";
import { added, bookmark, deleted, expired, modified, object, ScriptedServer } from "./scripted-server.ts";

function owner(uid: string): Partial<KubeObject["metadata"]> {
  return {
    ownerReferences: [
      { apiVersion: "batch/v1", kind: "Job", name: "other", uid: "not-the-controller" },
      { apiVersion: "batch/v1", kind: "Job", name: "own", uid, controller: true },
    ],
  };
}

function names(found: readonly { metadata: { readonly name: string } }[]): string[] {
  return found.map((it) => it.metadata.name);
}

test("lists, then follows the watch; the store is changed before handlers hear of it", async () => {
  await using rig = new Rig();
  const seen: string[] = [];
  rig.informer.addHandler((event) => {
    const stored = rig.informer.lister.get(event.object.metadata);
    seen.push(
      `${event.type}: store has ${stored?.metadata.resourceVersion} at ${rig.informer.lastStoreSyncResourceVersion()}`,
    );
  });
  await rig.start();
  rig.server.lastList.answer("10", [object("a", 3), object("b", 7)]);
  await rig.rest();
  rig.server.lastWatch.send(modified("a", 11), deleted("b", 12), added("c", 13));
  await rig.rest();
  expect(rig.server.lastWatch.options).toMatchObject({ resourceVersion: "10", sendInitialEvents: false });
  expect(rig.events).toEqual([
    "add a@3 (list)",
    "add b@7 (list)",
    "update a@3 -> a@11 (watch)",
    "delete b@12 (watch)",
    "add c@13 (watch)",
  ]);
  expect(seen).toEqual([
    "add: store has 3 at 10",
    "add: store has 7 at 10",
    "update: store has 11 at 11",
    "delete: store has undefined at 12",
    "add: store has 13 at 13",
  ]);
});

test("the store's version is that of the last event, bookmark or list, and a tombstone does not move it", async () => {
  await using rig = new Rig();
  expect(rig.informer.lastStoreSyncResourceVersion()).toBe("");
  await rig.started(10, [object("a", 3), object("b", 4)]);
  const { server, informer } = rig;
  expect(informer.lastStoreSyncResourceVersion()).toBe("10");
  server.lastWatch.send(modified("a", 12), bookmark(40));
  await rig.rest();
  expect(informer.lastStoreSyncResourceVersion()).toBe("40");
  server.lastWatch.send(deleted("a", 41));
  await rig.rest();
  expect(informer.lastStoreSyncResourceVersion()).toBe("41");
  server.lastWatch.fail(expired());
  await rig.clock.advance(2_000);
  const atTombstone: string[] = [];
  informer.addHandler(({ type }) => type === "delete" && atTombstone.push(informer.lastStoreSyncResourceVersion()));
  await rig.rest();
  server.lastList.answer("50", []);
  await rig.rest();
  expect(rig.events.at(-1)).toBe("delete b@4 (tombstone, relist)");
  expect(atTombstone).toEqual(["50"]);
});

test("a bookmark does not overtake events that wait", async () => {
  await using rig = new Rig();
  const at: string[] = [];
  await rig.started(10);
  rig.informer.addHandler(({ object: { metadata } }) =>
    at.push(`${metadata.resourceVersion} at ${rig.informer.lastStoreSyncResourceVersion()}`),
  );
  rig.informer.onProgress((version) => at.push(`progress ${version}`));
  rig.server.lastWatch.send(added("a", 11), bookmark(20));
  rig.server.lastWatch.send(added("b", 21));
  await rig.rest();
  expect(at).toEqual(["11 at 11", "progress 20", "21 at 21", "progress 21"]);
});

test("a list is seen whole or not at all, however long its handlers take", async () => {
  await using rig = new Rig();
  await rig.started(10, [object("old", 3)]);
  const { server, informer } = rig;
  const sizes = new Set<number>();
  informer.addHandler(() => sizes.add(informer.lister.list().length));
  await rig.rest();
  server.lastWatch.fail(expired());
  await rig.clock.advance(2_000);
  const items = Array.from({ length: 2_000 }, (_, index) => object(`n${index}`, 20 + index));
  server.lastList.answer("3000", items.slice(0, 1_000), { last: false });
  await rig.rest();
  expect(informer.lister.list()).toHaveLength(1);
  server.lastList.answer("3000", items.slice(1_000));
  await rig.until(() => server.lastWatch.open);
  expect(sizes).toEqual(new Set([1, 2_000]));
  expect(rig.events).toHaveLength(2_001);
  expect(server.lastWatch.options.resourceVersion).toBe("3000");
});

test("a long list gives the event loop a turn every 500 handler calls", async () => {
  await using rig = new Rig();
  const perTurn: number[] = [];
  let inThisTurn = 0;
  rig.informer.addHandler(() => {
    if (inThisTurn === 0) setImmediate(() => perTurn.push(inThisTurn) && (inThisTurn = 0));
    inThisTurn += 1;
  });
  await rig.start();
  const items = Array.from({ length: 5_000 }, (_, index) => object(`n${index}`, index + 1));
  rig.server.lastList.answer("5000", items);
  await rig.until(() => rig.informer.status().state === "watching");
  await rig.rest();
  expect(perTurn.reduce((sum, count) => sum + count, 0)).toBe(5_000);
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(500);
});

test("a late handler first gets what is there, then is synced", async () => {
  await using rig = new Rig();
  await rig.started(10, [object("a", 3), object("b", 4)]);
  const late: InformerEvent<KubeObject>[] = [];
  const registration = rig.informer.addHandler((event) => late.push(event));
  expect(late).toEqual([]);
  expect(registration.hasSynced()).toBe(false);
  rig.server.lastWatch.send(modified("a", 11));
  await rig.rest();
  expect(registration.hasSynced()).toBe(true);
  expect(late.map(text)).toEqual(["add a@3 (list)", "add b@4 (list)", "update a@3 -> a@11 (watch)"]);
});

test("an early handler is synced when the initial list has been delivered to it, also an empty one", async () => {
  await using rig = new Rig();
  const registration = rig.informer.addHandler(() => {});
  await rig.start();
  expect([rig.informer.hasSynced(), registration.hasSynced()]).toEqual([false, false]);
  rig.server.lastList.answer("10", []);
  await rig.informer.whenSynced();
  await rig.rest();
  expect([rig.informer.hasSynced(), registration.hasSynced()]).toEqual([true, true]);
});

test("a removed handler hears nothing more, also when it removes itself", async () => {
  await using rig = new Rig();
  await rig.started(10);
  const heard: string[] = [];
  const registration = rig.informer.addHandler((event) => {
    heard.push(text(event));
    registration.remove();
  });
  await rig.rest();
  rig.server.lastWatch.send(added("a", 11), added("b", 12));
  await rig.rest();
  expect(heard).toEqual(["add a@11 (watch)"]);
  expect(rig.events).toHaveLength(2);
});

test("a handler that throws is counted and named, and costs the others nothing", async () => {
  await using rig = new Rig();
  const throwing = rig.informer.addHandler(() => {
    throw new Error("no such queue");
  });
  const after: string[] = [];
  rig.informer.addHandler((event) => after.push(text(event)));
  await rig.started(10, [object("a", 3)]);
  rig.server.lastWatch.send(added("b", 11));
  await rig.rest();
  expect(after).toEqual(["add a@3 (list)", "add b@11 (watch)"]);
  expect(throwing.hasSynced()).toBe(true);
  expect(rig.meter.total("stalewatch_handler_errors_total")).toBe(2);
  expect(rig.lines).toHaveLength(2);
  expect(rig.lines[0]).toMatchObject({ level: "error", fields: { resource: "things.v1", error: "no such queue" } });
});

test("an object of the same name with another uid over a list is an update with both", async () => {
  await using rig = new Rig();
  await rig.started(10, [object("a", 3)]);
  const uids: string[] = [];
  rig.informer.addHandler((event) => {
    if (event.type === "update") uids.push(event.old.metadata.uid, event.object.metadata.uid);
  });
  await rig.rest();
  rig.server.lastWatch.fail(expired());
  await rig.clock.advance(2_000);
  rig.server.lastList.answer("20", [object("a", 15, { uid: "uid-second" })]);
  await rig.rest();
  expect(uids).toEqual(["uid-a", "uid-second"]);
});

test("what a list after the first finds different is counted, and only that is told", async () => {
  await using rig = new Rig();
  await rig.started(10, [object("same", 1), object("changed", 2), object("gone", 3)]);
  const differences = (change: string): number => rig.meter.total("stalewatch_relist_differences_total", { change });
  expect(["added", "updated", "deleted"].map(differences)).toEqual([0, 0, 0]);
  rig.server.lastWatch.fail(expired());
  await rig.clock.advance(2_000);
  rig.server.lastList.answer("20", [object("same", 1), object("changed", 12), object("new", 13), object("newer", 14)]);
  await rig.rest();
  expect(rig.events).toEqual([
    "delete gone@3 (tombstone, relist)",
    "update changed@2 -> changed@12 (relist)",
    "add new@13 (relist)",
    "add newer@14 (relist)",
  ]);
  expect(["added", "updated", "deleted"].map(differences)).toEqual([2, 1, 1]);
});

test("readers find objects by key, namespace, controller and label, through every change", async () => {
  await using rig = new Rig({ labelIndices: ["app"] });
  await rig.started(10, [
    object("a", 1, { ...owner("one"), labels: { app: "x", tier: "t" } }),
    object("b", 2, owner("one")),
    object("c", 3, { namespace: "bank", labels: { app: "x" } }),
  ]);
  const { lister } = rig.informer;
  expect(lister.get("shop/a")).toBe(lister.get({ namespace: "shop", name: "a" }));
  expect(lister.get("shop/none")).toBeUndefined();
  expect(names(lister.list("bank"))).toEqual(["c"]);
  expect(names(lister.ownedBy("one"))).toEqual(["a", "b"]);
  expect(names(lister.ownedBy(object("own", 1, { uid: "one" })))).toEqual(["a", "b"]);
  expect(lister.ownedBy("not-the-controller")).toEqual([]);
  expect(names(lister.byLabel("app", "x"))).toEqual(["a", "c"]);
  expect(names(lister.byLabel("tier", "t"))).toEqual(["a"]);

  rig.server.lastWatch.send(modified("a", 11, { ...owner("two"), labels: { app: "y" } }), deleted("b", 12));
  await rig.rest();
  expect([lister.ownedBy("one"), lister.ownedBy("two")].map(names)).toEqual([[], ["a"]]);
  expect(["x", "y"].map((value) => names(lister.byLabel("app", value)))).toEqual([["c"], ["a"]]);
  expect(lister.byLabel("tier", "t")).toEqual([]);

  rig.server.lastWatch.fail(expired());
  await rig.clock.advance(2_000);
  rig.server.lastList.answer("20", [object("d", 15, { ...owner("two"), labels: { app: "x", tier: "t" } })]);
  await rig.rest();
  expect(names(lister.ownedBy("two"))).toEqual(["d"]);
  expect(["app", "tier"].map((label) => names(lister.byLabel(label, label === "app" ? "x" : "t")))).toEqual([
    ["d"],
    ["d"],
  ]);
});

test("an owner without a namespace has its objects in all of them; one with a namespace has them there", async () => {
  await using rig = new Rig();
  const owned = owner("one");
  await rig.started(10, [object("a", 1, owned), object("a", 2, { ...owned, namespace: "bank" }), object("b", 3)]);
  const { lister } = rig.informer;
  const versions = (namespace?: string): string[] => {
    const metadata = { name: "own", uid: "one", resourceVersion: "1", ...(namespace ? { namespace } : {}) };
    return lister.ownedBy({ metadata }).map((found) => found.metadata.resourceVersion);
  };
  expect([versions(), versions("shop"), versions("bank"), versions("none")]).toEqual([["1", "2"], ["1"], ["2"], []]);

  rig.server.lastWatch.send(deleted("a", 11, { ...owned, namespace: "bank" }));
  await rig.rest();
  expect([versions(), versions("shop"), versions("bank")]).toEqual([["1"], ["1"], []]);
  expect([names(lister.list("bank")), names(lister.list("shop")), names(lister.list())]).toEqual([
    [],
    ["a", "b"],
    ["a", "b"],
  ]);
  expect(rig.informer.status().objects).toBe(2);
});

test("whenAtVersion resolves at the event or bookmark that reaches it, and not before", async () => {
  await using rig = new Rig();
  const reached: string[] = [];
  const wait = (version: string): Promise<void> =>
    rig.informer.whenAtVersion(version).then(() => void reached.push(version));
  const all = [wait("9"), wait("11"), wait("20"), wait("100000000000000000000")];
  await rig.rest();
  expect(reached).toEqual([]);
  await rig.started(10);
  expect(reached).toEqual(["9"]);
  rig.server.lastWatch.send(added("a", 11));
  await rig.rest();
  expect(reached).toEqual(["9", "11"]);
  rig.server.lastWatch.send(bookmark("99999999999999999999"));
  await rig.rest();
  expect(reached).toEqual(["9", "11", "20"]);
  rig.server.lastWatch.send(bookmark("100000000000000000001"));
  await Promise.all(all);
});

test("whenAtVersion and whenSynced end with their signal, and with the informer", async () => {
  const rig = new Rig();
  await rig.start();
  const own = new AbortController();
  const given = rig.informer.whenAtVersion("9", own.signal);
  const synced = rig.informer.whenSynced();
  own.abort(new Error("enough"));
  await expect(given).rejects.toThrow("enough");
  const ended = expect(synced).rejects.toMatchObject({ name: "AbortError" });
  await rig[Symbol.asyncDispose]();
  await ended;
  await expect(rig.informer.whenAtVersion("9")).rejects.toMatchObject({ name: "AbortError" });
  expect(rig.informer.status().state).toBe("stopped");
  expect(rig.clock.waitingTimers).toBe(0);
});

test("a transform is applied to every object, and its failure costs one object its fields", async () => {
  await using rig = new Rig({
    transform: (it) => {
      if (it.metadata.name === "bad") throw new Error("cannot");
      return { metadata: { ...it.metadata, generation: 7 } };
    },
  });
  await rig.started(10, [object("a", 3), object("bad", 4)]);
  rig.server.lastWatch.send(modified("bad", 11), added("b", 12));
  await rig.rest();
  const { lister } = rig.informer;
  expect(lister.list().map(({ metadata }) => metadata.generation)).toEqual([7, undefined, 7]);
  expect([lister.unreadable("shop/bad"), lister.unreadable("shop/a")]).toEqual(["cannot", undefined]);
  expect(rig.meter.total("stalewatch_defective_objects_total", { defect: "not_transformed" })).toBe(2);
  expect(rig.lines.filter(({ level }) => level === "warn")).toHaveLength(1);
});

test("an informer runs once", async () => {
  const informer = new Informer({ client: new ScriptedServer(), resource: things });
  const running = informer.run({ signal: AbortSignal.abort() });
  await expect(informer.run({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "INFORMER_STARTED" });
  await running;
});
