import { describe, expect, test } from "vitest";
import type { Client, Json } from "./target.ts";

const REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

export function accessContract(client: () => Promise<Client>): void {
  describe("discovery", () => {
    test("/api and /apis name versions and groups", async () => {
      const api = await client();
      expect((await api.get("/api")).json).toMatchObject({ kind: "APIVersions", versions: ["v1"] });
      const { json } = await api.get("/apis");
      expect(json.kind).toBe("APIGroupList");
      expect(json.groups).toContainEqual(
        expect.objectContaining({
          name: "batch",
          versions: [{ groupVersion: "batch/v1", version: "v1" }],
          preferredVersion: { groupVersion: "batch/v1", version: "v1" },
        }),
      );
    });

    test("a group by itself", async () => {
      const api = await client();
      expect((await api.get("/apis/batch")).json).toMatchObject({ kind: "APIGroup", name: "batch" });
    });

    test("a group version lists its resources, their verbs and subresources", async () => {
      const api = await client();
      const { json } = await api.get("/apis/batch/v1");
      expect(json).toMatchObject({ kind: "APIResourceList", groupVersion: "batch/v1" });
      const find = (name: string): Json => (json.resources as Json[]).find((resource) => resource.name === name);
      const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
      expect(find("jobs")).toMatchObject({ kind: "Job", namespaced: true, singularName: "job", verbs });
      expect(find("jobs/status")).toMatchObject({ kind: "Job", verbs: ["get", "patch", "update"] });
      expect(find("cronjobs").shortNames).toEqual(["cj"]);
    });

    test("the core group and a custom group too", async () => {
      const api = await client();
      const core = ((await api.get("/api/v1")).json.resources as Json[]).map(({ name }) => name as string);
      expect(core).toEqual(expect.arrayContaining(["pods", "pods/status", "configmaps", "events", "namespaces"]));
      const custom = (await api.get("/apis/contract.test/v1")).json.resources as Json[];
      expect(custom.map(({ name }) => name as string)).toEqual(expect.arrayContaining(["widgets", "widgets/status"]));
    });

    test("OpenAPI v3 leads to the schemas of a group version", async () => {
      const api = await client();
      // kube-apiserver says that this JSON is plain text.
      const { paths } = JSON.parse((await api.get("/openapi/v3")).bytes.toString());
      expect(paths["apis/batch/v1"].serverRelativeURL).toMatch(/^\/openapi\/v3\/apis\/batch\/v1/);
      const { components } = (await api.get("/openapi/v3/apis/batch/v1")).json;
      const schemas: Json[] = Object.values(components.schemas as Record<string, Json>);
      const ofJob = schemas.find((schema) => kindsOf(schema).some(({ kind }) => kind === "Job"));
      expect(Object.keys(ofJob.properties as object)).toEqual(["apiVersion", "kind", "metadata", "spec", "status"]);
    });

    test("/version says which release this is", async () => {
      const api = await client();
      const { json } = await api.get("/version");
      expect(json).toMatchObject({ major: "1", minor: "37" });
      expect(json.gitVersion).toMatch(/^v1\.37\./);
    });

    test("/readyz and /healthz answer ok", async () => {
      const api = await client();
      expect((await api.get("/readyz")).bytes.toString()).toBe("ok");
      expect((await api.get("/healthz")).bytes.toString()).toBe("ok");
    });
  });

  describe("access", () => {
    test("who may not list is 403 Forbidden and reads what was missing", async () => {
      const api = await client();
      const { status, json } = await api.call("GET", api.jobs, { as: "nobody" });
      expect(status).toBe(403);
      expect(json).toMatchObject({ reason: "Forbidden", details: { group: "batch", kind: "jobs" }, code: 403 });
      expect(json.message).toMatch(
        /^jobs\.batch is forbidden: User "[^"]+" cannot list resource "jobs" in API group "batch" in the namespace "[^"]+"/,
      );
    });

    test("for one object the message names it, for all namespaces the cluster scope", async () => {
      const api = await client();
      const one = await api.call("GET", `${api.configMaps}/a`, { as: "nobody" });
      expect(one.json.message).toMatch(/^configmaps "a" is forbidden: User "[^"]+" cannot get resource "configmaps"/);
      const all = await api.call("GET", "/api/v1/pods?watch=1", { as: "nobody" });
      expect(all.json.message).toMatch(/cannot watch resource "pods" in API group "" at the cluster scope$/);
    });

    test("who may not list a kind is not told that there is none", async () => {
      const api = await client();
      const path = "/apis/nowhere.test/v1/things";
      const { status, json } = await api.call("GET", path, { as: "nobody" });
      expect(status).toBe(403);
      expect(json).toMatchObject({ details: { group: "nowhere.test", kind: "things" } });
      expect(json.message).toMatch(/^things\.nowhere\.test is forbidden: User "[^"]+" cannot list resource "things"/);
      expect((await api.get(path)).status).toBe(404);
    });

    test("unknown credentials are 401 Unauthorized", async () => {
      const api = await client();
      const { status, json } = await api.call("GET", api.jobs, { as: "stranger" });
      expect(status).toBe(401);
      expect(json).toMatchObject({ reason: "Unauthorized", message: "Unauthorized", code: 401 });
    });

    test("an access review says what one may do", async () => {
      const api = await client();
      const spec = { resourceAttributes: { verb: "list", group: "batch", resource: "jobs" } };
      const mine = await api.call("POST", REVIEWS, { body: { spec } });
      expect(mine.status).toBe(201);
      expect(mine.json).toMatchObject({ kind: "SelfSubjectAccessReview", spec, status: { allowed: true } });
      const theirs = await api.call("POST", REVIEWS, { body: { spec }, as: "nobody" });
      expect(theirs.json.status.allowed).toBe(false);
    });

    test("a token review does not know a stranger", async () => {
      const api = await client();
      const body = { spec: { token: "nobody-has-this" } };
      const { status, json } = await api.call("POST", "/apis/authentication.k8s.io/v1/tokenreviews", { body });
      expect(status).toBe(201);
      expect(json.status.authenticated).toBeUndefined();
      expect(json.status.error).toContain("invalid bearer token");
    });

    test("reviews can only be posted", async () => {
      const api = await client();
      expect((await api.get(REVIEWS)).status).toBe(405);
    });
  });
}

function kindsOf(schema: Json): Json[] {
  return schema["x-kubernetes-group-version-kind"] ?? [];
}
