import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { resources } from "../../../src/resources/index.ts";
import { EmbeddedCluster } from "../../../src/testing/index.ts";
import { addJob, addPod, Judging } from "./rig.ts";

const workloads = { group: "kueue.x-k8s.io", version: "v1beta1", kind: "Workload", resource: "workloads" };

function addLock(cluster: EmbeddedCluster, holderIdentity: string): void {
  const metadata = { name: "run", labels: { "captf.io/lease": "run" } };
  const acquireTime = new Date(cluster.clock.now()).toISOString();
  cluster.objects.create(resources.leases, { metadata, spec: { holderIdentity, acquireTime } });
}

describe("what is judged around Jobs", () => {
  let cluster: EmbeddedCluster;
  let judging: Judging;

  beforeEach(async () => {
    cluster = await EmbeddedCluster.start();
    judging = await Judging.start(cluster);
  });
  afterEach(async () => {
    await judging[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  describe("a pod", () => {
    const tracked = { finalizers: ["batch.kubernetes.io/job-tracking"] };

    it("that its Job has left behind is stuck, from when it was deleted", async () => {
      const { uid } = addJob(cluster, "a", { status: { startTime: "2026-01-01T00:00:00Z", active: 1, ready: 1 } });
      addPod(cluster, "a", uid, { metadata: tracked });
      await cluster.settle();
      cluster.objects.delete(resources.pods, "a-x");
      await cluster.settle({ advance: 40_000 });
      cluster.objects.delete(resources.jobs, "a", { propagationPolicy: "Orphan" });
      await cluster.settle({ advance: 600_000 });
      expect(judging.list().map(({ kind, object, state }) => [kind, object.kind, state])).toEqual([
        ["S26", "Pod", "stuck"],
      ]);
      cluster.objects.patch(resources.pods, "a-x", { metadata: { finalizers: null } });
      await cluster.settle();
      expect(judging.list()).toEqual([]);
    });

    it("that nobody has deleted costs no pass", async () => {
      for (let index = 0; index < 100; index += 1) {
        const { uid } = addJob(cluster, `a-${index}`, { status: { startTime: "2026-01-01T00:00:00Z", active: 1 } });
        addPod(cluster, `a-${index}`, uid, { metadata: tracked });
      }
      await cluster.settle();
      expect(judging.passes("pods")).toBe(0);
      cluster.objects.delete(resources.pods, "a-7-x");
      await cluster.settle();
      expect(judging.passes("pods")).toBe(1);
    });
  });

  it("a CronJob that never fires is stuck, as time goes by", async () => {
    const spec = { schedule: "*/5 * * * *", jobTemplate: { spec: {} } };
    cluster.objects.create(resources.cronJobs, { metadata: { name: "export" }, spec });
    await cluster.settle();
    expect(judging.list()).toEqual([]);
    await cluster.settle({ advance: 1_800_000 });
    expect(judging.states()).toEqual(["export S35 stuck critical"]);
  });

  describe("a lock", () => {
    it("is stuck when its holder ends without letting go, and no more when it lets go", async () => {
      const { uid } = addJob(cluster, "plan", { status: { startTime: "2026-01-01T00:00:00Z", active: 1, ready: 1 } });
      addPod(cluster, "plan", uid);
      addLock(cluster, "plan");
      await cluster.settle({ advance: 3_600_000 });
      expect(judging.list()).toEqual([]);
      const lastTransitionTime = new Date(cluster.clock.now()).toISOString();
      cluster.objects.patch(resources.pods, "plan-x", { status: { phase: "Failed" } });
      cluster.objects.patch(resources.jobs, "plan", {
        status: { conditions: [{ type: "Failed", status: "True", lastTransitionTime }] },
      });
      await cluster.settle();
      expect(judging.states()).toEqual(["run S38 watching warning"]);
      await cluster.settle({ advance: 600_000 });
      expect(judging.states()).toEqual(["run S38 stuck warning"]);
      cluster.objects.patch(resources.leases, "run", { spec: { holderIdentity: null } });
      await cluster.settle();
      expect(judging.list()).toEqual([]);
    });

    it("is stuck when there is nobody of its holder's name", async () => {
      addLock(cluster, "nobody");
      await cluster.settle({ advance: 600_000 });
      expect(judging.states()).toEqual(["run S38 stuck warning"]);
    });
  });

  it("goes on where one kind may not be read", async () => {
    cluster.forbid({ resource: "cronjobs" });
    await using apart = await Judging.start(cluster);
    addJob(cluster, "a");
    await cluster.settle({ advance: 300_000 });
    expect(apart.states()).toEqual(["a S01 stuck critical"]);
  });

  it("has no cache of Workloads where they may not be read and Kueue is not installed", async () => {
    await using forbidden = await EmbeddedCluster.start();
    forbidden.forbid({ resource: "workloads" });
    await using apart = await Judging.start(forbidden);
    await forbidden.settle({ advance: 120_000 });
    expect(apart.logged).toEqual([]);
    forbidden.register(workloads);
    await forbidden.settle({ advance: 60_000 });
    expect(apart.logged[0]).toMatch(/^warn list failed/);
  });

  it("begins with Workloads when Kueue is installed, and not before", async () => {
    await cluster.settle({ advance: 120_000 });
    expect(judging.logged).toEqual([]);
    cluster.register(workloads);
    const lastTransitionTime = new Date(cluster.clock.now()).toISOString();
    const { uid } = addJob(cluster, "done", {
      status: { conditions: [{ type: "Complete", status: "True", lastTransitionTime }] },
    });
    const done = { apiVersion: "batch/v1", kind: "Job", name: "done", uid, controller: true };
    const reserved = { type: "QuotaReserved", status: "True", lastTransitionTime };
    cluster.objects.create(workloads, {
      metadata: { name: "w", ownerReferences: [done] },
      status: { conditions: [reserved] },
    });
    await cluster.settle({ advance: 60_000 });
    expect(judging.states()).toEqual(["w S10 watching warning"]);
    await cluster.settle({ advance: 840_000 });
    expect(judging.states()).toEqual(["w S10 stuck warning"]);
  });
});

describe("a parent", () => {
  const runs = { group: "example.com", version: "v1", kind: "Run", resource: "runs", namespaced: true };
  const rules = {
    resource: runs,
    ready: ["Ready"],
    agreeing: [],
    working: [],
    jobs: { nameLabel: "example.com/run", destroyOps: ["destroy"] },
    waits: {},
    schedules: [],
  };

  it.each(["owns", "names in a label"])("is stuck when it says Ready and a Job that it %s has failed", async (join) => {
    await using cluster = await EmbeddedCluster.start();
    cluster.register(runs);
    const condition = (type: string): object => {
      const lastTransitionTime = new Date(cluster.clock.now()).toISOString();
      return { type, status: "True", lastTransitionTime };
    };
    await using judging = await Judging.start(cluster, { parents: [rules] });
    const { metadata: parent } = cluster.objects.create(runs, {
      metadata: { name: "export" },
      status: { conditions: [condition("Ready")] },
    });
    const owner = { apiVersion: "example.com/v1", kind: "Run", name: "export", uid: parent.uid, controller: true };
    const metadata = join === "owns" ? { ownerReferences: [owner] } : { labels: { "example.com/run": "export" } };
    await cluster.settle({ advance: 600_000 });
    expect(judging.list()).toEqual([]);
    addJob(cluster, "export-1", { metadata, status: { conditions: [condition("Failed")] } });
    await cluster.settle();
    expect(judging.states()).toEqual(["export S36 watching warning"]);
    await cluster.settle({ advance: 300_000 });
    expect(judging.states()).toEqual(["export S36 stuck warning"]);
    expect(judging.list()[0]?.owner).toEqual({ kind: "Run", name: "export" });
  });
});
