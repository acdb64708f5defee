import { describe, expect, it } from "vitest";
import { type Job, type Pod, resources } from "../../../src/resources/index.ts";
import { at, CREATED, job, judgeJob, meta, waitingPod } from "../objects.ts";
import { condition, endedPod, look, podOf, time, verdictIn, worldOfScene } from "./scene.ts";

const DAY = 86_400;
const hour = 3_600;

const failed = (type: string): Job["status"] => ({ startTime: CREATED, conditions: [condition(type, 3_500)] });

const restarted = (restartCount: number, startedAt?: number): Pod =>
  podOf({
    spec: { containers: [{ name: "main" }], restartPolicy: "OnFailure" },
    status: {
      phase: "Running",
      startTime: CREATED,
      containerStatuses: [
        {
          name: "main",
          restartCount,
          state:
            startedAt === undefined
              ? { waiting: { reason: "CrashLoopBackOff" } }
              : { running: { startedAt: time(startedAt) } },
          lastState: { terminated: { exitCode: 1 } },
        },
      ],
    },
  });

const listing = (...failed: string[]): Job =>
  job({ status: { startTime: CREATED, uncountedTerminatedPods: { failed } } });

const version = (resourceVersion: string): Job => job({ metadata: { resourceVersion } });

const many = (count: number, phase: string): Pod[] =>
  Array.from({ length: count }, (_, index) =>
    podOf({ metadata: { name: `p-${index}`, uid: `u-${index}` }, status: { phase } }),
  );

describe("S19, the deadline is not enforced", () => {
  const withDeadline = { spec: { activeDeadlineSeconds: 30 } };

  it.each<[string, Job]>([
    ["is suspended: its clock stands", job({ spec: { activeDeadlineSeconds: 30, suspend: true } })],
    ["has failed", job({ ...withDeadline, status: failed("Failed") })],
    ["is about to fail", job({ ...withDeadline, status: failed("FailureTarget") })],
    ["has not started", job({ ...withDeadline, status: { ready: 0 } })],
  ])("is silent about a Job that %s", (_, subject) => {
    expect(look({ job: subject, pods: [podOf()] }, hour)?.kind).not.toBe("S19");
  });

  it("lets pods use their grace period, asks at its end, and not a second later", () => {
    const leaving = podOf({ metadata: { deletionTimestamp: time(hour) } });
    const scene = { job: job(withDeadline), pods: [leaving] };
    expect(look(scene, hour - 1)).toBeUndefined();
    expect(verdictIn(scene, hour - 1).dueAt).toBe(at(hour));
  });

  it("is asked at the deadline, though nothing happens then", () => {
    expect(verdictIn({ job: job(withDeadline), pods: [podOf()] }, 5)).toEqual({
      finding: undefined,
      dueAt: at(30),
      isWhole: true,
    });
    expect(verdictIn({ job: job(), pods: [podOf()] }, 5).dueAt).toBeUndefined();
  });
});

describe("S17, an endless crash loop", () => {
  it("keeps one since from one crash to the next", () => {
    for (const pod of [restarted(6), restarted(7, 3_500), restarted(60)]) {
      expect(look({ job: job(), pods: [pod] }, hour)).toMatchObject({ kind: "S17", since: CREATED, state: "stuck" });
    }
  });

  it("ends when a container has run for ten minutes, and asks at that moment", () => {
    const scene = { job: job(), pods: [restarted(7, 3_000)] };
    expect(verdictIn(scene, 3_100)).toMatchObject({ finding: { kind: "S17" }, dueAt: at(3_600) });
    expect(look(scene, 3_600)).toBeUndefined();
  });

  it.each<[string, Job["spec"], Job["status"]]>([
    ["one has succeeded", {}, { succeeded: 1 }],
    ["each index has its own limit", { backoffLimitPerIndex: 3 }, {}],
    ["five have failed", {}, { failed: 5 }],
  ])("is silent about failing pods when %s", (_, spec, status) => {
    const subject = job({
      spec: { backoffLimit: 2_147_483_647, completions: 9, ...spec },
      status: { startTime: CREATED, active: 1, failed: 6, ...status },
    });
    expect(look({ job: subject, pods: [podOf()] }, DAY)).toBeUndefined();
  });
});

