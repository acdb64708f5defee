import { describe, expect, test } from "vitest";
import { resources } from "../../src/resources/index.ts";
import { EmbeddedCluster } from "../../src/testing/index.ts";
import { call, type OpenWatch, startWatch } from "./client.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const LEASES = "/apis/coordination.k8s.io/v1/leases";
const { configMaps, leases } = resources;

const add = (cluster: EmbeddedCluster, name: string): void => {
  cluster.objects.create(configMaps, { metadata: { name } });
};

async function watching(cluster: EmbeddedCluster, query = ""): Promise<OpenWatch> {
  const from = cluster.currentVersion();
  return startWatch(cluster.transport(), `${CONFIG_MAPS}?watch=1&resourceVersion=${from}${query}`);
}

const story = ({ frames }: OpenWatch): string[] =>
  frames.map(({ type, object }) => (type === "BOOKMARK" ? type : `${type} ${object.metadata.name as string}`));

describe("delay", () => {
  test("events of the kind come late by exactly so much, lists do not", async () => {
    await using cluster = await EmbeddedCluster.start();
    cluster.faults.delay(configMaps, 500);
    const watch = await watching(cluster);
    add(cluster, "a");
    await cluster.settle({ advance: 499 });
    expect(story(watch)).toEqual([]);
    expect((await call(cluster.transport(), "GET", CONFIG_MAPS)).body.items).toHaveLength(1);
    await cluster.settle({ advance: 1 });
    expect(story(watch)).toEqual(["ADDED a"]);
  });

  test("other kinds are on time", async () => {
    await using cluster = await EmbeddedCluster.start();
    cluster.faults.delay(configMaps, 500);
    const watch = await startWatch(cluster.transport(), `${LEASES}?watch=1`);
    cluster.objects.create(leases, { metadata: { name: "l" } });
    await cluster.settle();
    expect(story(watch)).toEqual(["ADDED l"]);
  });

  test("ending it releases what waits, in order", async () => {
    await using cluster = await EmbeddedCluster.start();
    cluster.faults.delay(configMaps, 60_000);
    const watch = await watching(cluster);
    add(cluster, "a");
    await cluster.settle({ advance: 1_000 });
    add(cluster, "b");
    cluster.faults.delay(configMaps, 0);
    add(cluster, "c");
    await cluster.settle();
    expect(story(watch)).toEqual(["ADDED a", "ADDED b", "ADDED c"]);
  });

  test("the end of a watch is as late as its events", async () => {
    await using cluster = await EmbeddedCluster.start();
    cluster.faults.delay(configMaps, 5_000);
    const watch = await watching(cluster, "&timeoutSeconds=10");
    await cluster.settle({ advance: 14_999 });
    expect(watch.state()).toBe("open");
    await cluster.settle({ advance: 1 });
    expect(watch.state()).toBe("ended");
  });
});

