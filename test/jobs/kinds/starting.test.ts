import { describe, expect, it } from "vitest";
import type { ContainerStatus, Pod } from "../../../src/resources/index.ts";
import { at, CREATED, job, waitingPod } from "../objects.ts";
import { condition, eventAbout, look, podOf, time, verdictIn } from "./scene.ts";

const DAY = 86_400;
const seen = (pods: readonly Pod[], seconds: number): ReturnType<typeof look> => look({ job: job(), pods }, seconds);

const about = (reason: string, message: string, last: number): ReturnType<typeof eventAbout> =>
  eventAbout("export-1-x", reason, { message, first: 100, last });

const withInits = (...initContainerStatuses: ContainerStatus[]): Pod =>
  podOf({
    spec: { initContainers: initContainerStatuses.map(({ name }) => ({ name })), restartPolicy: "OnFailure" },
    status: { phase: "Pending", startTime: CREATED, initContainerStatuses },
  });

describe("S13, the image cannot be pulled", () => {
  it("keeps one since and one reason while the kubelet alternates, for two days", () => {
    for (let minutes = 10; minutes < 2 * 24 * 60; minutes += 5) {
      const reason = minutes % 10 === 0 ? "ErrImagePull" : "ImagePullBackOff";
      const found = seen([waitingPod(reason)], minutes * 60);
      expect(found).toMatchObject({ reason: "ImagePullBackOff", since: CREATED, sinceSource: "pod status.startTime" });
      expect(found?.evidence[0]).toContain(reason);
    }
  });

  it.each(["ContainerCreating", "PodInitializing", "constructor"])("is silent about %s", (reason) => {
    expect(seen([waitingPod(reason)], DAY)).toBeUndefined();
  });

  it("is silent about a pod that is on its way out", () => {
    const leaving = waitingPod("ImagePullBackOff", { metadata: { deletionTimestamp: time(2 * DAY) } });
    expect(seen([leaving], DAY)).toBeUndefined();
  });

  it("counts from the end of what ran before: an init container, or the container's own last run", () => {
    const finishedAt = "2026-01-02T05:00:00Z";
    const afterInit = waitingPod("ErrImagePull");
    afterInit.status.initContainerStatuses = [{ name: "fetch", state: { terminated: { exitCode: 0, finishedAt } } }];
    expect(seen([afterInit], DAY)?.since).toBe(finishedAt);
    const again = waitingPod("ErrImagePull", {
      status: {
        startTime: CREATED,
        containerStatuses: [
          {
            name: "main",
            state: { waiting: { reason: "ErrImagePull" } },
            lastState: { terminated: { exitCode: 1, finishedAt } },
          },
        ],
      },
    });
    expect(seen([again], DAY)?.since).toBe(finishedAt);
  });

  it("takes the oldest of several pods and shows five of them", () => {
    const pods = Array.from({ length: 8 }, (_, index) => {
      const startTime = new Date(at(60 * (8 - index))).toISOString();
      return waitingPod("ImagePullBackOff", {
        metadata: { name: `export-1-${index}` },
        status: { ...waitingPod("ImagePullBackOff").status, startTime },
      });
    });
    const found = seen(pods, DAY);
    expect(found?.since).toBe("2026-01-02T03:05:05Z");
    expect(found?.message).toContain("shop/export-1-7");
    expect(found?.evidence).toHaveLength(6);
    expect(found?.evidence.at(-1)).toBe("and 3 more");
  });

  it("says whether a deadline will end it", () => {
    const pods = [waitingPod("ErrImagePull")];
    expect(seen(pods, 3_600)?.message).toContain("will not fail by itself");
    expect(look({ job: job({ spec: { activeDeadlineSeconds: 7_200 } }), pods }, 3_600)?.message).toContain("7200");
  });

  it("never lets an image's name move the reader's terminal or end a shell word", () => {
    const pod = waitingPod("InvalidImageName", { metadata: { name: "x'; rm -rf /" } });
    pod.spec.containers = [{ name: "main", image: "evil\u001b[2Jname" }];
    const found = seen([pod], DAY);
    expect(found?.message).toContain("evil\\x1b[2Jname");
    expect(found?.next[0]).toBe(`kubectl -n shop describe pod 'x'\\''; rm -rf /'`);
  });
});

