import { describe, expect, test } from "vitest";
import { object, added, apiError, bookmark, broken, deleted, expired, modified, refused } from "./scripted-server.ts";
import { Rig } from "./rig.ts";

/** Cache and server at 50, with objects of versions up to 50; the server is then restored at 30 and the watch is silent. */
async function restored(): Promise<Rig> {
  const rig = new Rig();
  await rig.started(50, [object("kept", 20), object("lost", 40), object("rewritten", 25)]);
  return rig;
}

describe("the first list", () => {
  test("is a WatchList stream, which goes on as the watch", async () => {
    await using rig = new Rig();
    await rig.start({ streams: true });
    const watch = rig.server.lastWatch;
    expect(watch.options).toMatchObject({ resourceVersion: "", sendInitialEvents: true });
    watch.send(added("a", 3), added("b", 2));
    await rig.rest();
    expect([rig.informer.hasSynced(), rig.keys(), rig.events]).toEqual([false, [], []]);
    watch.send(added("c", 5), bookmark(9, true), modified("a", 10));
    await rig.rest();
    expect(rig.keys()).toEqual(["a@10", "b@2", "c@5"]);
    expect(rig.events).toEqual(["add a@3 (list)", "add b@2 (list)", "add c@5 (list)", "update a@3 -> a@10 (watch)"]);
    watch.send(deleted("b", 11));
    await rig.rest();
    expect(rig.keys()).toEqual(["a@10", "c@5"]);
    expect([rig.server.watches.length, rig.server.lists.length]).toEqual([1, 0]);
  });

  test("falls back to pages where the server refuses the stream, and does not ask it again", async () => {
    await using rig = new Rig();
    await rig.start({ streams: true });
    rig.server.lastWatch.fail(refused());
    await rig.rest();
    expect(rig.server.lastList.options).not.toHaveProperty("resourceVersion");
    rig.server.lastList.answer("9", [object("a", 3)], { last: false });
    rig.server.lastList.answer("9", [object("b", 4)]);
    await rig.rest();
    expect(rig.keys()).toEqual(["a@3", "b@4"]);
    rig.server.lastWatch.fail(expired());
    await rig.clock.advance(2_000);
    expect([rig.server.lists.length, rig.server.watches.length]).toEqual([2, 2]);
  });

  test("falls back for this round where the stream breaks, and asks for it the next time", async () => {
    await using rig = new Rig();
    await rig.start({ streams: true });
    rig.server.lastWatch.send(added("ghost", 3));
    rig.server.lastWatch.end();
    await rig.rest();
    rig.server.lastList.answer("9", []);
    await rig.rest();
    expect(rig.events).toEqual([]);
    rig.server.lastWatch.fail(expired());
    await rig.clock.advance(2_000);
    expect(rig.server.lastWatch.options.sendInitialEvents).toBe(true);
    expect(rig.meter.total("stalewatch_list_failures_total", { reason: "unreachable" })).toBe(1);
  });

  test("does not wait for an end mark that never comes", async () => {
    await using rig = new Rig();
    await rig.start({ streams: true });
    const stream = rig.server.lastWatch;
    for (let step = 0; step < 4; step += 1) {
      stream.send(added(`n${step}`, step + 1));
      await rig.clock.advance(9_000);
      expect(stream.open).toBe(true);
    }
    await rig.clock.advance(1_000);
    expect([stream.open, rig.server.lists.length]).toEqual([false, 1]);
    expect(rig.informer.status().lastError).toMatch(/without their end mark/);
    rig.server.lastList.answer("9", [object("a", 3)]);
    await rig.rest();
    expect([rig.keys(), rig.informer.status().lastError]).toEqual([["a@3"], undefined]);
  });

  test("is tried for ever, further and further apart", async () => {
    await using rig = new Rig();
    await rig.start();
    const sentAt: number[] = [];
    for (let tries = 0; tries < 12; tries += 1) {
      sentAt.push(rig.clock.monotonic());
      rig.server.lastList.fail(broken());
      const before = rig.server.lists.length;
      await rig.rest();
      expect(rig.informer.status()).toMatchObject({ state: "backing-off", synced: false });
      for (let waited = 0; waited < 61 && rig.server.lists.length === before; waited += 1)
        await rig.clock.advance(1_000);
    }
    const gaps = sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0));
    expect(gaps[0]).toBeLessThanOrEqual(2_000);
    expect(Math.max(...gaps)).toBeGreaterThan(30_000);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(60_000);
    expect(rig.meter.total("stalewatch_list_failures_total", { reason: "unreachable" })).toBe(12);
    rig.server.lastList.answer("9", []);
    await rig.rest();
    expect(rig.informer.status()).toMatchObject({ state: "watching", synced: true, lastError: undefined });
  });
});

