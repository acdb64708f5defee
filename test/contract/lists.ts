import { describe, expect, test } from "vitest";
import { type Answer, type Client, configMap, event, idleJob, isAtLeast, type Json, names, pod } from "./target.ts";

const METADATA_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

async function fill(api: Client, ...wanted: string[]): Promise<void> {
  for (const name of wanted) await api.create(api.configMaps, configMap(name, { labels: { l: name } }));
}

function refusal({ json, status }: Answer): object {
  return { status, reason: json.reason as string, message: json.message as string };
}

export function listsContract(client: () => Promise<Client>): void {
  describe("list", () => {
    test("has a kind, a version, and items in the order of their names", async () => {
      const api = await client();
      await fill(api, "c", "a", "b");
      const answer = await api.get(api.configMaps);
      expect(answer.json).toMatchObject({ kind: "ConfigMapList", apiVersion: "v1" });
      expect(answer.json.metadata.resourceVersion).toMatch(/^[1-9][0-9]*$/);
      expect(names(answer)).toEqual(["a", "b", "c"]);
    });

    test("items of a built-in kind do not repeat it, those of a custom kind do", async () => {
      const api = await client();
      await fill(api, "a");
      await api.create(api.widgets, { apiVersion: "contract.test/v1", kind: "Widget", metadata: { name: "w" } });
      expect((await api.get(api.configMaps)).json.items[0].kind).toBeUndefined();
      const widgets = await api.get(api.widgets);
      expect(widgets.json).toMatchObject({
        kind: "WidgetList",
        items: [{ kind: "Widget", apiVersion: "contract.test/v1" }],
      });
    });

    test("an empty list has no items; of metadata only, null ones", async () => {
      const api = await client();
      expect((await api.get(api.pods)).json.items).toEqual([]);
      expect((await api.get(api.pods, METADATA_LIST)).json.items).toBeNull();
    });

    test("a namespace's list leaves out the others, the cluster's has them", async () => {
      const [here, there] = [await client(), await client()];
      await fill(here, "mine");
      await fill(there, "theirs");
      expect(names(await here.get(here.configMaps))).toEqual(["mine"]);
      const all = names(await here.get("/api/v1/configmaps"));
      expect(all).toEqual(expect.arrayContaining(["mine", "theirs"]));
    });

    test("metadata only: each item is a PartialObjectMetadata", async () => {
      const api = await client();
      await fill(api, "a");
      const { json } = await api.get(api.configMaps, METADATA_LIST);
      expect(json).toMatchObject({ kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1" });
      expect(Object.keys(json.items[0] as object).sort()).toEqual(["apiVersion", "kind", "metadata"]);
    });

    test("its version is at or above every write that was answered before", async () => {
      const api = await client();
      const { metadata } = await api.create(api.configMaps, configMap("a"));
      expect(isAtLeast(await api.version(api.jobs), metadata.resourceVersion as string)).toBe(true);
    });
  });

  describe("limit and continue", () => {
    test("pages follow each other at one version and say how many are left", async () => {
      const api = await client();
      await fill(api, "a", "b", "c", "d", "e");
      const first = await api.get(`${api.configMaps}?limit=2`);
      expect(names(first)).toEqual(["a", "b"]);
      expect(first.json.metadata.remainingItemCount).toBe(3);
      const second = await api.get(`${api.configMaps}?limit=2&continue=${first.json.metadata.continue as string}`);
      expect(names(second)).toEqual(["c", "d"]);
      expect(second.json.metadata).toMatchObject({
        resourceVersion: first.json.metadata.resourceVersion as string,
        remainingItemCount: 1,
      });
      const last = await api.get(`${api.configMaps}?limit=2&continue=${second.json.metadata.continue as string}`);
      expect(names(last)).toEqual(["e"]);
      expect(last.json.metadata).toEqual({ resourceVersion: first.json.metadata.resourceVersion as string });
    });

    test("later pages show the state of the first one", async () => {
      const api = await client();
      await fill(api, "a", "b", "c");
      const first = await api.get(`${api.configMaps}?limit=1`);
      await api.call("DELETE", `${api.configMaps}/b`);
      await fill(api, "d");
      await api.patch(`${api.configMaps}/c`, { data: { k: "changed" } });
      const rest = await api.get(`${api.configMaps}?continue=${first.json.metadata.continue as string}`);
      expect(names(rest)).toEqual(["b", "c"]);
      expect(rest.json.items[1].data).toEqual({ k: "v" });
    });

    test("an expired token is 410 Expired, with another token for the rest as it is now", async () => {
      const api = await client();
      for (const name of ["a", "b", "c"]) await api.create(api.events, event(name, api.namespace));
      const first = await api.get(`${api.events}?limit=1`);
      await api.call("DELETE", `${api.events}/b`);
      await api.target.compact();
      const expired = await api.get(`${api.events}?limit=5&continue=${first.json.metadata.continue as string}`);
      expect(expired.status).toBe(410);
      expect(expired.json).toMatchObject({ reason: "Expired", code: 410 });
      const rest = await api.get(`${api.events}?limit=5&continue=${expired.json.metadata.continue as string}`);
      expect(rest.status).toBe(200);
      expect(names(rest)).toEqual(["c"]);
    });

    test("a token that the server did not make is 400", async () => {
      const api = await client();
      const { status, json } = await api.get(`${api.configMaps}?limit=1&continue=nonsense`);
      expect({ status, reason: json.reason as string }).toEqual({ status: 400, reason: "BadRequest" });
      expect(json.message).toMatch(/^invalid continue token: /);
    });

    test("a token beside a version is 400", async () => {
      const api = await client();
      await fill(api, "a", "b");
      const first = await api.get(`${api.configMaps}?limit=1`);
      const token = first.json.metadata.continue as string;
      expect(refusal(await api.get(`${api.configMaps}?limit=1&continue=${token}&resourceVersion=5`))).toEqual({
        status: 400,
        reason: "BadRequest",
        message: "specifying resource version is not allowed when using continue",
      });
    });

    test("with a selector the server does not say how many are left", async () => {
      const api = await client();
      await fill(api, "a", "b", "c");
      const { json } = await api.get(`${api.configMaps}?limit=1&labelSelector=l`);
      expect(json.metadata.continue).toBeDefined();
      expect(json.metadata.remainingItemCount).toBeUndefined();
    });

    test("a limit that is no number is 400", async () => {
      const api = await client();
      expect((await api.get(`${api.configMaps}?limit=many`)).status).toBe(400);
    });
  });

  describe("selectors", () => {
    test.each([
      ["l=a", ["a"]],
      ["l!=a", ["b", "c"]],
      ["l in (a,c)", ["a", "c"]],
      ["l notin (a,c)", ["b"]],
      ["l", ["a", "b", "c"]],
      ["!l", []],
      ["l=a,l=b", []],
    ])("by labels: %s", async (selector, expected) => {
      const api = await client();
      await fill(api, "a", "b", "c");
      expect(names(await api.get(`${api.configMaps}?labelSelector=${encodeURIComponent(selector)}`))).toEqual(expected);
    });

    test("by name", async () => {
      const api = await client();
      await fill(api, "a", "b");
      expect(names(await api.get(`${api.configMaps}?fieldSelector=metadata.name%3Db`))).toEqual(["b"]);
    });

    test("by the fields that the kind offers", async () => {
      const api = await client();
      await api.create(api.pods, pod("here", { nodeName: "n1" }));
      await api.create(api.pods, pod("nowhere"));
      expect(names(await api.get(`${api.pods}?fieldSelector=spec.nodeName%3Dn1`))).toEqual(["here"]);
      expect(names(await api.get(`${api.pods}?fieldSelector=status.phase%3DRunning`))).toEqual([]);
    });

    test("by a field that the kind does not offer: 400", async () => {
      const api = await client();
      const { status, json } = await api.get(`${api.configMaps}?fieldSelector=data.k%3Dv`);
      expect(status).toBe(400);
      expect(json.message).toBe('"data.k" is not a known field selector: only "metadata.name", "metadata.namespace"');
    });

    test("one that cannot be read: 400", async () => {
      const api = await client();
      const { status, json } = await api.get(`${api.configMaps}?labelSelector=${encodeURIComponent("l===b")}`);
      expect({ status, reason: json.reason as string }).toEqual({ status: 400, reason: "BadRequest" });
    });
  });

  describe("versions", () => {
    test('"0" is answered from the cache, whole even with a limit', async () => {
      const api = await client();
      await fill(api, "a", "b", "c");
      await api.get(api.configMaps);
      const answer = await api.get(`${api.configMaps}?resourceVersion=0&limit=1`);
      expect(names(answer)).toEqual(["a", "b", "c"]);
      expect(answer.json.metadata.continue).toBeUndefined();
    });

    test('"0" pages all the same where there is no cache', async () => {
      const api = await client();
      for (const name of ["a", "b", "c"]) await api.create(api.events, event(name, api.namespace));
      expect(names(await api.get(`${api.events}?resourceVersion=0&limit=1`))).toEqual(["a"]);
    });

    test("NotOlderThan: at or above the version, with what was written then", async () => {
      const api = await client();
      await fill(api, "a");
      const { metadata } = await api.create(api.configMaps, configMap("b"));
      const version = metadata.resourceVersion as string;
      const answer = await api.get(`${api.configMaps}?resourceVersion=${version}&resourceVersionMatch=NotOlderThan`);
      expect(isAtLeast(answer.json.metadata.resourceVersion as string, version)).toBe(true);
      expect(names(answer)).toEqual(["a", "b"]);
    });

    test.each(["&resourceVersionMatch=Exact", "&limit=10"])("exactly the version with %s", async (how) => {
      const api = await client();
      await fill(api, "a");
      const { metadata } = await api.create(api.configMaps, configMap("b"));
      await fill(api, "c");
      await api.call("DELETE", `${api.configMaps}/a`);
      const answer = await api.get(`${api.configMaps}?resourceVersion=${metadata.resourceVersion as string}${how}`);
      expect(answer.json.metadata.resourceVersion).toBe(metadata.resourceVersion);
      expect(names(answer)).toEqual(["a", "b"]);
    });

    test("Exact at a compacted version is 410 Expired", async () => {
      const api = await client();
      const { metadata } = await api.create(api.events, event("a", api.namespace));
      await api.create(api.events, event("b", api.namespace));
      await api.target.compact();
      const version = metadata.resourceVersion as string;
      const answer = await api.get(`${api.events}?resourceVersion=${version}&resourceVersionMatch=Exact`);
      expect(answer.status).toBe(410);
      expect(answer.json).toMatchObject({ reason: "Expired", code: 410 });
    });

    test("one that the server has not reached is 504 with its cause", async () => {
      const api = await client();
      const { status, json } = await api.get(`${api.configMaps}?resourceVersion=9999999999`);
      expect(status).toBe(504);
      expect(json.details.causes[0].reason).toBe("ResourceVersionTooLarge");
    });

    test("one that is no number is 400", async () => {
      const api = await client();
      const { status, json } = await api.get(`${api.configMaps}?resourceVersion=nonsense`);
      expect({ status, reason: json.reason as string }).toEqual({ status: 400, reason: "BadRequest" });
    });

    test.each([
      ["resourceVersionMatch=NotOlderThan", "resourceVersionMatch is forbidden unless resourceVersion is provided"],
      [
        "resourceVersion=0&resourceVersionMatch=Exact",
        'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
      ],
      ["resourceVersion=0&resourceVersionMatch=Near", 'Unsupported value: "Near"'],
      ["sendInitialEvents=true", "sendInitialEvents is forbidden for list"],
    ])("%s is 422 Invalid", async (query, why) => {
      const api = await client();
      const { status, json } = await api.get(`${api.configMaps}?${query}`);
      expect({ status, reason: json.reason as string }).toEqual({ status: 422, reason: "Invalid" });
      expect(json.message).toContain(why);
    });
  });

  test("a list of Jobs shows what was created, with defaults", async () => {
    const api = await client();
    await api.create(api.jobs, idleJob("a", { suspend: true }));
    const { json } = await api.get(api.jobs);
    expect((json.items as Json[])[0]).toMatchObject({ spec: { suspend: true, backoffLimit: 6 }, status: {} });
  });
}
