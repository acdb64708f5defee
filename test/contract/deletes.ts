import { describe, expect, test } from "vitest";
import { type Answer, type Client, configMap, idleJob, type Json, names, pod } from "./target.ts";

const FINALIZER = "contract.test/hold";

function remove(api: Client, path: string, options?: object): Promise<Answer> {
  return api.call("DELETE", path, options === undefined ? {} : { body: options });
}

async function gone(api: Client, path: string): Promise<void> {
  await api.until(`${path} to be gone`, async () => (await api.get(path)).status === 404);
}

/** An owner, and a dependent that names it. */
async function family(api: Client, options: { blocks?: boolean; finalizers?: string[] } = {}): Promise<void> {
  const { blocks = true, finalizers = [] } = options;
  const owner = await api.create(api.jobs, idleJob("owner"));
  const ownerReference = {
    apiVersion: "batch/v1",
    kind: "Job",
    name: "owner",
    uid: owner.metadata.uid as string,
    controller: true,
    blockOwnerDeletion: blocks,
  };
  await api.create(api.configMaps, configMap("child", { ownerReferences: [ownerReference], finalizers }));
  await api.create(api.configMaps, configMap("bystander"));
}

export function deletesContract(client: () => Promise<Client>): void {
  describe("delete", () => {
    test("at once: a Status that names the object and its uid", async () => {
      const api = await client();
      const { metadata } = await api.create(api.jobs, idleJob("a"));
      const { status, json } = await remove(api, `${api.jobs}/a`, { propagationPolicy: "Background" });
      expect(status).toBe(200);
      expect(json).toEqual({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Success",
        details: { name: "a", group: "batch", kind: "jobs", uid: metadata.uid as string },
      });
      expect((await api.get(`${api.jobs}/a`)).status).toBe(404);
    });

    test("of a missing object is 404", async () => {
      const api = await client();
      expect((await remove(api, `${api.jobs}/a`)).status).toBe(404);
    });

    test.each([
      ["uid", { uid: "11111111-1111-4111-8111-111111111111" }, "the UID in the precondition"],
      ["version", { resourceVersion: "1" }, "the ResourceVersion in the precondition (1)"],
    ])("with another %s than expected is 409 Conflict", async (_, preconditions, why) => {
      const api = await client();
      await api.create(api.configMaps, configMap("a"));
      const { status, json } = await remove(api, `${api.configMaps}/a`, { preconditions });
      expect({ status, reason: json.reason as string }).toEqual({ status: 409, reason: "Conflict" });
      expect(json.message).toContain(why);
      expect((await api.get(`${api.configMaps}/a`)).status).toBe(200);
    });

    test("with the expected uid and version goes through", async () => {
      const api = await client();
      const { metadata } = await api.create(api.configMaps, configMap("a"));
      const preconditions = { uid: metadata.uid as string, resourceVersion: metadata.resourceVersion as string };
      expect((await remove(api, `${api.configMaps}/a`, { preconditions })).status).toBe(200);
    });

    test("an unknown propagation policy is 422", async () => {
      const api = await client();
      await api.create(api.configMaps, configMap("a"));
      const { status, json } = await remove(api, `${api.configMaps}/a`, { propagationPolicy: "Sideways" });
      expect({ status, reason: json.reason as string }).toEqual({ status: 422, reason: "Invalid" });
    });

    test("a collection: what the selector matches, and nothing else", async () => {
      const api = await client();
      await api.create(api.configMaps, configMap("a", { labels: { l: "x" } }));
      await api.create(api.configMaps, configMap("b"));
      const answer = await remove(api, `${api.configMaps}?labelSelector=l%3Dx`);
      expect(answer.status).toBe(200);
      expect(names(await api.get(api.configMaps))).toEqual(["b"]);
    });
  });

  describe("finalizers", () => {
    test("keep the object, marked, until the last is taken off", async () => {
      const api = await client();
      await api.create(api.jobs, idleJob("a", {}, { finalizers: [FINALIZER, "contract.test/other"] }));
      const { status, json } = await remove(api, `${api.jobs}/a`, { propagationPolicy: "Background" });
      expect(status).toBe(200);
      expect(json).toMatchObject({ kind: "Job", metadata: { generation: 2, deletionGracePeriodSeconds: 0 } });
      expect(json.metadata.deletionTimestamp).toBeDefined();
      await api.patch(`${api.jobs}/a`, { metadata: { finalizers: [FINALIZER] } });
      expect((await api.get(`${api.jobs}/a`)).status).toBe(200);
      await api.patch(`${api.jobs}/a`, { metadata: { finalizers: null } });
      expect((await api.get(`${api.jobs}/a`)).status).toBe(404);
    });

    test("a second delete changes nothing", async () => {
      const api = await client();
      await api.create(api.jobs, idleJob("a", {}, { finalizers: [FINALIZER] }));
      const first = await remove(api, `${api.jobs}/a`, { propagationPolicy: "Background" });
      const second = await remove(api, `${api.jobs}/a`, { propagationPolicy: "Background" });
      expect(second.json.metadata.resourceVersion).toBe(first.json.metadata.resourceVersion);
      await api.patch(`${api.jobs}/a`, { metadata: { finalizers: null } });
    });

    test("none can be added once the object is being deleted", async () => {
      const api = await client();
      await api.create(api.configMaps, configMap("a", { finalizers: [FINALIZER] }));
      await remove(api, `${api.configMaps}/a`);
      const body = { metadata: { finalizers: [FINALIZER, "contract.test/late"] } };
      const answer = await api.call("PATCH", `${api.configMaps}/a`, { body, type: "application/merge-patch+json" });
      expect(answer.status).toBe(422);
      expect(answer.json.message).toContain("no new finalizers can be added if the object is being deleted");
      await api.patch(`${api.configMaps}/a`, { metadata: { finalizers: null } });
    });

    test("watches see the mark as MODIFIED and the end as DELETED", async () => {
      const api = await client();
      const { metadata } = await api.create(api.configMaps, configMap("a", { finalizers: [FINALIZER] }));
      const watch = await api.watch(`${api.configMaps}?watch=1&resourceVersion=${metadata.resourceVersion as string}`);
      await remove(api, `${api.configMaps}/a`);
      await api.patch(`${api.configMaps}/a`, { metadata: { finalizers: null } });
      await api.until("the end", () => watch.types.includes("DELETED"));
      watch.stop();
      expect(watch.types).toEqual(["MODIFIED", "DELETED"]);
      expect(watch.frames[0]?.object.metadata.deletionTimestamp).toBeDefined();
    });
  });

  describe("grace of pods", () => {
    test("none for a pod that runs nowhere; the answer is the pod", async () => {
      const api = await client();
      await api.create(api.pods, pod("a"));
      const { json } = await remove(api, `${api.pods}/a`);
      expect(json).toMatchObject({ kind: "Pod", metadata: { name: "a", deletionGracePeriodSeconds: 0 } });
      expect((await api.get(`${api.pods}/a`)).status).toBe(404);
    });

    test("none for a pod that has ended", async () => {
      const api = await client();
      await api.create(api.pods, pod("a", { nodeName: "n1" }));
      await api.patch(`${api.pods}/a/status`, { status: { phase: "Succeeded" } });
      await remove(api, `${api.pods}/a`);
      expect((await api.get(`${api.pods}/a`)).status).toBe(404);
    });

    test("a pod on a node is marked with its end, and stays until the kubelet says so", async () => {
      const api = await client();
      await api.create(api.pods, pod("a", { nodeName: "n1", terminationGracePeriodSeconds: 60 }));
      const { json } = await remove(api, `${api.pods}/a`);
      expect(json.metadata.deletionGracePeriodSeconds).toBe(60);
      expect(json.metadata.deletionTimestamp).toBeDefined();
      expect((await api.get(`${api.pods}/a`)).status).toBe(200);
      await remove(api, `${api.pods}/a`, { gracePeriodSeconds: 0 });
      expect((await api.get(`${api.pods}/a`)).status).toBe(404);
    });

    test("a second wish may shorten it, never lengthen it", async () => {
      const api = await client();
      await api.create(api.pods, pod("a", { nodeName: "n1" }));
      await remove(api, `${api.pods}/a`);
      const graceAfter = async (seconds: number): Promise<number> => {
        const { json } = await remove(api, `${api.pods}/a`, { gracePeriodSeconds: seconds });
        return json.metadata.deletionGracePeriodSeconds as number;
      };
      expect(await graceAfter(50)).toBe(30);
      expect(await graceAfter(5)).toBe(5);
      expect(await graceAfter(20)).toBe(5);
      await remove(api, `${api.pods}/a`, { gracePeriodSeconds: 0 });
    });
  });

  describe("propagation", () => {
    test("a Job that is deleted without a word lets its dependents live", async () => {
      const api = await client();
      await api.create(api.jobs, idleJob("a", {}, { finalizers: [FINALIZER] }));
      const { json } = await remove(api, `${api.jobs}/a`);
      expect((json.metadata.finalizers as string[]).toSorted()).toEqual([FINALIZER, "orphan"]);
      await api.patch(`${api.jobs}/a`, { metadata: { finalizers: null } });
    });

    test.each([
      ["Foreground", "foregroundDeletion"],
      ["Orphan", "orphan"],
    ])("%s is a finalizer that the collector takes off", async (propagationPolicy, finalizer) => {
      const api = await client();
      await api.create(api.jobs, idleJob("a"));
      const { json } = await remove(api, `${api.jobs}/a`, { propagationPolicy });
      expect(json.metadata.finalizers).toEqual([finalizer]);
      await gone(api, `${api.jobs}/a`);
    });

    test("Background: the owner goes at once, its dependents after it", async () => {
      const api = await client();
      await family(api);
      await remove(api, `${api.jobs}/owner`, { propagationPolicy: "Background" });
      expect((await api.get(`${api.jobs}/owner`)).status).toBe(404);
      await gone(api, `${api.configMaps}/child`);
      expect(names(await api.get(api.configMaps))).toEqual(["bystander"]);
    });

    test("Foreground: the owner waits for the dependents that block it", async () => {
      const api = await client();
      await family(api, { finalizers: [FINALIZER] });
      await remove(api, `${api.jobs}/owner`, { propagationPolicy: "Foreground" });
      await api.until("the child to be marked", async () => {
        return (await api.get(`${api.configMaps}/child`)).json.metadata.deletionTimestamp as string | undefined;
      });
      expect((await api.get(`${api.jobs}/owner`)).json.metadata.finalizers).toEqual(["foregroundDeletion"]);
      await api.patch(`${api.configMaps}/child`, { metadata: { finalizers: null } });
      await gone(api, `${api.jobs}/owner`);
    });

    test("Orphan: dependents live on without their owner reference", async () => {
      const api = await client();
      await family(api);
      await remove(api, `${api.jobs}/owner`, { propagationPolicy: "Orphan" });
      await gone(api, `${api.jobs}/owner`);
      const child = await api.get(`${api.configMaps}/child`);
      expect(child.status).toBe(200);
      expect(child.json.metadata.ownerReferences).toBeUndefined();
    });

    test("a dependent with another owner that lives is kept", async () => {
      const api = await client();
      await family(api);
      const second = await api.create(api.jobs, idleJob("second"));
      const child = (await api.get(`${api.configMaps}/child`)).json;
      const uid = second.metadata.uid as string;
      const references = [
        ...(child.metadata.ownerReferences as Json[]),
        { apiVersion: "batch/v1", kind: "Job", name: "second", uid },
      ];
      await api.patch(`${api.configMaps}/child`, { metadata: { ownerReferences: references } });
      await remove(api, `${api.jobs}/owner`, { propagationPolicy: "Background" });
      const left = await api.until("the dead owner to be dropped", async () => {
        const now = (await api.get(`${api.configMaps}/child`)).json.metadata.ownerReferences as Json[];
        return now.length === 1 && now;
      });
      expect(left[0].uid).toBe(uid);
    });

    test("a dependent of an owner that never was is deleted", async () => {
      const api = await client();
      const uid = "11111111-1111-4111-8111-111111111111";
      const reference = { apiVersion: "batch/v1", kind: "Job", name: "never", uid };
      await api.create(api.configMaps, configMap("child", { ownerReferences: [reference] }));
      await gone(api, `${api.configMaps}/child`);
    });

    test("a namespace is emptied, then gone; nothing can be made in it meanwhile", async () => {
      const api = await client();
      await api.create(api.configMaps, configMap("a", { finalizers: [FINALIZER] }));
      const path = `/api/v1/namespaces/${api.namespace}`;
      expect((await remove(api, path)).json).toMatchObject({ kind: "Namespace", status: { phase: "Terminating" } });
      const { status, json } = await api.call("POST", api.configMaps, { body: configMap("late") });
      expect({ status, reason: json.reason as string }).toEqual({ status: 403, reason: "Forbidden" });
      expect((json.details.causes as Json[])[0].reason).toBe("NamespaceTerminating");
      await api.patch(`${api.configMaps}/a`, { metadata: { finalizers: null } });
      await gone(api, path);
    });
  });
}
