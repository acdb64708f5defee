import { describe, expect, it } from "vitest";
import { jobOrder, stuckKinds } from "../../src/jobs/index.ts";
import type { Job, Pod } from "../../src/resources/index.ts";
import { at, CREATED, job, judgeJob, meta, waitingPod } from "./objects.ts";

const untouched = { status: {} };
const withDeadline = { spec: { activeDeadlineSeconds: 30 } };

function look(subject: Job, pods: Pod[], seconds: number) {
  return judgeJob(subject, pods, at(seconds)).finding;
}

function failed(type: string): Job["status"] {
  return { startTime: CREATED, conditions: [{ type, status: "True", lastTransitionTime: CREATED }] };
}

describe("every kind", () => {
  const cases: Record<string, { job: Job; pods: Pod[]; startsAfter: number; since: string; reason: string }> = {
    S01: { job: job(untouched), pods: [], startsAfter: 0, since: CREATED, reason: "StatusEmpty" },
    S13: {
      job: job(),
      pods: [waitingPod("ImagePullBackOff")],
      startsAfter: 0,
      since: CREATED,
      reason: "ImagePullBackOff",
    },
    S19: {
      job: job(withDeadline),
      pods: [],
      startsAfter: 30,
      since: "2026-01-02T03:04:35Z",
      reason: "DeadlinePassed",
    },
  };

  it("has a case here", () => {
    expect(stuckKinds.map(({ id }) => id).sort()).toEqual(Object.keys(cases).sort());
  });

  it.each(stuckKinds.map((kind) => [kind.id, kind] as const))("%s turns at its ages, to the second", (id, kind) => {
    const { job: subject, pods, startsAfter, since, reason } = cases[id] as (typeof cases)[string];
    const warning = startsAfter + kind.limits.warningMs / 1_000;
    const critical = startsAfter + kind.limits.criticalMs / 1_000;
    expect(look(subject, pods, warning - 1)).toMatchObject({ kind: id, state: "watching", since });
    expect(look(subject, pods, warning)).toMatchObject({ kind: id, reason, state: "stuck", severity: "warning" });
    expect(look(subject, pods, critical - 1)).toMatchObject({ severity: "warning" });
    expect(look(subject, pods, critical)).toMatchObject({
      kind: id,
      name: kind.name,
      state: "stuck",
      severity: "critical",
      ageSeconds: critical - startsAfter,
      since,
    });
  });

  it.each(stuckKinds.map((kind) => [kind.id, kind] as const))("%s says when it wants to be asked again", (id, kind) => {
    const { job: subject, pods, startsAfter } = cases[id] as (typeof cases)[string];
    const due = (seconds: number) => judgeJob(subject, pods, at(seconds)).dueAt;
    const { warningMs, criticalMs } = kind.limits;
    expect(due(startsAfter)).toBe(at(startsAfter) + warningMs);
    expect(due(startsAfter + warningMs / 1_000)).toBe(at(startsAfter) + criticalMs);
    expect(due(startsAfter + criticalMs / 1_000)).toBeUndefined();
  });

  it.each(stuckKinds.map((kind) => [kind.id, kind] as const))(
    "%s names public sources and a closed set of reasons",
    (id, kind) => {
      expect(kind.source.length).toBeGreaterThan(0);
      for (const url of kind.source) expect(URL.canParse(url)).toBe(true);
      expect(kind.reasons).toContain((cases[id] as (typeof cases)[string]).reason);
    },
  );
});

describe("S01, the controller has not touched it", () => {
  it.each([
    ["has a start time", job({ status: { startTime: CREATED } }), []],
    ["is suspended", job({ ...untouched, spec: { suspend: true } }), []],
    ["belongs to another controller", job({ ...untouched, spec: { managedBy: "kueue.x-k8s.io/multikueue" } }), []],
    ["has a pod", job(untouched), [waitingPod("ContainerCreating")]],
    ["is being deleted", job({ ...untouched, metadata: { deletionTimestamp: CREATED } }), []],
  ])("is silent about a Job that %s", (_, subject, pods) => {
    expect(look(subject, pods, 86_400)).toBeUndefined();
  });

  it("speaks of a Job that names the built-in controller", () => {
    const named = job({ ...untouched, spec: { managedBy: "kubernetes.io/job-controller" } });
    expect(look(named, [], 61)?.kind).toBe("S01");
  });

  it("says nothing of a Job without a time rather than inventing one", () => {
    const { creationTimestamp: _, ...metadata } = meta("export-1");
    expect(look({ ...job(untouched), metadata }, [], 86_400)).toBeUndefined();
  });
});