describe("a watch", () => {
  test("that the server ends goes on at once from the last version, by a bookmark too", async () => {
    await using rig = new Rig();
    await rig.started(10);
    rig.server.lastWatch.send(added("a", 11), bookmark(30));
    await rig.clock.advance(150_000);
    rig.server.lastWatch.end();
    await rig.rest();
    expect(rig.server.lastWatch.options.resourceVersion).toBe("30");
    expect([rig.server.lists.length, rig.restarts("ended")]).toEqual([1, 1]);
  });

  test("asks for five to ten minutes, spread by chance", async () => {
    await using rig = new Rig();
    await rig.started(10);
    const seconds = new Set<number>();
    for (let version = 11; version < 61; version += 1) {
      seconds.add(rig.server.lastWatch.options.timeoutSeconds);
      rig.server.lastWatch.send(bookmark(version));
      await rig.clock.advance(60_000);
      rig.server.lastWatch.end();
      await rig.rest();
    }
    expect(Math.min(...seconds)).toBeGreaterThanOrEqual(300);
    expect(Math.max(...seconds)).toBeLessThan(600);
    expect(seconds.size).toBeGreaterThan(30);
  });

  test("is given up when the bookmarks stop coming, and the next one checked by a read", async () => {
    await using rig = new Rig();
    await rig.started(10);
    await rig.clock.advance(290_000);
    const watch = rig.server.lastWatch;
    watch.send(bookmark(11));
    await rig.clock.advance(199_000);
    watch.send(added("a", 12));
    await rig.clock.advance(199_999);
    expect(watch.open).toBe(true);
    await rig.clock.advance(1);
    expect([watch.open, rig.restarts("silent")]).toEqual([false, 1]);
    rig.server.lastList.answer("12", []);
    await rig.rest();
    expect(rig.server.lastList.options.limit).toBe(1);
    expect(rig.server.lastWatch.options.resourceVersion).toBe("12");
  });

  test("of a server that sends no bookmarks may be silent for as long as it lasts", async () => {
    await using rig = new Rig();
    await rig.started(10);
    rig.server.lastWatch.send(added("a", 12));
    await rig.clock.advance(3_600_000);
    expect([rig.server.lastWatch.open, rig.restarts("silent")]).toEqual([true, 0]);
  });

  test("that breaks goes on from the last version after a pause, without a list", async () => {
    await using rig = new Rig();
    await rig.started(10);
    rig.server.lastWatch.send(added("a", 11));
    await rig.rest();
    rig.server.lastWatch.fail(broken());
    await rig.rest();
    expect(rig.informer.status()).toMatchObject({ state: "backing-off", lastError: "list things.v1: Unreachable" });
    await rig.clock.advance(1_600);
    rig.server.lastList.answer("11", []);
    await rig.rest();
    expect(rig.server.lastList.options.limit).toBe(1);
    expect(rig.server.lastWatch.options.resourceVersion).toBe("11");
    expect(rig.keys()).toEqual(["a@11"]);
    expect(rig.restarts("unreachable")).toBe(1);
  });

  test("is what ends the last failure when the server accepts it, not the read before it", async () => {
    await using rig = new Rig();
    await rig.started(10);
    rig.server.lastWatch.fail(apiError(403, "Forbidden"));
    await rig.clock.advance(2_000);
    rig.server.lastList.answer("10", []);
    await rig.rest();
    expect(rig.informer.status().lastError).toMatch(/Forbidden/);
    rig.server.lastWatch.accept();
    expect(rig.informer.status().lastError).toBeUndefined();
  });

  test("is not put off for days by a server that asks for it", async () => {
    await using rig = new Rig();
    await rig.started(10);
    rig.server.lastWatch.fail(apiError(429, "TooManyRequests", 86_400_000));
    await rig.clock.advance(300_000);
    expect(rig.server.lists).toHaveLength(2);
  });

  test("that is throttled waits as long as it is told", async () => {
    await using rig = new Rig();
    await rig.started(10);
    rig.server.lastWatch.fail(apiError(429, "TooManyRequests", 25_000));
    await rig.clock.advance(24_999);
    expect(rig.server.lists).toHaveLength(1);
    await rig.clock.advance(1);
    rig.server.lastList.answer("10", []);
    await rig.rest();
    expect(rig.server.lastList.options.limit).toBe(1);
    expect(rig.server.lastWatch.open).toBe(true);
    expect(rig.restarts("throttled")).toBe(1);
  });

  test("whose version is gone is replaced by a list", async () => {
    await using rig = new Rig();
    await rig.started(10);
    rig.server.lastWatch.fail(expired());
    await rig.clock.advance(1_600);
    expect(rig.server.lastList.options.limit).toBeUndefined();
    rig.server.lastList.answer("90", []);
    await rig.rest();
    expect(rig.server.lastWatch.options.resourceVersion).toBe("90");
    expect([rig.relists("expired"), rig.restarts("expired")]).toEqual([1, 1]);
  });

  test.each([
    ["at once where the watch had brought something", true],
    ["after a pause where the list before it was in vain", false],
  ])("whose version is gone is replaced by a list: %s", async (_, brought) => {
    await using rig = new Rig();
    await rig.started(10);
    rig.server.lastWatch.fail(expired());
    await rig.rest();
    rig.server.lastList.answer("90", []);
    await rig.rest();
    if (brought) rig.server.lastWatch.send(bookmark(91));
    await rig.rest();
    const lists = rig.server.lists.length;
    rig.server.lastWatch.fail(expired());
    await rig.rest();
    expect(rig.server.lists.length).toBe(brought ? lists + 1 : lists);
    await rig.clock.advance(2_000);
    expect(rig.server.lists.length).toBe(lists + 1);
  });

  test("that ends as soon as it began, again and again, is opened at growing distances", async () => {
    await using rig = new Rig();
    await rig.started(10);
    const openedAt: number[] = [];
    for (let version = 11; rig.clock.monotonic() < 120_000; version += 1) {
      openedAt.push(rig.clock.monotonic());
      const [lists, watches] = [rig.server.lists.length, rig.server.watches.length];
      rig.server.lastWatch.send(bookmark(version));
      rig.server.lastWatch.end();
      await rig.rest();
      while (rig.server.watches.length === watches) {
        await rig.clock.advance(100);
        if (rig.server.lists.length > lists) rig.server.lastList.answer(String(version), []);
      }
    }
    expect(openedAt.length).toBeGreaterThan(5);
    expect(openedAt.length).toBeLessThan(12);
    expect(rig.restarts("ended")).toBe(1);
    expect(rig.restarts("short")).toBe(openedAt.length - 1);
  });

  test.each([
    ["unauthorized", apiError(401, "Unauthorized")],
    ["forbidden", apiError(403, "Forbidden")],
    ["not_found", apiError(404, "NotFound")],
    ["server_error", apiError(500, "InternalError")],
    ["version_too_large", apiError(504, "ResourceVersionTooLarge")],
    ["rejected", apiError(406, "NotAcceptable")],
    ["unreadable", apiError(0, "UnreadableAnswer")],
    ["internal", new TypeError("x is undefined")],
  ])("that fails as %s is counted as that, and tried again without losing anything", async (reason, error) => {
    await using rig = new Rig();
    await rig.started(10, [object("a", 3)]);
    rig.server.lastWatch.fail(error);
    await rig.clock.advance(2_000);
    if (rig.server.lists.length > 1) rig.server.lastList.answer("10", []);
    await rig.rest();
    rig.server.lastWatch.send(added("b", 11));
    await rig.rest();
    expect(rig.keys()).toEqual(["a@3", "b@11"]);
    expect(rig.restarts(reason)).toBe(1);
    expect(rig.meter.total("stalewatch_watch_restarts_total")).toBe(1);
    expect(rig.lines).toHaveLength(1);
    expect(rig.lines[0]).toMatchObject({ level: reason === "internal" ? "error" : "warn", fields: { reason } });
  });
});