describe("streams", () => {
  test("dropped events never come, not even to a new watch; lists show them", async () => {
    await using cluster = await EmbeddedCluster.start();
    const from = cluster.currentVersion();
    const watch = await watching(cluster);
    cluster.faults.dropNext(configMaps, 2);
    for (const name of ["a", "b", "c"]) add(cluster, name);
    await cluster.settle();
    expect(story(watch)).toEqual(["ADDED c"]);
    const second = await startWatch(cluster.transport(), `${CONFIG_MAPS}?watch=1&resourceVersion=${from}`);
    await cluster.settle();
    expect(story(second)).toEqual(["ADDED c"]);
    expect(cluster.objects.list(configMaps)).toHaveLength(3);
  });

  test("a half-open watch stays open and says nothing, not even its end; a new one works", async () => {
    await using cluster = await EmbeddedCluster.start();
    const watch = await watching(cluster, "&allowWatchBookmarks=true&timeoutSeconds=30");
    cluster.faults.halfOpen(configMaps);
    add(cluster, "a");
    await cluster.settle({ advance: 120_000 });
    expect([watch.state(), story(watch)]).toEqual(["open", []]);
    const second = await watching(cluster);
    add(cluster, "b");
    await cluster.settle();
    expect(story(second)).toEqual(["ADDED b"]);
  });

  test("cut in the middle of a frame: half of it comes, then the connection breaks", async () => {
    await using cluster = await EmbeddedCluster.start();
    const watch = await watching(cluster);
    add(cluster, "whole");
    cluster.faults.cutMidFrame(configMaps);
    add(cluster, "cut");
    await cluster.settle();
    expect([watch.state(), story(watch)]).toEqual(["ECONNRESET", ["ADDED whole"]]);
    expect(watch.rest()).toMatch(/^\{"type":"ADDED"/);
    expect(watch.rest()).not.toContain("\n");
  });

  test("ended cleanly, after what was on its way", async () => {
    await using cluster = await EmbeddedCluster.start();
    const watch = await watching(cluster);
    add(cluster, "a");
    cluster.faults.endWatches(configMaps);
    add(cluster, "b");
    await cluster.settle();
    expect([watch.state(), story(watch)]).toEqual(["ended", ["ADDED a"]]);
  });

  test("expired: an ERROR 410 ends them, and the old version is gone", async () => {
    await using cluster = await EmbeddedCluster.start();
    const from = cluster.currentVersion();
    const watch = await watching(cluster);
    add(cluster, "a");
    cluster.faults.expire(configMaps);
    await cluster.settle();
    expect(watch.frames.at(-1)).toMatchObject({ type: "ERROR", object: { reason: "Expired", code: 410 } });
    expect(watch.state()).toBe("ended");
    const again = await startWatch(cluster.transport(), `${CONFIG_MAPS}?watch=1&resourceVersion=${from}`);
    await cluster.settle();
    expect(again.frames.map(({ type }) => type)).toEqual(["ERROR"]);
  });

  test.each([
    [true, []],
    [false, ["BOOKMARK", "BOOKMARK"]],
  ])("withheld bookmarks: %s", async (withheld, expected) => {
    await using cluster = await EmbeddedCluster.start();
    cluster.faults.withholdBookmarks(configMaps, withheld);
    const watch = await watching(cluster, "&allowWatchBookmarks=true&timeoutSeconds=300");
    cluster.objects.create(leases, { metadata: { name: "elsewhere" } });
    await cluster.settle({ advance: 125_000 });
    expect(story(watch)).toEqual(expected);
  });
});

describe("requests", () => {
  test("refused so often, with status, reason and Retry-After, before anything happens", async () => {
    await using cluster = await EmbeddedCluster.start();
    const fault = cluster.faults.failRequests({ match: { verb: "create" }, status: 429, retryAfter: 7, times: 1 });
    const body = { metadata: { name: "a" } };
    const refused = await call(cluster.transport(), "POST", CONFIG_MAPS, body);
    expect(refused).toMatchObject({
      status: 429,
      body: { reason: "TooManyRequests", details: { retryAfterSeconds: 7 } },
    });
    expect(refused.headers["retry-after"]).toBe("7");
    expect(cluster.objects.list(configMaps)).toEqual([]);
    expect((await call(cluster.transport(), "POST", CONFIG_MAPS, body)).status).toBe(201);
    expect(fault.hits).toBe(1);
  });

  test("a match that differs in one field does not hit", async () => {
    await using cluster = await EmbeddedCluster.start();
    const fault = cluster.faults.failRequests({ match: { verb: "list", resource: "leases" }, status: 500 });
    expect((await call(cluster.transport(), "GET", CONFIG_MAPS)).status).toBe(200);
    expect((await call(cluster.transport(), "GET", LEASES)).status).toBe(500);
    fault.stop();
    expect((await call(cluster.transport(), "GET", LEASES)).status).toBe(200);
  });

  test("slow ones are answered later", async () => {
    await using cluster = await EmbeddedCluster.start();
    cluster.faults.slowRequests({ match: { verb: "list" }, ms: 1_500, times: 1 });
    let answered = false;
    void call(cluster.transport(), "GET", CONFIG_MAPS).then(() => (answered = true));
    await cluster.settle({ advance: 1_499 });
    expect(answered).toBe(false);
    await cluster.settle({ advance: 1 });
    expect(answered).toBe(true);
  });

  test("a lost answer: the work is done, the client cannot know", async () => {
    await using cluster = await EmbeddedCluster.start();
    cluster.faults.loseAnswers({ match: { verb: "create" }, times: 1 });
    const lost = call(cluster.transport(), "POST", CONFIG_MAPS, { metadata: { name: "a" } });
    await expect(lost).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(cluster.objects.list(configMaps)).toHaveLength(1);
  });

  test("unreachable: nothing gets through, and open watches break; then all is well again", async () => {
    await using cluster = await EmbeddedCluster.start();
    const watch = await watching(cluster);
    cluster.faults.unreachable(true);
    await cluster.settle();
    expect(watch.state()).toBe("ECONNRESET");
    await expect(call(cluster.transport(), "GET", CONFIG_MAPS)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    cluster.faults.unreachable(false);
    expect((await call(cluster.transport(), "GET", CONFIG_MAPS)).status).toBe(200);
  });

  test("an idle timeout is the client's own clock", async () => {
    await using cluster = await EmbeddedCluster.start();
    cluster.faults.slowRequests({ match: { verb: "list" }, ms: 60_000 });
    const transport = cluster.transport();
    const waiting = transport.exchange({
      method: "GET",
      path: CONFIG_MAPS,
      headers: {},
      pool: "requests",
      idleTimeoutMs: 5_000,
    });
    const failed = expect(waiting).rejects.toMatchObject({ code: "ETIMEDOUT" });
    await cluster.settle({ advance: 5_000 });
    await failed;
  });

  test("forbidden to one user, told in RBAC's words and in reviews", async () => {
    await using cluster = await EmbeddedCluster.start({ users: { t: "joe" } });
    const allowAgain = cluster.forbid({ user: "joe", verb: "list", resource: "configmaps" });
    const asJoe = { authorization: "Bearer t" };
    const refused = await call(cluster.transport(), "GET", CONFIG_MAPS, undefined, asJoe);
    expect(refused.status).toBe(403);
    expect(refused.body.message).toBe(
      'configmaps is forbidden: User "joe" cannot list resource "configmaps" in API group "" in the namespace "default"',
    );
    expect((await call(cluster.transport(), "GET", CONFIG_MAPS)).status).toBe(200);
    allowAgain();
    expect((await call(cluster.transport(), "GET", CONFIG_MAPS, undefined, asJoe)).status).toBe(200);
  });
});

describe("rollback", () => {
  test("objects and versions are as they were; versions are given out again; watches break", async () => {
    await using cluster = await EmbeddedCluster.start();
    add(cluster, "a");
    const version = cluster.currentVersion();
    const before = cluster.objects.list(configMaps);
    add(cluster, "b");
    cluster.objects.patch(configMaps, "a", { data: { k: "v" } });
    const watch = await watching(cluster);
    const lost = cluster.currentVersion();
    cluster.faults.rollback(version);
    await cluster.settle();
    expect(cluster.objects.list(configMaps)).toEqual(before);
    expect(cluster.currentVersion()).toBe(version);
    expect(watch.state()).toBe("ECONNRESET");
    add(cluster, "c");
    add(cluster, "d");
    expect(cluster.currentVersion()).toBe(lost);
  });

  test("a watch from a version of the lost future is accepted and silent", async () => {
    await using cluster = await EmbeddedCluster.start();
    const version = cluster.currentVersion();
    for (const name of ["a", "b", "c"]) add(cluster, name);
    const future = cluster.currentVersion();
    cluster.faults.rollback(version);
    const watch = await startWatch(cluster.transport(), `${CONFIG_MAPS}?watch=1&resourceVersion=${future}`);
    add(cluster, "d");
    await cluster.settle();
    expect([watch.state(), story(watch)]).toEqual(["open", []]);
  });

  test("a version that is not in the history is refused", async () => {
    await using cluster = await EmbeddedCluster.start();
    const version = cluster.currentVersion();
    add(cluster, "a");
    cluster.compact();
    expect(() => cluster.faults.rollback(version)).toThrow(RangeError);
  });

  test("the garbage collector knows the owners that came back", async () => {
    await using cluster = await EmbeddedCluster.start();
    const owner = cluster.objects.create(configMaps, { metadata: { name: "owner" } });
    const reference = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid };
    cluster.objects.create(configMaps, { metadata: { name: "child", ownerReferences: [reference] } });
    await cluster.settle();
    const version = cluster.currentVersion();
    cluster.objects.delete(configMaps, "child");
    cluster.faults.rollback(version);
    cluster.objects.delete(configMaps, "owner");
    await cluster.settle();
    expect(cluster.objects.list(configMaps)).toEqual([]);
  });
});
