import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { kindsInFiles, judgeOnce, readDump } from "../../src/dump/index.ts";
import { genericParent } from "../../src/jobs/index.ts";
import { CREATED } from "../jobs/objects.ts";
import { doneJob, jsonList, NOW, wireJob, type WireObject, wirePod } from "./files.ts";
import { end, listed, replay } from "./recordings.ts";

const kinds = kindsInFiles({
  parents: [
    genericParent({ group: "batch.volcano.sh", version: "v1alpha1", kind: "Job", resource: "jobs", namespaced: true }),
  ],
});

/** A Job of another group, whose plural and kind are the same. */
function volcanoJob(name: string, metadata: object = {}): WireObject {
  return {
    apiVersion: "batch.volcano.sh/v1alpha1",
    kind: "Job",
    metadata: { ...wireJob(name).metadata, uid: `uid-of-volcano-${name}`, ...metadata },
  };
}

describe("a kind of another group with the plural of Jobs", () => {
  it("is counted apart, and what is stuck of it is no Job", async () => {
    const controller = { apiVersion: "batch.volcano.sh/v1alpha1", kind: "Job", name: "a", uid: "uid-of-volcano-a" };
    const run = doneJob("b");
    const owned = { ...run, metadata: { ...run.metadata, ownerReferences: [{ ...controller, controller: true }] } };
    const deleted = volcanoJob("a", { deletionTimestamp: CREATED, finalizers: ["example.com/destroy"] });
    const stdin = Readable.from([Buffer.from(jsonList([owned, deleted]))]);
    const { snapshot } = await readDump({ paths: ["-"], stdin, kinds: kinds.kept, now: NOW });
    const answer = judgeOnce(snapshot, { kinds, now: NOW, rules: [], namespaces: [], all: false });
    expect(answer).toMatchObject({
      objects: { jobs: 1, pods: 0, "jobs.batch.volcano.sh": 1 },
      healthy: 1,
      findings: [{ kind: "S37", object: { apiVersion: "batch.volcano.sh/v1alpha1", name: "a" } }],
    });
  });

  it("falls due apart from it in a replay", async () => {
    const job = wireJob("a");
    const list = listed(0, [job, wirePod("a-x", job, "ImagePullBackOff"), volcanoJob("a")]);
    const { answer } = await replay([list, end(20)], { kinds });
    expect(answer.final.map(({ kind }) => kind)).toEqual(["S13"]);
  });
});