describe("a history that went back", () => {
  test("is found by the read after a broken watch, and replaces what was known", async () => {
    await using rig = await restored();
    const rewinds: string[] = [];
    rig.informer.onRewind((version) => rewinds.push(version));
    const waiting = rig.informer.whenAtVersion("60");
    rig.server.lastWatch.fail(broken());
    await rig.clock.advance(2_000);
    rig.server.lastList.answer("30", []);
    await rig.rest();
    expect(rig.server.lastList.options.limit).toBeUndefined();
    rig.server.lastList.answer("31", [object("kept", 20), object("rewritten", 25, { labels: { other: "state" } })]);
    await waiting;
    await rig.rest();
    expect(rewinds).toEqual(["31"]);
    expect(rig.events).toEqual([
      "delete lost@40 (tombstone, relist)",
      "update kept@20 -> kept@20 (relist)",
      "update rewritten@25 -> rewritten@25 (relist)",
    ]);
    expect(rig.informer.lastStoreSyncResourceVersion()).toBe("31");
    expect(rig.relists("rewind")).toBe(1);
    expect(rig.server.lastWatch.options.resourceVersion).toBe("31");
  });

  test("is found by the read after a watch that brought nothing at all", async () => {
    await using rig = await restored();
    await rig.clock.advance(500_000);
    rig.server.lastWatch.end();
    await rig.rest();
    rig.server.lastList.answer("30", []);
    await rig.rest();
    rig.server.lastList.answer("30", []);
    await rig.rest();
    expect(rig.relists("rewind")).toBe(1);
  });

  test("is not suspected after a watch that brought a bookmark", async () => {
    await using rig = await restored();
    rig.server.lastWatch.send(bookmark(51));
    await rig.clock.advance(150_000);
    rig.server.lastWatch.end();
    await rig.rest();
    expect(rig.server.lists).toHaveLength(1);
    expect(rig.server.lastWatch.options.resourceVersion).toBe("51");
  });

  test("is not taken from a read that is at or past the cache", async () => {
    await using rig = await restored();
    rig.server.lastWatch.fail(broken());
    await rig.clock.advance(2_000);
    rig.server.lastList.answer("50", []);
    await rig.rest();
    expect(rig.server.lastWatch.options.resourceVersion).toBe("50");
    expect([rig.keys().length, rig.relists("rewind")]).toEqual([3, 0]);
  });
});

