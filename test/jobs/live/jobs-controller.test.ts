import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { resources } from "../../../src/resources/index.ts";
import { EmbeddedCluster, FATE_ANNOTATION, simulateJobs } from "../../../src/testing/index.ts";
import { addJob, addPod, Judging } from "./rig.ts";

function ownedBy(kind: string, uid = "uid-of-another"): object {
  return { ownerReferences: [{ apiVersion: "batch/v1", kind, name: "export", uid, controller: true }] };
}

const running = { startTime: "2026-01-01T00:00:00Z", active: 1, ready: 1 };

describe("the jobs controller", () => {
  let cluster: EmbeddedCluster;
  let judging: Judging;
  /** Since when the caches have been without their server. */
  let lostAt: number;

  beforeEach(async () => {
    lostAt = Number.POSITIVE_INFINITY;
    cluster = await EmbeddedCluster.start();
    judging = await Judging.start(cluster, { seenUntil: () => Math.min(cluster.clock.now(), lostAt) });
  });
  afterEach(async () => {
    await judging[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  it("looks again at the very moment when an age limit falls due", async () => {
    addJob(cluster, "untouched");
    await cluster.settle();
    expect(judging.states()).toEqual(["untouched S01 watching warning"]);
    await cluster.settle({ advance: 59_999 });
    expect(judging.logged).toEqual([]);
    await cluster.settle({ advance: 1 });
    expect(judging.logged).toEqual(["warn a Job is stuck S01 warning"]);
    await cluster.settle({ advance: 239_999 });
    expect(judging.logged).toHaveLength(1);
    await cluster.settle({ advance: 1 });
    expect(judging.logged.at(-1)).toBe("warn a Job is stuck S01 critical");
  });

  it("costs no timer for healthy Jobs, and one for a deadline", async () => {
    const { uid } = addJob(cluster, "running", { status: running });
    addPod(cluster, "running", uid);
    addJob(cluster, "finished", { status: { conditions: [{ type: "Complete", status: "True" }] } });
    await cluster.settle();
    expect(judging.waiting()).toEqual([]);
    const limited = addJob(cluster, "limited", { spec: { activeDeadlineSeconds: 600 }, status: running });
    addPod(cluster, "limited", limited.uid);
    await cluster.settle();
    expect(judging.waiting()).toEqual(["jobs default/limited StuckJobAge 600000"]);
    await cluster.settle({ advance: 720_000 });
    expect(judging.states()).toEqual(["limited S19 stuck warning"]);
  });

  it("looks through no runs of a CronJob for a run that has succeeded while none of them is stuck", async () => {
    const lastTransitionTime = "2026-01-01T00:00:00Z";
    const status = { ...running, active: 0, conditions: [{ type: "Complete", status: "True", lastTransitionTime }] };
    const spec = { schedule: "0 0 1 1 *", jobTemplate: { spec: {} } };
    const { uid } = cluster.objects.create(resources.cronJobs, { metadata: { name: "export" }, spec }).metadata;
    for (const name of ["export-1", "export-2"]) addJob(cluster, name, { metadata: ownedBy("CronJob", uid), status });
    // Who judges CronJobs looks through their runs.
    cluster.forbid({ resource: "cronjobs" });
    await using apart = await Judging.start(cluster);
    const jobs = [...apart.manager.informers()].find(({ resource }) => resource.resource === "jobs");
    const looks = vi.spyOn(jobs?.lister as NonNullable<typeof jobs>["lister"], "ownedBy");
    cluster.objects.patch(resources.jobs, "export-2", { metadata: { labels: { touched: "yes" } } });
    await cluster.settle();
    expect(looks).not.toHaveBeenCalled();
  });

  it("follows a Job from a missing image to its recovery by its pods", async () => {
    const stopJobs = simulateJobs(cluster);
    addJob(cluster, "thumbnails", { fate: "image-pull-fails" });
    await cluster.settle({ advance: 599_999 });
    expect(judging.states()).toEqual(["thumbnails S13 watching warning"]);
    await cluster.settle({ advance: 1 });
    expect(judging.logged.at(-1)).toBe("warn a Job is stuck S13 warning");
    expect(judging.states()).toEqual(["thumbnails S13 stuck warning"]);
    cluster.objects.patch(resources.jobs, "thumbnails", { metadata: { annotations: { [FATE_ANNOTATION]: null } } });
    await cluster.settle({ advance: 15_000 });
    expect(judging.states()).toEqual([]);
    expect(judging.logged.at(-1)).toBe("info a Job is no longer stuck S13");
    stopJobs();
  });

  it("forgets a Job that is deleted, and judges one of the same name anew", async () => {
    addJob(cluster, "untouched");
    await cluster.settle({ advance: 60_000 });
    cluster.objects.delete(resources.jobs, "untouched");
    await cluster.settle();
    expect(judging.states()).toEqual([]);
    expect(judging.logged.at(-1)).toBe("info a stuck Job was deleted S01");
    addJob(cluster, "untouched");
    await cluster.settle();
    expect(judging.states()).toEqual(["untouched S01 watching warning"]);
  });

  it("writes nothing", async () => {
    addJob(cluster, "untouched");
    const version = cluster.currentVersion();
    await cluster.settle({ advance: 600_000 });
    expect(judging.states()).toEqual(["untouched S01 stuck critical"]);
    expect(cluster.currentVersion()).toBe(version);
  });

  it("alerts nobody of what is silenced, until the silence ends", async () => {
    const until = new Date(cluster.clock.now() + 3_600_000).toISOString().slice(0, 19);
    addJob(cluster, "quiet", {
      metadata: { annotations: { "stalewatch.dev/silence": `S13=2020-01-01, S01=${until}Z` } },
    });
    await cluster.settle({ advance: 600_000 });
    expect(judging.states()).toEqual(["quiet S01 stuck critical"]);
    expect(judging.list()[0]).toMatchObject({ silencedUntil: `${until}Z` });
    expect(judging.logged).toEqual([]);
    await cluster.settle({ advance: 3_000_000 });
    expect(judging.list()[0]).not.toHaveProperty("silencedUntil");
    expect(judging.logged).toEqual(["warn a Job is stuck S01 critical"]);
  });

  it("eases a run of a CronJob when a later run succeeds, and no other Job", async () => {
    const spec = { schedule: "0 0 1 1 *", jobTemplate: { spec: {} } };
    const cronJob = cluster.objects.create(resources.cronJobs, { metadata: { name: "export" }, spec });
    addJob(cluster, "run-1", { metadata: ownedBy("CronJob", cronJob.metadata.uid) });
    addJob(cluster, "step-1", { metadata: ownedBy("Workflow") });
    await cluster.settle({ advance: 300_000 });
    expect(judging.states()).toEqual(["run-1 S01 stuck critical", "step-1 S01 stuck critical"]);
    const succeeded = { conditions: [{ type: "Complete", status: "True" }] };
    addJob(cluster, "run-2", { metadata: ownedBy("CronJob", cronJob.metadata.uid), status: succeeded });
    addJob(cluster, "step-2", { metadata: ownedBy("Workflow"), status: succeeded });
    await cluster.settle();
    expect(judging.states()).toEqual(["step-1 S01 stuck critical", "run-1 S01 stuck info"]);
    expect(judging.list()[1]?.evidence.at(-1)).toBe("Job default/run-2, a later run, has succeeded");
  });

  /** Five minutes of a Job that nobody touches; the cache may lose its server after half a minute. */
  async function leaveUntouched(connected: boolean): Promise<void> {
    addJob(cluster, "a");
    await cluster.settle({ advance: 29_000 });
    if (!connected) lostAt = cluster.clock.now();
    await cluster.settle({ advance: 271_000 });
  }

  describe("a Job that nobody has touched for five minutes", () => {
    it("is stuck while the cache hears its server", async () => {
      await leaveUntouched(true);
      expect(judging.states()).toEqual(["a S01 stuck critical"]);
    });

    it("is not called stuck while the cache does not, and is soon after it does again", async () => {
      await leaveUntouched(false);
      expect(judging.states()).toEqual(["a S01 watching warning"]);
      expect(judging.logged).toEqual([]);
      lostAt = Number.POSITIVE_INFINITY;
      await cluster.settle({ advance: 5_000 });
      expect(judging.states()).toEqual(["a S01 stuck critical"]);
    });
  });
});
