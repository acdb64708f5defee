import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { resources } from "../../../src/resources/index.ts";
import { EmbeddedCluster } from "../../../src/testing/index.ts";
import { addJob, Judging } from "./rig.ts";

const QUOTA = 'pods "a-x" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=4, limited: pods=4';

describe("what is read about suspects", () => {
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

  /** A Job that has started and was given no pod. */
  function addWithoutPods(name: string): { uid: string } {
    return addJob(cluster, name, { status: { startTime: "2026-01-01T00:00:00Z" } });
  }

  function refuse(job: string, uid: string): void {
    const at = new Date(cluster.clock.now()).toISOString();
    cluster.objects.create(resources.events, {
      metadata: { name: `${job}.refused` },
      involvedObject: { kind: "Job", namespace: "default", name: job, uid },
      type: "Warning",
      reason: "FailedCreate",
      message: QUOTA,
      firstTimestamp: at,
      lastTimestamp: at,
      count: 3,
    });
  }

  const readsOf = (resource: string): readonly string[] =>
    judging.evidenceReads.filter((path) => path.includes(`/${resource}?`));

  it("is the events about the suspect alone, and only once it is one", async () => {
    const { uid } = addWithoutPods("a");
    refuse("a", uid);
    await cluster.settle({ advance: 29_000 });
    expect(judging.evidenceReads).toEqual([]);
    await cluster.settle({ advance: 1_000 });
    expect(readsOf("events")).toHaveLength(1);
    expect(readsOf("events")[0]).toContain(`fieldSelector=involvedObject.uid=${uid}`);
    expect(judging.states()).toEqual(["a S03 watching warning"]);
  });

  it("is told with no verdict in between: nobody hears of a guess", async () => {
    const { uid } = addWithoutPods("a");
    refuse("a", uid);
    await cluster.settle({ advance: 600_000 });
    expect(judging.logged).toEqual(["warn a Job is stuck S03 warning"]);
  });

  it("is read again while the finding lasts, since nothing tells of a change", async () => {
    const { uid } = addWithoutPods("a");
    await cluster.settle({ advance: 90_000 });
    refuse("a", uid);
    await cluster.settle({ advance: 60_000 });
    expect(judging.states()).toEqual(["a S03 watching warning"]);
  });

  it("is one list for many suspects of a namespace", async () => {
    for (let index = 0; index < 200; index += 1) {
      const { uid } = addWithoutPods(`a-${index}`);
      refuse(`a-${index}`, uid);
    }
    await cluster.settle({ advance: 40_000 });
    expect(readsOf("events").length).toBeLessThan(5);
    expect(new Set(judging.states().map((line) => line.split(" ")[1]))).toEqual(new Set(["S03"]));
  });

  it("is left out when forbidden, says which rule to add, and is not asked for again and again", async () => {
    cluster.forbid({ resource: "events" });
    addWithoutPods("a");
    await cluster.settle({ advance: 550_000 });
    expect(readsOf("events")).toHaveLength(1);
    const note =
      'may not list events in default: add to a Role in default: {apiGroups: [""], resources: ["events"], verbs: ["list"]}';
    expect(judging.evidence.notes()).toEqual([note]);
    expect(judging.list().map(({ evidence }) => evidence.at(-1))).toEqual([note]);
    await cluster.settle({ advance: 300_000 });
    expect(readsOf("events")).toHaveLength(2);
  });

  it("is waited for no longer than ten seconds", async () => {
    cluster.faults.slowRequests({ match: { resource: "events" }, ms: 60_000, times: 1 });
    addJob(cluster, "a");
    await cluster.settle({ advance: 60_000 });
    expect(judging.states()).toEqual(["a S01 stuck warning"]);
  });

  it("does not make anybody forget since when what it hides for a while has been so", async () => {
    const { uid } = addJob(cluster, "a", {
      spec: { completionMode: "Indexed", completions: 2 },
      status: { startTime: "2026-01-01T00:00:00Z", failedIndexes: "1" },
    });
    await cluster.settle({ advance: 3_600_000 });
    const [before] = judging.list();
    expect(before).toMatchObject({ kind: "S40", state: "stuck", since: "2026-01-01T00:00:00Z" });
    refuse("a", uid);
    await cluster.settle({ advance: 600_000 });
    expect(judging.states()).toEqual(["a S03 stuck warning"]);
    cluster.objects.delete(resources.events, "a.refused");
    await cluster.settle({ advance: 60_000 });
    expect(judging.list()[0]).toMatchObject({ kind: "S40", state: "stuck", since: "2026-01-01T00:00:00Z" });
  });

  it("is nothing for a Job that never was a suspect", async () => {
    addJob(cluster, "done", { status: { conditions: [{ type: "Complete", status: "True" }] } });
    addJob(cluster, "asleep", { spec: { suspend: true } });
    await cluster.settle({ advance: 10_000 });
    expect(judging.evidenceReads).toEqual([]);
  });
});