describe("S13, the image cannot be pulled", () => {
  it("keeps one since and one reason while the kubelet alternates, for two days", () => {
    for (let minutes = 10; minutes < 2 * 24 * 60; minutes += 5) {
      const reason = minutes % 10 === 0 ? "ErrImagePull" : "ImagePullBackOff";
      const found = look(job(), [waitingPod(reason)], minutes * 60);
      expect(found).toMatchObject({ reason: "ImagePullBackOff", since: CREATED, sinceSource: "pod status.startTime" });
      expect(found?.evidence[0]).toContain(reason);
    }
  });

  it.each(["ContainerCreating", "PodInitializing", "CreateContainerConfigError"])("is silent about %s", (reason) => {
    expect(look(job(), [waitingPod(reason)], 86_400)).toBeUndefined();
  });

  it("is silent about a pod that is on its way out", () => {
    const leaving = waitingPod("ImagePullBackOff", { metadata: { deletionTimestamp: CREATED } });
    expect(look(job(), [leaving], 86_400)).toBeUndefined();
  });

  it("counts from the end of what ran before: an init container, or the container's own last run", () => {
    const finishedAt = "2026-01-02T05:00:00Z";
    const afterInit = waitingPod("ErrImagePull");
    afterInit.status.initContainerStatuses = [{ name: "fetch", state: { terminated: { exitCode: 0, finishedAt } } }];
    expect(look(job(), [afterInit], 86_400)?.since).toBe(finishedAt);
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
    expect(look(job(), [again], 86_400)?.since).toBe(finishedAt);
  });

  it("takes the oldest of several pods and shows five of them", () => {
    const pods = Array.from({ length: 8 }, (_, index) => {
      const startTime = new Date(at(60 * (8 - index))).toISOString();
      return waitingPod("ImagePullBackOff", {
        metadata: { name: `export-1-${index}` },
        status: { ...waitingPod("ImagePullBackOff").status, startTime },
      });
    });
    const found = look(job(), pods, 86_400);
    expect(found?.since).toBe("2026-01-02T03:05:05Z");
    expect(found?.message).toContain("shop/export-1-7");
    expect(found?.evidence).toHaveLength(6);
    expect(found?.evidence.at(-1)).toBe("and 3 more");
  });

  it("says whether a deadline will end it", () => {
    const pods = [waitingPod("ErrImagePull")];
    expect(look(job(), pods, 3_600)?.message).toContain("will not fail by itself");
    expect(look(job({ spec: { activeDeadlineSeconds: 7_200 } }), pods, 3_600)?.message).toContain("7200");
  });

  it("never lets an image's name move the reader's terminal or end a shell word", () => {
    const pod = waitingPod("InvalidImageName", { metadata: { name: "x'; rm -rf /" } });
    pod.spec.containers = [{ name: "main", image: "evil\u001b[2Jname" }];
    const found = look(job(), [pod], 86_400);
    expect(found?.message).toContain("evil\\x1b[2Jname");
    expect(found?.next[0]).toBe(`kubectl -n shop describe pod 'x'\\''; rm -rf /'`);
  });
});

describe("S19, the deadline is not enforced", () => {
  const hour = 3_600;
  it.each([
    ["has no deadline", job()],
    ["is suspended: its clock stands", job({ spec: { activeDeadlineSeconds: 30, suspend: true } })],
    ["has failed", job({ ...withDeadline, status: failed("Failed") })],
    ["is about to fail", job({ ...withDeadline, status: failed("FailureTarget") })],
    ["has not started", job({ ...withDeadline, status: { ready: 0 } })],
  ])("is silent about a Job that %s", (_, subject) => {
    expect(look(subject, [], hour)).toBeUndefined();
  });

  it("lets pods use their grace period, and not a second more", () => {
    const leaving = waitingPod("", { metadata: { deletionTimestamp: new Date(at(hour)).toISOString() } });
    expect(look(job(withDeadline), [leaving], hour - 1)).toBeUndefined();
    expect(look(job(withDeadline), [leaving], hour)).toMatchObject({ kind: "S19", severity: "critical" });
  });

  it("is asked at the deadline, though nothing happens then", () => {
    expect(judgeJob(job(withDeadline), [], at(5))).toEqual({ finding: undefined, dueAt: at(30) });
    expect(judgeJob(job(), [], at(5)).dueAt).toBeUndefined();
  });
});

describe("the order of decision", () => {
  it("gives one reason to a Job that shows several", () => {
    const both = look(job(withDeadline), [waitingPod("ErrImagePull")], 3_600);
    expect(both?.kind).toBe("S13");
  });

  it("asks each kind in one stage only", () => {
    const ids = jobOrder.flatMap(({ kinds }) => kinds.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("takes a user's ages instead of the kind's own", () => {
    const limits = [{ kind: "S01", ages: { warningMs: 2_000, criticalMs: 4_000 } }];
    const verdict = (seconds: number) => judgeJob(job(untouched), [], at(seconds), limits);
    expect(verdict(2)).toMatchObject({ finding: { state: "stuck", severity: "warning" }, dueAt: at(4) });
    expect(verdict(4)).toMatchObject({ finding: { severity: "critical" }, dueAt: undefined });
  });
});

it("names the managing controller as owner, or the Job itself", () => {
  const owned = job({
    ...untouched,
    metadata: {
      ownerReferences: [
        { apiVersion: "v1", kind: "ConfigMap", name: "other", uid: "1" },
        { apiVersion: "batch/v1", kind: "CronJob", name: "export", uid: "2", controller: true },
      ],
    },
  });
  expect(look(owned, [], 61)).toEqual({
    kind: "S01",
    name: "controller-has-not-touched-it",
    reason: "StatusEmpty",
    severity: "warning",
    state: "stuck",
    object: { apiVersion: "batch/v1", kind: "Job", namespace: "shop", name: "export-1", uid: "uid-of-export-1" },
    owner: { kind: "CronJob", name: "export" },
    since: CREATED,
    sinceSource: "Job metadata.creationTimestamp",
    ageSeconds: 61,
    message: expect.stringContaining("Job shop/export-1") as string,
    evidence: ["Job shop/export-1: status {}, 0 pods"],
    next: expect.arrayContaining([expect.stringMatching(/^kubectl /)]) as string[],
  });
  expect(look(job(untouched), [], 61)?.owner).toEqual({ kind: "Job", name: "export-1" });
});