describe("a list that somebody asks for", () => {
  test("ends the watch and is sent at once", async () => {
    await using rig = new Rig();
    await rig.started(10, [object("a", 3)]);
    const watch = rig.server.lastWatch;
    rig.informer.relist("verification");
    await rig.rest();
    expect(watch.open).toBe(false);
    rig.server.lastList.answer("20", []);
    await rig.rest();
    expect(rig.events).toEqual(["delete a@3 (tombstone, relist)"]);
    expect([rig.relists("verification"), rig.restarts("relist"), rig.informer.status().state]).toEqual([
      1,
      1,
      "watching",
    ]);
  });

  test("is another one than the list under way", async () => {
    await using rig = new Rig();
    await rig.start();
    rig.informer.relist("verification");
    rig.server.lastList.answer("10", []);
    await rig.rest();
    expect(rig.server.lists).toHaveLength(2);
    rig.server.lastList.answer("11", []);
    await rig.rest();
    expect([rig.server.lists.length, rig.relists("verification")]).toEqual([2, 1]);
    expect(rig.server.lastWatch.options.resourceVersion).toBe("11");
  });
});

test("the abort ends it in every state, and leaves no stream open and no timer set", async () => {
  const states: ((rig: Rig) => Promise<void>)[] = [
    (rig) => rig.start({ streams: true }),
    (rig) => rig.start(),
    (rig) => rig.started(10),
    async (rig) => {
      await rig.started(10);
      rig.server.lastWatch.fail(broken());
      await rig.rest();
    },
  ];
  for (const reach of states) {
    const rig = new Rig();
    await reach(rig);
    await rig[Symbol.asyncDispose]();
    expect(rig.informer.status().state).toBe("stopped");
    expect(rig.server.watches.filter(({ open }) => open)).toEqual([]);
    expect(rig.clock.waitingTimers).toBe(0);
  }
});

test("status tells what the cache holds and when it last heard from the server", async () => {
  await using rig = new Rig();
  expect(rig.informer.status()).toMatchObject({
    state: "starting",
    objects: 0,
    storeVersion: "",
    lastContactAt: undefined,
  });
  await rig.start();
  expect(rig.informer.status().state).toBe("listing");
  rig.server.lastList.answer("10", [object("a", 3)]);
  await rig.rest();
  const listedAt = rig.clock.now();
  await rig.clock.advance(5_000);
  expect(rig.informer.status()).toMatchObject({
    name: "stalewatch",
    state: "watching",
    synced: true,
    objects: 1,
    storeVersion: "10",
    lastContactAt: listedAt,
  });
  rig.server.lastWatch.send(bookmark(11));
  await rig.rest();
  expect(rig.informer.status().lastContactAt).toBe(listedAt + 5_000);
});
