import { describe, expect, test } from "vitest";
import { type Client, configMap, event, idleJob, isAtLeast, type Watch } from "./target.ts";

const METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const PROTOBUF = "application/vnd.kubernetes.protobuf";
const WATCH_LIST = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
const END_MARK = "k8s.io/initial-events-end";

/** Waits until a watch has told this much, and stops it. */
async function storyOf(api: Client, watch: Watch, length: number): Promise<string[]> {
  await api.until(`${length} events`, () => watch.story.length >= length);
  watch.stop();
  return watch.story;
}

/** Waits for the clean end. */
async function ended(api: Client, watch: Watch): Promise<Watch> {
  await api.until("the end of the watch", () => watch.state !== "open");
  expect(watch.state).toBe("ended");
  return watch;
}

export function watchesContract(client: () => Promise<Client>): void {
  describe("watch", () => {
    test("from a version: later changes only, in order, each with its version", async () => {
      const api = await client();
      await api.create(api.configMaps, configMap("before"));
      const from = await api.version(api.configMaps);
      const watch = await api.watch(`${api.configMaps}?watch=1&resourceVersion=${from}`);
      await api.create(api.configMaps, configMap("a"));
      await api.patch(`${api.configMaps}/a`, { data: { k: "2" } });
      await api.call("DELETE", `${api.configMaps}/a`);
      expect(await storyOf(api, watch, 3)).toEqual(["ADDED a", "MODIFIED a", "DELETED a"]);
      const versions = watch.frames.map(({ object }) => BigInt(object.metadata.resourceVersion as string));
      expect(versions).toEqual(versions.toSorted((a, b) => (a < b ? -1 : 1)));
      expect(new Set(versions).size).toBe(3);
      expect(watch.frames[2]?.object.data).toEqual({ k: "2" });
      expect(watch.frames[0]?.object).toMatchObject({ kind: "ConfigMap", apiVersion: "v1" });
    });

    test("from a version in the past: what happened since, then what happens", async () => {
      const api = await client();
      const from = await api.version(api.configMaps);
      await api.create(api.configMaps, configMap("a"));
      await api.call("DELETE", `${api.configMaps}/a`);
      const watch = await api.watch(`${api.configMaps}?watch=1&resourceVersion=${from}`);
      await api.create(api.configMaps, configMap("b"));
      expect(await storyOf(api, watch, 3)).toEqual(["ADDED a", "DELETED a", "ADDED b"]);
    });

    test.each(["", "&resourceVersion=0"])("without a version (%s) it begins with what is there", async (version) => {
      const api = await client();
      await api.create(api.configMaps, configMap("a"));
      await api.get(api.configMaps);
      const watch = await api.watch(`${api.configMaps}?watch=1&fieldSelector=metadata.name%3Da${version}`);
      expect(await storyOf(api, watch, 1)).toEqual(["ADDED a"]);
    });

    test("an object that was touched while nobody looked is shown once per change", async () => {
      const api = await client();
      const { metadata } = await api.create(api.configMaps, configMap("a"));
      await api.patch(`${api.configMaps}/a`, { data: { k: "2" } });
      await api.patch(`${api.configMaps}/a`, { data: { k: "3" } });
      const watch = await api.watch(`${api.configMaps}?watch=1&resourceVersion=${metadata.resourceVersion as string}`);
      await storyOf(api, watch, 2);
      expect(watch.frames.map(({ object }) => object.data.k as string)).toEqual(["2", "3"]);
    });

    test("from a forgotten version: 200, and an ERROR event 410 Expired", async () => {
      const api = await client();
      const { metadata } = await api.create(api.events, event("a", api.namespace));
      for (const name of ["b", "c"]) await api.create(api.events, event(name, api.namespace));
      await api.target.compact();
      const watch = await api.watch(`${api.events}?watch=1&resourceVersion=${metadata.resourceVersion as string}`);
      expect(watch.status).toBe(200);
      await ended(api, watch);
      expect(watch.types).toEqual(["ERROR"]);
      expect(watch.frames[0]?.object).toMatchObject({ kind: "Status", reason: "Expired", code: 410 });
    });

    test("from a version of the future: accepted, and silent", async () => {
      const api = await client();
      const watch = await api.watch(`${api.configMaps}?watch=1&resourceVersion=9999999999&timeoutSeconds=2`);
      expect(watch.status).toBe(200);
      await api.create(api.configMaps, configMap("a"));
      await ended(api, watch);
      expect(watch.frames).toEqual([]);
    });

    test("from a version that is no number: an error before the stream", async () => {
      const api = await client();
      const { status, json } = await api.get(`${api.configMaps}?watch=1&resourceVersion=nonsense`);
      expect(status).toBe(500);
      expect(json).toMatchObject({ kind: "Status", status: "Failure", code: 500 });
    });

    test("timeoutSeconds ends it cleanly", async () => {
      const api = await client();
      const from = await api.version(api.configMaps);
      await ended(api, await api.watch(`${api.configMaps}?watch=1&resourceVersion=${from}&timeoutSeconds=1`));
    });

    test("metadata only: events and bookmarks are PartialObjectMetadata", async () => {
      const api = await client();
      await api.create(api.configMaps, configMap("a"));
      const watch = await api.watch(`${api.configMaps}?${WATCH_LIST}`, METADATA);
      await api.until("the end mark", () => watch.types.includes("BOOKMARK"));
      watch.stop();
      expect(new Set(watch.frames.map(({ object }) => object.kind as string))).toEqual(
        new Set(["PartialObjectMetadata"]),
      );
      expect(watch.frames[0]?.object.data).toBeUndefined();
    });

    test("in protobuf: frames behind their length, each with an object behind k8s and a zero", async () => {
      const api = await client();
      const from = await api.version(api.jobs);
      const watch = await api.watch(`${api.jobs}?watch=1&resourceVersion=${from}`, `${PROTOBUF};stream=watch`);
      expect(watch.headers["content-type"]).toBe(`${PROTOBUF};stream=watch`);
      await api.create(api.jobs, idleJob("a"));
      await api.until("a frame", () => watch.bytes.length > 4 && watch.bytes.length >= watch.bytes.readUInt32BE(0) + 4);
      watch.stop();
      const frame = watch.bytes.subarray(4, 4 + watch.bytes.readUInt32BE(0));
      expect(frame.subarray(0, 7).toString("latin1")).toBe("\n\x05ADDED");
      expect(frame.indexOf("k8s\0")).toBeGreaterThan(0);
    });
  });

  describe("bookmarks", () => {
    test("the closing one confirms a consistent read that went before", async () => {
      const api = await client();
      const from = await api.version(api.configMaps);
      await api.create(api.path("leases", "coordination.k8s.io/v1"), { metadata: { name: "elsewhere" } });
      const read = await api.version(api.configMaps);
      const query = `watch=1&allowWatchBookmarks=true&timeoutSeconds=4&resourceVersion=${from}`;
      const watch = await ended(api, await api.watch(`${api.configMaps}?${query}`));
      const last = watch.frames.at(-1);
      expect(last?.type).toBe("BOOKMARK");
      expect(isAtLeast(last?.object.metadata.resourceVersion as string, read)).toBe(true);
      expect(last?.object).toMatchObject({ kind: "ConfigMap", apiVersion: "v1" });
      expect(last?.object.metadata.name).toBeUndefined();
    });

    test("none come to who did not ask", async () => {
      const api = await client();
      const from = await api.version(api.configMaps);
      await api.create(api.path("leases", "coordination.k8s.io/v1"), { metadata: { name: "elsewhere" } });
      await api.version(api.configMaps);
      const query = `watch=1&timeoutSeconds=4&resourceVersion=${from}`;
      expect((await ended(api, await api.watch(`${api.configMaps}?${query}`))).frames).toEqual([]);
    });

    test("none come for events", async () => {
      const api = await client();
      const from = await api.version(api.events);
      await api.create(api.path("leases", "coordination.k8s.io/v1"), { metadata: { name: "elsewhere" } });
      await api.version(api.events);
      const query = `watch=1&allowWatchBookmarks=true&timeoutSeconds=4&resourceVersion=${from}`;
      expect((await ended(api, await api.watch(`${api.events}?${query}`))).types).not.toContain("BOOKMARK");
    });
  });

  describe("WatchList", () => {
    test("the present state, an end mark at its version, then what happens", async () => {
      const api = await client();
      await api.create(api.configMaps, configMap("a"));
      const { metadata } = await api.create(api.configMaps, configMap("b"));
      const watch = await api.watch(`${api.configMaps}?${WATCH_LIST}`);
      await api.until("the end mark", () => watch.types.includes("BOOKMARK"));
      expect(watch.types).toEqual(["ADDED", "ADDED", "BOOKMARK"]);
      const mark = watch.frames[2]?.object;
      expect(mark.metadata.annotations).toEqual({ [END_MARK]: "true" });
      expect(isAtLeast(mark.metadata.resourceVersion as string, metadata.resourceVersion as string)).toBe(true);
      await api.create(api.configMaps, configMap("c"));
      expect(await storyOf(api, watch, 3)).toEqual(["ADDED a", "ADDED b", "ADDED c"]);
    });

    test("of nothing: the end mark alone", async () => {
      const api = await client();
      const watch = await api.watch(`${api.jobs}?${WATCH_LIST}`);
      await api.until("the end mark", () => watch.frames.length > 0);
      watch.stop();
      expect(watch.types).toEqual(["BOOKMARK"]);
    });

    test("at a version: not older than it", async () => {
      const api = await client();
      const { metadata } = await api.create(api.jobs, idleJob("a"));
      const watch = await api.watch(`${api.jobs}?${WATCH_LIST}&resourceVersion=${metadata.resourceVersion as string}`);
      await api.until("the end mark", () => watch.types.includes("BOOKMARK"));
      watch.stop();
      expect(watch.story).toEqual(["ADDED a"]);
    });

    test("at a version that the server has not reached: an ERROR event 504", async () => {
      const api = await client();
      const watch = await api.watch(`${api.jobs}?${WATCH_LIST}&resourceVersion=9999999999`);
      await ended(api, watch);
      expect(watch.types).toEqual(["ERROR"]);
      expect(watch.frames[0]?.object).toMatchObject({ reason: "Timeout", code: 504 });
      expect(watch.frames[0]?.object.details.causes[0].reason).toBe("ResourceVersionTooLarge");
    });

    test.each([
      ["sendInitialEvents=true", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"],
      ["sendInitialEvents=true&resourceVersionMatch=Exact", 'Unsupported value: "Exact"'],
      [
        "resourceVersionMatch=NotOlderThan",
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
      ],
    ])("%s is 422 Invalid", async (query, why) => {
      const api = await client();
      const { status, json } = await api.get(`${api.jobs}?watch=1&${query}`);
      expect({ status, reason: json.reason as string }).toEqual({ status: 422, reason: "Invalid" });
      expect(json.message).toContain(why);
    });
  });

  describe("selectors", () => {
    test("who enters a selection is ADDED, who leaves it is DELETED", async () => {
      const api = await client();
      const from = await api.version(api.configMaps);
      const watch = await api.watch(`${api.configMaps}?watch=1&labelSelector=l%3Din&resourceVersion=${from}`);
      await api.create(api.configMaps, configMap("a"));
      await api.patch(`${api.configMaps}/a`, { metadata: { labels: { l: "in" } } });
      await api.patch(`${api.configMaps}/a`, { data: { k: "2" } });
      await api.patch(`${api.configMaps}/a`, { metadata: { labels: { l: "out" } } });
      await api.patch(`${api.configMaps}/a`, { data: { k: "3" } });
      await api.create(api.configMaps, configMap("b", { labels: { l: "in" } }));
      expect(await storyOf(api, watch, 4)).toEqual(["ADDED a", "MODIFIED a", "DELETED a", "ADDED b"]);
    });

    test("by name", async () => {
      const api = await client();
      const from = await api.version(api.configMaps);
      const watch = await api.watch(
        `${api.configMaps}?watch=1&fieldSelector=metadata.name%3Db&resourceVersion=${from}`,
      );
      await api.create(api.configMaps, configMap("a"));
      await api.create(api.configMaps, configMap("b"));
      expect(await storyOf(api, watch, 1)).toEqual(["ADDED b"]);
    });
  });
}
