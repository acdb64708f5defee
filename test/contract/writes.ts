import { describe, expect, test } from "vitest";
import { type Client, configMap, idleJob, type Json } from "./target.ts";

const widget = (name: string, more: object = {}): object => ({
  apiVersion: "contract.test/v1",
  kind: "Widget",
  metadata: { name },
  ...more,
});

const condition = (type: string, status: string): object => ({ type, status, reason: "Contract" });

export function writesContract(client: () => Promise<Client>): void {
  describe("create", () => {
    test("answers 201 with what the server added", async () => {
      const api = await client();
      const { status, json } = await api.call("POST", api.jobs, { body: idleJob("a") });
      expect(status).toBe(201);
      const { uid } = json.metadata;
      expect(json).toMatchObject({
        kind: "Job",
        metadata: {
          name: "a",
          namespace: api.namespace,
          generation: 1,
          labels: { "batch.kubernetes.io/job-name": "a" },
        },
        spec: {
          parallelism: 1,
          completions: 1,
          backoffLimit: 6,
          completionMode: "NonIndexed",
          suspend: false,
          podReplacementPolicy: "TerminatingOrFailed",
          manualSelector: false,
          selector: { matchLabels: { "batch.kubernetes.io/controller-uid": uid as string } },
          template: {
            metadata: { labels: { "batch.kubernetes.io/controller-uid": uid as string, "job-name": "a" } },
            spec: {
              dnsPolicy: "ClusterFirst",
              terminationGracePeriodSeconds: 30,
              containers: [{ imagePullPolicy: "Always" }],
            },
          },
        },
        status: {},
      });
    });

    test("generateName gets five letters", async () => {
      const api = await client();
      const made = await api.create(api.configMaps, { metadata: { generateName: "gen-" } });
      expect(made.metadata.name).toMatch(/^gen-[a-z0-9]{5}$/);
      expect(made.metadata.generateName).toBe("gen-");
    });

    test("a taken name is 409 AlreadyExists", async () => {
      const api = await client();
      await api.create(api.jobs, idleJob("a"));
      const { status, json } = await api.call("POST", api.jobs, { body: idleJob("a") });
      expect(status).toBe(409);
      expect(json).toMatchObject({
        message: 'jobs.batch "a" already exists',
        reason: "AlreadyExists",
        details: { name: "a", group: "batch", kind: "jobs" },
        code: 409,
      });
    });

    test("a status that the creator sends is dropped", async () => {
      const api = await client();
      const made = await api.create(api.jobs, { ...idleJob("a"), status: { active: 3 } });
      expect(made.status).toEqual({});
    });

    test.each([
      ["no name", {}, "metadata.name: Required value: name or generateName is required"],
      ["a bad name", { name: "Not_Good" }, 'metadata.name: Invalid value: "Not_Good"'],
    ])("%s is 422 Invalid and says where", async (_, metadata, why) => {
      const api = await client();
      const { status, json } = await api.call("POST", api.configMaps, { body: { metadata } });
      expect({ status, reason: json.reason as string }).toEqual({ status: 422, reason: "Invalid" });
      expect(json.message).toContain(why);
      expect((json.details.causes as Json[]).map(({ field }) => field as string)).toContain("metadata.name");
    });

    test("a Job without containers is 422 Invalid with a cause for each fault", async () => {
      const api = await client();
      const { status, json } = await api.call("POST", api.jobs, { body: { metadata: { name: "a" } } });
      expect(status).toBe(422);
      expect(json.details).toMatchObject({ name: "a", group: "batch", kind: "Job" });
      expect((json.details.causes as Json[]).map(({ field }) => field as string)).toEqual([
        "spec.template.spec.containers",
        "spec.template.spec.restartPolicy",
      ]);
    });

    test.each([
      ["another kind", { apiVersion: "batch/v1", kind: "Pod", metadata: { name: "a" } }],
      ["another version", { apiVersion: "batch/v2", kind: "Job", metadata: { name: "a" } }],
      ["another namespace", { apiVersion: "batch/v1", kind: "Job", metadata: { name: "a", namespace: "elsewhere" } }],
      ["no JSON", '{"metadata":'],
    ])("%s is 400 BadRequest", async (_, body) => {
      const api = await client();
      const { status, json } = await api.call("POST", api.jobs, { body });
      expect({ status, reason: json.reason as string }).toEqual({ status: 400, reason: "BadRequest" });
    });

    test("a body of an unknown type is 415", async () => {
      const api = await client();
      const { status, json } = await api.call("POST", api.configMaps, { body: configMap("a"), type: "text/plain" });
      expect({ status, reason: json.reason as string }).toEqual({ status: 415, reason: "UnsupportedMediaType" });
    });

    test("in a namespace that is not there: 404", async () => {
      const api = await client();
      const { status, json } = await api.call("POST", "/api/v1/namespaces/not-there/configmaps", {
        body: configMap("a"),
      });
      expect(status).toBe(404);
      expect(json).toMatchObject({ message: 'namespaces "not-there" not found', details: { kind: "namespaces" } });
    });

    test("without a namespace: 405", async () => {
      const api = await client();
      const { status, json } = await api.call("POST", "/apis/batch/v1/jobs", { body: idleJob("a") });
      expect({ status, reason: json.reason as string }).toEqual({ status: 405, reason: "MethodNotAllowed" });
    });

    test("dryRun answers as if, and stores nothing", async () => {
      const api = await client();
      const { status, json } = await api.call("POST", `${api.configMaps}?dryRun=All`, { body: configMap("a") });
      expect(status).toBe(201);
      expect(json.metadata.uid).toBeDefined();
      expect((await api.get(`${api.configMaps}/a`)).status).toBe(404);
    });

    test("managedFields name the client", async () => {
      const api = await client();
      const made = await api.create(`${api.configMaps}?fieldManager=held-to-it`, configMap("a"));
      expect(made.metadata.managedFields).toMatchObject([
        { manager: "held-to-it", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1" },
      ]);
    });
  });

  describe("update", () => {
    test("of an object that changed meanwhile is 409 Conflict", async () => {
      const api = await client();
      const made = await api.create(api.configMaps, configMap("a"));
      await api.patch(`${api.configMaps}/a`, { data: { k: "2" } });
      const { status, json } = await api.call("PUT", `${api.configMaps}/a`, { body: made });
      expect(status).toBe(409);
      expect(json).toMatchObject({ reason: "Conflict", details: { name: "a", kind: "configmaps" }, code: 409 });
      expect(json.message).toContain("the object has been modified; please apply your changes to the latest version");
    });

    test("that changes nothing keeps the version", async () => {
      const api = await client();
      const made = await api.create(api.configMaps, configMap("a"));
      const put = await api.write("PUT", `${api.configMaps}/a`, made);
      expect(put.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
    });

    test("replaces the whole object, but not what the server set", async () => {
      const api = await client();
      const made = await api.create(api.configMaps, configMap("a", { labels: { l: "x" } }));
      const put = await api.write("PUT", `${api.configMaps}/a`, { metadata: { name: "a" }, data: { other: "1" } });
      expect(put.data).toEqual({ other: "1" });
      expect(put.metadata.labels).toBeUndefined();
      expect(put.metadata).toMatchObject({
        uid: made.metadata.uid,
        creationTimestamp: made.metadata.creationTimestamp,
      });
    });

    test("without a version is accepted for a ConfigMap and refused for a custom kind", async () => {
      const api = await client();
      await api.create(api.configMaps, configMap("a"));
      await api.create(api.widgets, widget("a"));
      expect((await api.call("PUT", `${api.configMaps}/a`, { body: configMap("a") })).status).toBe(200);
      const { status, json } = await api.call("PUT", `${api.widgets}/a`, { body: widget("a", { spec: { size: 1 } }) });
      expect(status).toBe(422);
      expect(json.message).toContain("metadata.resourceVersion");
    });

    test("of a missing object is 404", async () => {
      const api = await client();
      expect((await api.call("PUT", `${api.configMaps}/a`, { body: configMap("a") })).status).toBe(404);
    });

    test("under another name is 400, with another uid 409", async () => {
      const api = await client();
      await api.create(api.configMaps, configMap("a"));
      expect((await api.call("PUT", `${api.configMaps}/a`, { body: configMap("b") })).status).toBe(400);
      const other = configMap("a", { uid: "11111111-1111-4111-8111-111111111111" });
      const { status, json } = await api.call("PUT", `${api.configMaps}/a`, { body: other });
      expect({ status, reason: json.reason as string }).toEqual({ status: 409, reason: "Conflict" });
      expect(json.message).toContain("Precondition failed: UID in precondition");
    });

    test("of what a Job may not change is 422", async () => {
      const api = await client();
      await api.create(api.jobs, idleJob("a"));
      const patch = { spec: { template: { metadata: { labels: { new: "one" } } } } };
      const type = "application/merge-patch+json";
      const { status, json } = await api.call("PATCH", `${api.jobs}/a`, { body: patch, type });
      expect(status).toBe(422);
      expect(json.details.causes[0]).toMatchObject({ reason: "FieldValueInvalid", field: "spec.template" });
    });
  });

  describe("spec and status", () => {
    test("a changed spec raises the generation, changed metadata does not", async () => {
      const api = await client();
      await api.create(api.jobs, idleJob("a"));
      expect((await api.patch(`${api.jobs}/a`, { metadata: { labels: { l: "x" } } })).metadata.generation).toBe(1);
      expect((await api.patch(`${api.jobs}/a`, { spec: { suspend: true } })).metadata.generation).toBe(2);
    });

    test("status changes only through its subresource, and nothing else does there", async () => {
      const api = await client();
      await api.create(api.jobs, idleJob("a"));
      expect((await api.patch(`${api.jobs}/a`, { status: { active: 1 } })).status).toEqual({});
      const both = { status: { active: 1 }, spec: { suspend: true } };
      const done = await api.patch(`${api.jobs}/a/status`, both);
      expect(done).toMatchObject({ status: { active: 1 }, spec: { suspend: false }, metadata: { generation: 1 } });
      expect((await api.get(`${api.jobs}/a/status`)).json).toMatchObject({ kind: "Job", status: { active: 1 } });
    });

    test("of a custom kind: the status subresource leaves labels alone too", async () => {
      const api = await client();
      await api.create(api.widgets, widget("a", { spec: { size: 1 } }));
      const patch = { metadata: { labels: { l: "x" } }, spec: { size: 2 }, status: { ready: true } };
      const done = await api.patch(`${api.widgets}/a/status`, patch);
      expect(done).toMatchObject({ spec: { size: 1 }, status: { ready: true }, metadata: { generation: 1 } });
      expect(done.metadata.labels).toBeUndefined();
      expect((await api.patch(`${api.widgets}/a`, patch)).metadata).toMatchObject({
        generation: 2,
        labels: { l: "x" },
      });
    });

    test("a status cannot be created or deleted", async () => {
      const api = await client();
      await api.create(api.jobs, idleJob("a"));
      expect((await api.call("POST", `${api.jobs}/a/status`, { body: {} })).status).toBe(405);
      expect((await api.call("DELETE", `${api.jobs}/a/status`)).status).toBe(405);
    });

    test("a kind without status has no such subresource", async () => {
      const api = await client();
      await api.create(api.configMaps, configMap("a"));
      expect((await api.get(`${api.configMaps}/a/status`)).status).toBe(404);
    });
  });

  describe("patch", () => {
    const [MERGE, JSON_PATCH] = ["application/merge-patch+json", "application/json-patch+json"];

    test("merge: null deletes, the rest is merged, and the version moves", async () => {
      const api = await client();
      const made = await api.create(api.configMaps, configMap("a", { data: { keep: "1", drop: "1" } }));
      const done = await api.patch(`${api.configMaps}/a`, { data: { drop: null, add: "2" } });
      expect(done.data).toEqual({ keep: "1", add: "2" });
      expect(done.metadata.resourceVersion).not.toBe(made.metadata.resourceVersion);
    });

    test("one that changes nothing keeps the version", async () => {
      const api = await client();
      const made = await api.create(api.configMaps, configMap("a"));
      const done = await api.patch(`${api.configMaps}/a`, { data: { k: "v" } });
      expect(done.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
    });

    test("JSON operations are applied in turn", async () => {
      const api = await client();
      await api.create(api.configMaps, configMap("a"));
      const operations = [
        { op: "test", path: "/data/k", value: "v" },
        { op: "add", path: "/data/new", value: "1" },
        { op: "remove", path: "/data/k" },
        { op: "replace", path: "/data/new", value: "2" },
      ];
      expect((await api.patch(`${api.configMaps}/a`, operations, "json")).data).toEqual({ new: "2" });
    });

    test.each([
      ["a failed test", { op: "test", path: "/data/k", value: "other" }],
      ["a missing member to remove", { op: "remove", path: "/data/nope" }],
      ["a missing parent", { op: "add", path: "/nope/nope", value: "1" }],
      ["an unknown operation", { op: "frob", path: "/data/k" }],
    ])("JSON: %s is 422 and changes nothing", async (_, operation) => {
      const api = await client();
      const made = await api.create(api.configMaps, configMap("a"));
      const body = [{ op: "add", path: "/data/first", value: "1" }, operation];
      const { status, json } = await api.call("PATCH", `${api.configMaps}/a`, { body, type: JSON_PATCH });
      expect({ status, reason: json.reason as string }).toEqual({ status: 422, reason: "Invalid" });
      expect((await api.get(`${api.configMaps}/a`)).json).toEqual(made);
    });

    test("strategic: conditions are merged by their type", async () => {
      const api = await client();
      await api.create(api.jobs, idleJob("a"));
      const conditions = { status: { conditions: [condition("Suspended", "True"), condition("Other", "True")] } };
      await api.patch(`${api.jobs}/a/status`, conditions, "strategic-merge");
      const next = { status: { conditions: [condition("Suspended", "False")] } };
      const done = await api.patch(`${api.jobs}/a/status`, next, "strategic-merge");
      const states = (done.status.conditions as Json[]).map(
        ({ type, status }) => `${type as string}=${status as string}`,
      );
      expect(states.sort()).toEqual(["Other=True", "Suspended=False"]);
    });

    test("strategic: finalizers are united, and taken out by name", async () => {
      const api = await client();
      await api.create(api.configMaps, configMap("a", { finalizers: ["contract.test/one"] }));
      const add = { metadata: { finalizers: ["contract.test/two"] } };
      const united = await api.patch(`${api.configMaps}/a`, add, "strategic-merge");
      expect((united.metadata.finalizers as string[]).toSorted()).toEqual(["contract.test/one", "contract.test/two"]);
      const remove = {
        metadata: { "$deleteFromPrimitiveList/finalizers": ["contract.test/one", "contract.test/two"] },
      };
      const done = await api.patch(`${api.configMaps}/a`, remove, "strategic-merge");
      expect(done.metadata.finalizers).toBeUndefined();
    });

    test("strategic on a custom kind is 415", async () => {
      const api = await client();
      await api.create(api.widgets, widget("a"));
      const type = "application/strategic-merge-patch+json";
      const { status, json } = await api.call("PATCH", `${api.widgets}/a`, { body: { spec: { size: 1 } }, type });
      expect({ status, reason: json.reason as string }).toEqual({ status: 415, reason: "UnsupportedMediaType" });
    });

    test("of an unknown type is 415", async () => {
      const api = await client();
      await api.create(api.configMaps, configMap("a"));
      const { status } = await api.call("PATCH", `${api.configMaps}/a`, { body: {}, type: "application/json" });
      expect(status).toBe(415);
    });

    test("at an old version is 409 Conflict", async () => {
      const api = await client();
      const made = await api.create(api.configMaps, configMap("a"));
      await api.patch(`${api.configMaps}/a`, { data: { k: "2" } });
      const body = { metadata: { resourceVersion: made.metadata.resourceVersion as string }, data: { k: "3" } };
      const { status, json } = await api.call("PATCH", `${api.configMaps}/a`, { body, type: MERGE });
      expect({ status, reason: json.reason as string }).toEqual({ status: 409, reason: "Conflict" });
    });

    test.each([
      ["another name", { metadata: { name: "b" } }, 400],
      ["another uid", { metadata: { uid: "11111111-1111-4111-8111-111111111111" } }, 422],
    ])("to %s is refused", async (_, body, expected) => {
      const api = await client();
      await api.create(api.configMaps, configMap("a"));
      expect((await api.call("PATCH", `${api.configMaps}/a`, { body, type: MERGE })).status).toBe(expected);
    });

    test("of a missing object is 404, of a collection 405", async () => {
      const api = await client();
      expect((await api.call("PATCH", `${api.configMaps}/a`, { body: {}, type: MERGE })).status).toBe(404);
      expect((await api.call("PATCH", api.configMaps, { body: {}, type: MERGE })).status).toBe(405);
    });

    test("that is no JSON is 400", async () => {
      const api = await client();
      await api.create(api.configMaps, configMap("a"));
      expect((await api.call("PATCH", `${api.configMaps}/a`, { body: "nonsense", type: MERGE })).status).toBe(400);
    });
  });
}
