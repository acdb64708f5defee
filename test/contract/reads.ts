import { describe, expect, test } from "vitest";
import { type Client, configMap, idleJob, type Json } from "./target.ts";

const METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1";
const PROTOBUF = "application/vnd.kubernetes.protobuf";

export function readsContract(client: () => Promise<Client>): void {
  describe("get", () => {
    test("an object names its kind and has uid, version and creation time", async () => {
      const api = await client();
      await api.create(api.configMaps, configMap("a"));
      const { status, json } = await api.get(`${api.configMaps}/a`);
      expect(status).toBe(200);
      expect(json).toMatchObject({ kind: "ConfigMap", apiVersion: "v1", data: { k: "v" } });
      expect(json.metadata).toMatchObject({ name: "a", namespace: api.namespace });
      expect(json.metadata.uid).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(json.metadata.resourceVersion).toMatch(/^[1-9][0-9]*$/);
      expect(json.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    });

    test("a missing object is 404 NotFound with its name, kind and group", async () => {
      const api = await client();
      const { status, json } = await api.get(`${api.jobs}/nope`);
      expect(status).toBe(404);
      expect(json).toEqual({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: 'jobs.batch "nope" not found',
        reason: "NotFound",
        details: { name: "nope", group: "batch", kind: "jobs" },
        code: 404,
      });
    });

    test("an unknown resource of a known group is 404 with a Status", async () => {
      const api = await client();
      const { status, json } = await api.get(api.path("nonsense", "batch/v1"));
      expect(status).toBe(404);
      expect(json).toMatchObject({
        reason: "NotFound",
        message: "the server could not find the requested resource",
        code: 404,
      });
    });

    test("an unknown group is 404 in plain text", async () => {
      const api = await client();
      const { status, headers, bytes } = await api.get("/apis/nonsense.test/v1/things");
      expect(status).toBe(404);
      expect(headers["content-type"]).toMatch(/^text\/plain/);
      expect(bytes.toString()).toContain("404 page not found");
    });

    test("PartialObjectMetadata has the metadata and nothing else", async () => {
      const api = await client();
      await api.create(api.configMaps, configMap("a", { labels: { l: "x" } }));
      const { json } = await api.get(`${api.configMaps}/a`, METADATA);
      expect(Object.keys(json as object).sort()).toEqual(["apiVersion", "kind", "metadata"]);
      expect(json).toMatchObject({
        kind: "PartialObjectMetadata",
        apiVersion: "meta.k8s.io/v1",
        metadata: { name: "a", labels: { l: "x" } },
      });
    });

    test("a table has a Name column and each row's metadata", async () => {
      const api = await client();
      await api.create(api.jobs, idleJob("a"));
      const { json } = await api.get(api.jobs, TABLE);
      expect(json).toMatchObject({ kind: "Table", apiVersion: "meta.k8s.io/v1" });
      const columns = (json.columnDefinitions as Json[]).map(({ name }) => name as string);
      expect(columns.slice(0, 4)).toEqual(["Name", "Status", "Completions", "Duration"]);
      expect(json.rows).toHaveLength(1);
      expect(json.rows[0].cells.slice(0, 3)).toEqual(["a", "Running", "0/1"]);
      expect(json.rows[0].object).toMatchObject({ kind: "PartialObjectMetadata", metadata: { name: "a" } });
    });

    test("a table in protobuf is refused with 406 NotAcceptable", async () => {
      const api = await client();
      const { status, json } = await api.get(api.configMaps, `${PROTOBUF};as=Table;v=v1;g=meta.k8s.io`);
      expect(status).toBe(406);
      expect(json).toMatchObject({ kind: "Status", reason: "NotAcceptable", code: 406 });
    });

    test("an unknown media type is refused with 406 NotAcceptable", async () => {
      const api = await client();
      const { status, json } = await api.get(api.configMaps, "application/xml");
      expect(status).toBe(406);
      expect(json).toMatchObject({ reason: "NotAcceptable", code: 406 });
    });

    test("the second media type is taken where the first cannot be had", async () => {
      const api = await client();
      await api.create(api.widgets, { apiVersion: "contract.test/v1", kind: "Widget", metadata: { name: "a" } });
      const { status, headers } = await api.get(`${api.widgets}/a`, `${PROTOBUF}, application/json`);
      expect(status).toBe(200);
      expect(headers["content-type"]).toBe("application/json");
    });

    test("a built-in kind comes in protobuf behind k8s and a zero", async () => {
      const api = await client();
      await api.create(api.jobs, idleJob("a"));
      const { status, headers, bytes } = await api.get(`${api.jobs}/a`, `${PROTOBUF}, application/json`);
      expect(status).toBe(200);
      expect(headers["content-type"]).toBe(PROTOBUF);
      expect(bytes.subarray(0, 4).toString("latin1")).toBe("k8s\0");
    });

    test("an error comes in protobuf to who asked for it", async () => {
      const api = await client();
      const { status, headers, bytes } = await api.get(`${api.jobs}/nope`, `${PROTOBUF}, application/json`);
      expect(status).toBe(404);
      expect(headers["content-type"]).toBe(PROTOBUF);
      expect(bytes.subarray(0, 4).toString("latin1")).toBe("k8s\0");
      expect(bytes.toString("latin1")).toContain('jobs.batch "nope" not found');
    });

    test("a version that the server has not reached is 504 with its cause", async () => {
      const api = await client();
      await api.create(api.configMaps, configMap("a"));
      const { status, json } = await api.get(`${api.configMaps}/a?resourceVersion=9999999999`);
      expect(status).toBe(504);
      expect(json).toMatchObject({
        reason: "Timeout",
        details: { causes: [{ reason: "ResourceVersionTooLarge" }], retryAfterSeconds: 1 },
      });
      expect(json.message).toMatch(/^Timeout: Too large resource version: 9999999999, current: \d+$/);
    });
  });
}