describe("S18, beyond its own history", () => {
  const ownerReferences = [{ apiVersion: "batch/v1", kind: "CronJob", name: "n", uid: "uid-of-n", controller: true }];
  const current = job({ metadata: { ownerReferences }, status: { startTime: CREATED, active: 1, ready: 1 } });
  const runs = (...seconds: number[]): Job[] =>
    seconds.map((long, index) => ({
      metadata: meta(`n-${index}`, { ownerReferences }),
      spec: {},
      status: {
        startTime: time(-DAY),
        completionTime: time(long - DAY),
        conditions: [condition("Complete", long - DAY)],
      },
    }));

  const due = (...seconds: number[]): number | undefined =>
    verdictIn({ job: current, pods: [podOf()], jobs: runs(...seconds) }, 10).dueAt;

  it("takes three times the 95th percentile, and never less than fifteen minutes", () => {
    expect(due(1, 2, 3)).toBe(at(900));
    expect(due(1, 2, 1_000)).toBe(at(3_000));
    expect(due(...Array.from({ length: 40 }, (_, index) => 100 * (index + 1)))).toBe(at(3 * 3_800));
  });

  it.each<[string, Job, Job[]]>([
    ["has a deadline", { ...current, spec: { activeDeadlineSeconds: 9 * DAY } }, runs(1, 2, 3)],
    ["has no pod that is ready", { ...current, status: { startTime: CREATED, active: 1, ready: 0 } }, runs(1, 2, 3)],
    [
      "has an owner whose runs failed",
      current,
      runs(1, 2, 3).map((one) => ({ ...one, status: { ...one.status, conditions: [condition("Failed", 1)] } })),
    ],
  ])("is silent about a Job that %s", (_, subject, jobs) => {
    expect(look({ job: subject, pods: [podOf()], jobs }, DAY)).toBeUndefined();
  });
});

describe("S24, uncounted pods", () => {
  it("is silent about a list that changes with every second", () => {
    const world = worldOfScene({ pods: [podOf()] });
    for (let second = 0; second < 300; second++) {
      const uids = [`uid-${second}`, `uid-${second + 1}`];
      const subject = job({ status: { startTime: CREATED, active: 1, uncountedTerminatedPods: { succeeded: uids } } });
      expect(judgeJob(subject, world, at(second)).finding).toMatchObject({ kind: "S24", state: "watching" });
    }
  });

  it("has observed since when it is the same, in whatever order it is written", () => {
    const world = worldOfScene({ pods: [endedPod(5)] });
    judgeJob(listing("a", "b"), world, at(40));
    expect(judgeJob(listing("b", "a"), world, at(160)).finding).toMatchObject({
      kind: "S24",
      state: "stuck",
      since: time(40),
      sinceSource: "observed",
    });
  });
});

describe("S25, a controller that lags", () => {
  it("starts anew whenever the controller writes, and when the pod comes back", () => {
    const world = worldOfScene({});
    judgeJob(version("10"), world, at(0));
    expect(judgeJob(version("10"), world, at(60)).finding).toMatchObject({ reason: "PodsGone", state: "stuck" });
    expect(judgeJob(version("11"), world, at(61)).finding).toMatchObject({ state: "watching", since: time(61) });
    world.set(resources.pods, podOf());
    expect(judgeJob(version("11"), world, at(70)).finding).toBeUndefined();
  });

  it("lets a Job wait for its back-off with a failed pod that is counted", () => {
    const subject = job({ status: { startTime: CREATED, failed: 1 } });
    expect(look({ job: subject, pods: [endedPod(10, { phase: "Failed" })], events: [] }, 500)).toBeUndefined();
  });

  it("tells ended pods without a finalizer by their number", () => {
    const subject = job({ status: { startTime: CREATED, active: 1 } });
    expect(look({ job: subject, pods: [endedPod(10)] }, 70)).toMatchObject({ reason: "PodsEnded", since: time(10) });
  });

  it("takes an evicted pod's conditions for the end that its containers do not tell", () => {
    const evicted = podOf({
      status: { phase: "Failed", reason: "Evicted", conditions: [condition("Ready", 33, { status: "False" })] },
    });
    expect(look({ job: job(), pods: [evicted] }, 93)).toMatchObject({
      reason: "PodsEnded",
      since: time(33),
      state: "stuck",
    });
  });
});

describe("R, a runaway", () => {
  it("does not count pods that have succeeded", () => {
    const subject = job({ spec: { completions: 200 }, status: { startTime: CREATED, active: 1, succeeded: 150 } });
    expect(look({ job: subject, pods: [...many(150, "Succeeded"), podOf()] }, DAY)).toBeUndefined();
    expect(look({ job: subject, pods: many(71, "Failed") }, DAY)).toMatchObject({ kind: "R" });
  });

  it("allows each index its own failures", () => {
    const spec = { completions: 20, backoffLimitPerIndex: 3, backoffLimit: 0 };
    const subject = job({ spec, status: { startTime: CREATED, active: 1 } });
    expect(look({ job: subject, pods: [...many(400, "Running")] }, DAY)).toBeUndefined();
  });
});

describe("S16, a sidecar that never exits", () => {
  it("is silent while the work itself goes on", () => {
    const pod = waitingPod("");
    pod.status = {
      phase: "Running",
      containerStatuses: [
        { name: "main", state: { running: {} } },
        { name: "proxy", state: { running: {} } },
      ],
    };
    expect(look({ job: job(), pods: [pod] }, DAY)).toBeUndefined();
  });

  it("is silent about a container that crashed beside a running one", () => {
    const pod = podOf({
      status: {
        phase: "Running",
        containerStatuses: [
          { name: "main", state: { terminated: { exitCode: 2, finishedAt: time(5) } } },
          { name: "proxy", state: { running: { startedAt: time(1) } } },
        ],
      },
    });
    expect(look({ job: job(), pods: [pod] }, DAY)).toBeUndefined();
  });
});
