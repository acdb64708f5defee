import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { kindsInFiles, replayRecording, type Replayed } from "../../src/dump/index.ts";
import { CREATED } from "../jobs/objects.ts";
import { doneJob, folderOf, wireJob, wirePod, type WireObject } from "./files.ts";
import { after, end, event, listed, replay, until } from "./recordings.ts";

/** `raised S13 warning 10:00`, with minutes and seconds since `CREATED`. */
function told({ answer }: Replayed): readonly string[] {
  return answer.transitions.map(({ at, change, finding: { kind, severity } }) => {
    return `${change} ${kind} ${severity} ${(Date.parse(at) - Date.parse(CREATED)) / 60_000}`;
  });
}

/** As findings say it. */
function seconds(time: string): string {
  return time.replace(/\.\d+Z$/, "Z");
}

const job = wireJob("a");
const pulling = wirePod("a-x", job, "ImagePullBackOff");
const starting = wirePod("a-x", job, "ContainerCreating");

describe("a replay", () => {
  it("raises and escalates when time alone says so, and clears with the event that ends it", async () => {
    const replayed = await replay([listed(0, [job, pulling]), event(41, "MODIFIED", starting), end(60)]);
    expect(told(replayed)).toEqual(["raised S13 warning 10", "escalated S13 critical 30", "cleared S13 critical 41"]);
    expect(replayed.answer.final).toEqual([]);
    expect(replayed.failure).toBeUndefined();
  });

  it("judges at an event, and else at steps", async () => {
    const lines = [listed(0.05, [job, pulling]), end(12)];
    expect(told(await replay(lines, { stepMs: 60_000 }))).toEqual(["raised S13 warning 10.05"]);
    expect(told(await replay([...lines.slice(0, 1), event(10.01, "ADDED", doneJob("b")), end(12)]))).toEqual([
      "raised S13 warning 10.01",
    ]);
  });

  it("says what is found at the end, with its age then", async () => {
    const { answer } = await replay([listed(0, [job, pulling]), end(20)]);
    expect(answer.final).toMatchObject([{ kind: "S13", object: { name: "a" }, since: CREATED, ageSeconds: 1_200 }]);
  });

  it("goes on to another end when it is told to, or ends before", async () => {
    const lines = [listed(0, [job, pulling]), event(41, "MODIFIED", starting), end(41)];
    expect(told(await replay(lines, until(20)))).toEqual(["raised S13 warning 10"]);
    expect(told(await replay(lines.slice(0, 1), until(31)))).toEqual([
      "raised S13 warning 10",
      "escalated S13 critical 30",
    ]);
  });

  it("knows from a list what is gone", async () => {
    const gone = await replay([listed(0, [job, pulling]), listed(15, [], "JobList"), end(60)]);
    expect(told(gone)).toEqual(["raised S13 warning 10", "cleared S13 warning 15"]);
    const elsewhere = { ...listed(15, [], "JobList"), namespace: "other" };
    expect(told(await replay([listed(0, [job, pulling]), elsewhere, end(20)]))).toEqual(["raised S13 warning 10"]);
  });

  it("says nothing new of what could not be read, nor that it is gone", async () => {
    const { apiVersion, kind, metadata } = job;
    const unread = { apiVersion, kind, metadata };
    const changed = { ...event(15, "MODIFIED", unread), unreadable: "status.active: not a number" };
    const from = listed(0, [job, pulling]);
    expect(told(await replay([from, changed, end(60)]))).toEqual(["raised S13 warning 10"]);
    expect(told(await replay([{ ...from, unreadable: [{ object: unread, why: "x" }] }, end(60)]))).toEqual([]);
    const nameless = { ...listed(15, [], "JobList"), unreadable: [{ why: "it has no metadata" }] };
    expect(told(await replay([from, nameless, end(20)]))).toEqual(["raised S13 warning 10"]);
    const back = await replay([from, changed, event(20, "MODIFIED", doneJob("a")), end(60)]);
    expect(told(back)).toEqual(["raised S13 warning 10", "cleared S13 warning 20"]);
  });

  it("takes a deletion, and what comes back under the name", async () => {
    const lines = [listed(0, [job, pulling]), event(15, "DELETED", job), event(16, "ADDED", job), end(20)];
    expect(told(await replay(lines))).toEqual([
      "raised S13 warning 10",
      "cleared S13 warning 15",
      "raised S13 warning 16",
    ]);
  });

  it("passes over kinds of no interest, bookmarks and passes", async () => {
    const other = { apiVersion: "v1", kind: "Service", metadata: { name: "s" } };
    const bookmark = { apiVersion: "batch/v1", kind: "Job", metadata: { resourceVersion: "12" } };
    const pass = { at: after(1), type: "PASS", controller: "jobs", key: "shop/a" };
    const lines = [
      listed(0, [doneJob("a"), other]),
      event(1, "BOOKMARK", bookmark),
      pass,
      event(2, "ADDED", other),
      end(3),
    ];
    expect(await replay(lines)).toEqual({
      answer: { transitions: [], final: [], caches: [] },
      failure: undefined,
      beganAt: Date.parse(CREATED),
    });
  });

  it("begins to judge when Jobs and pods are listed, whatever is listed first", async () => {
    const cronJob = {
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata: { name: "c", namespace: "shop", uid: "uid-of-c", resourceVersion: "9", creationTimestamp: after(-600) },
      spec: { schedule: "0 * * * *", concurrencyPolicy: "Forbid", suspend: true },
      status: { lastScheduleTime: after(-120), active: [{ kind: "Job", name: "a", uid: "uid-of-a" }] },
    };
    const ownerReferences = [{ apiVersion: "batch/v1", kind: "CronJob", name: "c", uid: "uid-of-c", controller: true }];
    const active = wireJob("a");
    const owned = { ...active, metadata: { ...active.metadata, ownerReferences } };
    const lists = [listed(0, [cronJob]), listed(0.01, [owned]), listed(0.02, [wirePod("a-x", owned, "Pulling")])];
    expect(told(await replay([...lists, end(3)]))).toEqual([]);
    const ghost = await replay([listed(0, [cronJob]), end(3)]);
    expect(told(ghost).map((one) => one.split(" ").slice(0, 3).join(" "))).toEqual(["raised S33 critical"]);
  });

  it("judges again whoever asked for a kind of which nothing was known yet", async () => {
    const lock = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "lock-tfstate-default-x", namespace: "shop", uid: "uid-of-l", resourceVersion: "9" },
      spec: { holderIdentity: "gone", acquireTime: after(-60) },
    };
    const pods = {
      ...listed(0, [], "PodList"),
      object: { apiVersion: "v1", kind: "PodList", metadata: {}, items: [] },
    };
    expect(told(await replay([listed(0, [lock]), pods, end(1)]))).toEqual([]);
    expect(told(await replay([listed(0, [lock]), pods, listed(0.5, [], "JobList"), end(1)]))).toEqual([
      "raised S38 critical 0.5",
    ]);
  });

  it("counts what is only observed from when it was last seen to begin", async () => {
    const pod = wirePod("a-x", job, "ContainerCreating");
    const lines = [listed(0, [job]), event(0.5, "ADDED", pod), event(20, "DELETED", pod), end(22)];
    const { answer } = await replay(lines);
    expect(answer.final).toMatchObject([{ kind: "S25", sinceSource: "observed", ageSeconds: 120 }]);
  });

  describe("remembers since when", () => {
    const spec = { completionMode: "Indexed", completions: 2, parallelism: 1 };
    const startTime = after(-60);
    const blocked = wireJob("a", { spec, status: { startTime, failedIndexes: "1" } });
    const none = { ...listed(0, []), object: { apiVersion: "v1", kind: "PodList", metadata: {}, items: [] } };

    it("something has been so while something else hides it", async () => {
      const refusal = {
        apiVersion: "v1",
        kind: "Event",
        metadata: {
          name: "a.1",
          namespace: "shop",
          uid: "uid-of-e",
          resourceVersion: "12",
          creationTimestamp: after(-30),
        },
        involvedObject: { apiVersion: "batch/v1", kind: "Job", namespace: "shop", name: "a", uid: "uid-of-a" },
        type: "Warning",
        reason: "FailedCreate",
        message:
          'Error creating: pods "a-x" is forbidden: exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1',
        firstTimestamp: after(-30),
        lastTimestamp: after(4),
        count: 5,
      };
      const lines = [listed(0, [blocked]), none, event(5, "ADDED", refusal), event(8, "DELETED", refusal), end(60)];
      const { answer } = await replay(lines);
      expect(answer.transitions.map(({ finding: { kind } }) => kind)).toEqual(["S03", "S03", "S40"]);
      expect(answer.final).toMatchObject([{ kind: "S40", since: seconds(after(0)) }]);
    });

    it("and begins anew with what comes back, whatever else has gone on", async () => {
      const counted = { ...blocked, status: { ...blocked.status, active: 1 } };
      const lines = [
        listed(0, [blocked]),
        none,
        event(0.2, "MODIFIED", counted),
        event(0.5, "MODIFIED", blocked),
        end(90),
      ];
      expect((await replay(lines)).answer.final).toMatchObject([{ kind: "S40", since: seconds(after(0.5)) }]);
    });
  });

  it("reads what is compressed", async () => {
    const text = [listed(0, [job, pulling]), end(12)].map((line) => JSON.stringify(line)).join("\n");
    const folder = folderOf({ "r.ndjson.gz": gzipSync(text) });
    const options = { kinds: kindsInFiles(), stepMs: 10_000, until: undefined, rules: [] };
    expect(told(await replayRecording(join(folder, "r.ndjson.gz"), options))).toEqual(["raised S13 warning 10"]);
  });

  it.each([
    ["no JSON", "{", "cannot be read"],
    ["no time", { type: "END" }, 'it has no "at"'],
    ["a time that is none", { at: "soon", type: "END" }, 'its "at" is no time'],
    ["a type that nobody knows", { at: after(11), type: "MOVED" }, 'of no type that is known: "MOVED"'],
    ["no object", { at: after(11), type: "ADDED" }, 'it has no "object"'],
    ["an object without a kind", event(11, "ADDED", { metadata: {} } as WireObject), "no apiVersion or no kind"],
    ["an object that does not read", event(11, "ADDED", wireJob("a", { spec: { parallelism: "1" } })), "parallelism"],
    ["a time before the line before", listed(-1, []), "older than the line before it"],
    [
      "samples without a value",
      { at: after(11), type: "TARGET", target: "kcm", samples: [{}] },
      "a sample has no name",
    ],
  ])("names the line that has %s, and loses nothing before it", async (_, line, why) => {
    const { answer, failure } = await replay([
      listed(0, [job, pulling]),
      event(10, "ADDED", doneJob("b")),
      line,
      end(60),
    ]);
    expect(failure).toMatchObject({
      code: "BAD_RECORDING",
      message: expect.stringContaining(" line 3 cannot be ") as string,
    });
    expect(failure?.message).toContain(why);
    expect(answer.transitions.map(({ change }) => change)).toEqual(["raised"]);
  });
});