describe("S14, a config error", () => {
  it("says what the kubelet says", () => {
    expect(seen([waitingPod("CreateContainerConfigError")], 300)).toMatchObject({
      kind: "S14",
      state: "stuck",
      message: "Container main in Pod shop/export-1-x cannot be created: it says why",
    });
  });
});

describe("S11, a pod that no node fits", () => {
  const unschedulable = podOf({
    spec: { nodeName: "" },
    status: {
      phase: "Pending",
      conditions: [condition("PodScheduled", 0, { status: "False", reason: "Unschedulable", message: "0/5 nodes" })],
    },
  });
  const scaled = eventAbout("export-1-x", "TriggeredScaleUp", { first: 600 });

  it("counts anew from the last time that an autoscaler began to add a node", () => {
    const scene = { job: job(), pods: [unschedulable], events: [scaled] };
    expect(look(scene, 900)).toMatchObject({ state: "watching", since: time(600) });
    expect(look(scene, 1_500)).toMatchObject({
      kind: "S11",
      state: "stuck",
      since: time(600),
      sinceSource: "event TriggeredScaleUp lastTimestamp",
    });
    expect(look({ ...scene, events: [] }, 900)).toMatchObject({ state: "stuck", since: time(0) });
  });

  it("does without events where they are not known", () => {
    expect(seen([unschedulable], 900)).toMatchObject({ kind: "S11", state: "stuck" });
  });
});

describe("S12, a volume that is not mounted", () => {
  const creating = waitingPod("ContainerCreating");

  it("names a disk that is attached elsewhere as what several pods may wait for", () => {
    const message = 'Multi-Attach error for volume "pvc-12" Volume is already used by pod(s) export-0-y';
    const events = [about("FailedMount", "timed out", 500), about("FailedAttachVolume", message, 900)];
    expect(look({ job: job(), pods: [creating], events }, 1_000)).toMatchObject({
      kind: "S12",
      reason: "FailedAttachVolume",
      since: time(100),
      cause: "volume pvc-12",
    });
  });

  it("asks for events two minutes after the pod was placed, and does not guess without them", () => {
    expect(verdictIn({ job: job(), pods: [creating] }, 10).dueAt).toBe(at(120));
    expect(seen([creating], DAY)).toBeUndefined();
  });

  it("is over when nothing has been told for fifteen minutes, or a container has started", () => {
    const events = [about("FailedMount", "timed out", 900)];
    expect(look({ job: job(), pods: [creating], events }, 1_800)?.kind).toBe("S12");
    expect(look({ job: job(), pods: [creating], events }, 1_801)).toBeUndefined();
    expect(look({ job: job(), pods: [podOf()], events }, 1_800)).toBeUndefined();
  });

  it.each([
    ["ClaimMissing", '0/3 nodes are available: persistentvolumeclaim "data" not found.'],
    ["ClaimUnbound", "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims."],
    ["Unschedulable", "0/3 nodes are available: 3 node(s) had volume node affinity conflict."],
  ])("tells what is the scheduler's own from what is a claim's: %s", (reason, message) => {
    const pod = podOf({
      spec: { nodeName: "" },
      status: {
        phase: "Pending",
        conditions: [condition("PodScheduled", 0, { status: "False", reason: "Unschedulable", message })],
      },
    });
    expect(seen([pod], 900)).toMatchObject({ reason, state: "stuck" });
  });
});

describe("S15, an init container that holds the pod", () => {
  const done: ContainerStatus = { name: "fetch", state: { terminated: { exitCode: 0, finishedAt: time(50) } } };

  it("keeps one since through all restarts of a crashing one", () => {
    for (const state of [
      { waiting: { reason: "CrashLoopBackOff" } },
      { running: { startedAt: time(800) } },
      { terminated: { exitCode: 1, finishedAt: time(801) } },
    ]) {
      expect(seen([withInits(done, { name: "migrate", restartCount: 4, state })], 950)).toMatchObject({
        kind: "S15",
        reason: "InitCrashLoop",
        since: time(50),
      });
    }
  });

  it("is silent when all have ended with 0", () => {
    expect(seen([withInits(done)], DAY)).toBeUndefined();
  });
});
