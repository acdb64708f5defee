import { describe, expect, it } from "vitest";
import { leaseClassOf, leaseOrder, Snapshot, type Verdict, verdictOn } from "../../src/jobs/index.ts";
import { type Job, type Lease, type ObjectMeta, type Pod, resources } from "../../src/resources/index.ts";
import { at, CREATED, job, meta } from "./objects.ts";

const MINUTE = 60;
const HOUR = 3_600;
const RUN = "captf.io/lease";
const OWNER = "captf.infrastructure.cluster.x-k8s.io";

function lease(spec: Lease["spec"], more: Partial<ObjectMeta> = {}): Lease {
  return { metadata: meta("captf-run-1", { labels: { [RUN]: "run" }, ...more }), spec };
}

/** Held by Job export-1. */
const runLease = lease(
  { holderIdentity: "export-1", acquireTime: CREATED, leaseDurationSeconds: 4_500 },
  { labels: { [RUN]: "run", [`${OWNER}/owner-kind`]: "TerraformCluster", [`${OWNER}/owner-name`]: "network" } },
);

const stateLock = lease(
  { holderIdentity: "7b2c-uuid", acquireTime: CREATED },
  {
    name: "lock-tfstate-default-network",
    labels: { tfstate: "true" },
    annotations: {
      "app.terraform.io/lock-info": JSON.stringify({
        ID: "7b2c-uuid",
        Who: "root@network-tf-runner",
        Created: CREATED,
      }),
    },
  },
);

function election(renewed: number, more: Partial<ObjectMeta> = {}): Lease {
  return lease(
    {
      holderIdentity: "checker-0_1234",
      acquireTime: CREATED,
      renewTime: time(renewed),
      leaseDurationSeconds: 25,
    },
    { name: "checker-leader", labels: {}, ...more },
  );
}

function time(seconds: number): string {
  return `${new Date(at(seconds)).toISOString().slice(0, 19)}Z`;
}

function ended(seconds: number): Job {
  return job({
    status: {
      startTime: CREATED,
      conditions: [{ type: "Complete", status: "True", lastTransitionTime: time(seconds) }],
    },
  });
}

function pod(name: string, phase = "Running", startTime = "2026-01-02T03:00:00Z"): Pod {
  return { metadata: meta(name), spec: {}, status: { phase, startTime } };
}

function podOfJob(phase: string): Pod {
  const ownerReferences = [
    { apiVersion: "batch/v1", kind: "Job", name: "export-1", uid: "uid-of-export-1", controller: true },
  ];
  const labels = { "batch.kubernetes.io/job-name": "export-1" };
  return { metadata: meta("export-1-x", { ownerReferences, labels }), spec: {}, status: { phase } };
}

interface Around {
  readonly jobs?: readonly Job[];
  readonly pods?: readonly Pod[];
}

function judge(object: Lease, { jobs = [], pods = [] }: Around, seconds: number): Verdict {
  const world = new Snapshot();
  world.declare(resources.jobs);
  world.declare(resources.pods);
  for (const one of jobs) world.set(resources.jobs, one);
  for (const one of pods) world.set(resources.pods, one);
  return verdictOn({ resource: resources.leases, object, order: leaseOrder }, world, at(seconds));
}

function look(object: Lease, around: Around, seconds: number) {
  return judge(object, around, seconds).finding;
}

describe("the class of a lease", () => {
  it.each([
    ["lock", runLease],
    ["lock", stateLock],
    ["lock", lease({ holderIdentity: "x", acquireTime: CREATED }, { labels: {} })],
    [
      "lock",
      lease(
        { holderIdentity: "x", renewTime: CREATED },
        { labels: {}, ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "x", uid: "1" }] },
      ),
    ],
    ["election", election(10)],
    ["election", election(0)],
    ["heartbeat", election(10, { namespace: "kube-node-lease", name: "worker-1" })],
    ["heartbeat", election(10, { labels: { "apiserver.kubernetes.io/identity": "kube-apiserver" } })],
  ])("is %s", (expected, object) => {
    expect(leaseClassOf(object)).toBe(expected);
  });
});

describe("S38, a run lease whose holder is dead", () => {
  it("counts from the end of the holder's Job", () => {
    const around = { jobs: [ended(HOUR)] };
    expect(look(runLease, around, HOUR + 10 * MINUTE - 1)).toMatchObject({ kind: "S38", state: "watching" });
    expect(look(runLease, around, HOUR + 10 * MINUTE)).toMatchObject({
      kind: "S38",
      reason: "HolderFinished",
      severity: "warning",
      since: time(HOUR),
      sinceSource: "Job condition Complete",
      owner: { kind: "TerraformCluster", name: "network" },
    });
    expect(look(runLease, around, 2 * HOUR - 1)?.severity).toBe("warning");
    expect(look(runLease, around, 2 * HOUR)?.severity).toBe("critical");
  });

  it("is silent while the Job runs, also past the lease's own duration", () => {
    expect(look(runLease, { jobs: [job()] }, 9 * HOUR)).toBeUndefined();
  });

  it("lets a pod that has not ended hold it, whatever its Job says", () => {
    expect(look(runLease, { jobs: [ended(HOUR)], pods: [podOfJob("Running")] }, 9 * HOUR)).toBeUndefined();
    expect(look(runLease, { jobs: [ended(HOUR)], pods: [podOfJob("Succeeded")] }, 9 * HOUR)?.kind).toBe("S38");
    expect(look(runLease, { pods: [podOfJob("Running")] }, 9 * HOUR)).toBeUndefined();
  });

  it("waits a minute for a Job that may be about to be created, and counts from the taking of the lease", () => {
    expect(look(runLease, {}, MINUTE)).toBeUndefined();
    expect(look(runLease, {}, MINUTE + 1)).toMatchObject({
      reason: "HolderMissing",
      state: "watching",
      since: CREATED,
    });
    expect(look(runLease, {}, 10 * MINUTE)).toMatchObject({ state: "stuck", sinceSource: "Lease spec.acquireTime" });
    expect(judge(runLease, {}, 5).dueAt).toBe(at(MINUTE) + 1);
  });

  it("believes the annotation with the time of acquisition first", () => {
    const noted = lease(runLease.spec, { annotations: { "captf.io/lease-acquired-at": time(HOUR) } });
    expect(look(noted, {}, HOUR + 10 * MINUTE)).toMatchObject({ since: time(HOUR), state: "stuck" });
  });

  it("is silent about a lease that nobody holds", () => {
    expect(look(lease({ acquireTime: CREATED }), {}, 9 * HOUR)).toBeUndefined();
    expect(look(lease({ holderIdentity: "", acquireTime: CREATED }), {}, 9 * HOUR)).toBeUndefined();
  });

  it("says nothing where it does not know the pods", () => {
    const world = new Snapshot();
    world.declare(resources.jobs);
    const subject = { resource: resources.leases, object: runLease, order: leaseOrder };
    expect(verdictOn(subject, world, at(9 * HOUR)).finding).toBeUndefined();
  });
});

describe("S38, a lock of Terraform state", () => {
  it("is stuck when its runner is gone", () => {
    expect(look(stateLock, {}, 10 * MINUTE - 1)).toMatchObject({ state: "watching" });
    const found = look(stateLock, {}, 10 * MINUTE);
    expect(found).toMatchObject({ kind: "S38", reason: "HolderMissing", severity: "warning", since: CREATED });
    expect(found?.message).toContain("root@network-tf-runner");
  });

  it("is silent while its runner lives, and looks again", () => {
    const around = { pods: [pod("network-tf-runner")] };
    expect(look(stateLock, around, 9 * HOUR)).toBeUndefined();
    expect(judge(stateLock, around, HOUR).dueAt).toBe(at(HOUR + 5 * MINUTE));
  });

  it("is of a dead process when the pod of that name began later", () => {
    const around = { pods: [pod("network-tf-runner", "Running", time(HOUR))] };
    expect(look(stateLock, around, HOUR + 10 * MINUTE)).toMatchObject({
      reason: "LockOlderThanHolder",
      since: time(HOUR),
      sinceSource: "pod status.startTime",
    });
    expect(look(stateLock, { pods: [pod("network-tf-runner", "Running", time(-1))] }, 9 * HOUR)).toBeUndefined();
  });

  it("knows the runner by the lock's name where the lock says nothing of it", () => {
    const mute = lease(stateLock.spec, { name: "lock-tfstate-default-network", labels: {} });
    expect(look(mute, { pods: [pod("network-tf-runner")] }, 9 * HOUR)).toBeUndefined();
    expect(look(mute, {}, HOUR)?.reason).toBe("HolderMissing");
  });

  it("is stuck when the pod that owns it has ended", () => {
    const owned = lease(
      { holderIdentity: "leader" },
      {
        labels: {},
        ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "operator-0", uid: "uid-of-operator-0" }],
      },
    );
    const over: Pod = { ...pod("operator-0", "Succeeded") };
    over.status.containerStatuses = [{ name: "main", state: { terminated: { exitCode: 0, finishedAt: time(HOUR) } } }];
    expect(look(owned, { pods: [over] }, 2 * HOUR)).toMatchObject({ reason: "HolderFinished", since: time(HOUR) });
    expect(look(owned, { pods: [pod("operator-0")] }, 2 * HOUR)).toBeUndefined();
  });

  it.each(["not JSON", "null", "[]", '{"Who":7,"Created":{}}', '{"Who":"a@../../x"}'])(
    "reads lock info %j without harm",
    (info) => {
      const odd = lease(stateLock.spec, {
        name: "lock-tfstate-default-network",
        annotations: { "app.terraform.io/lock-info": info },
      });
      expect(look(odd, {}, HOUR)).toMatchObject({ kind: "S38", since: CREATED });
    },
  );

  it("takes no other lease for a lock of something that lived here", () => {
    expect(
      look(lease({ holderIdentity: "somebody", acquireTime: CREATED }, { labels: {} }), {}, 9 * HOUR),
    ).toBeUndefined();
  });
});

describe("S38, a silent leader", () => {
  const around = { pods: [pod("checker-0")] };

  it("counts from the end of the lease, while the last leader's pod runs", () => {
    expect(look(election(60), around, 60 + 25 + 29)).toBeUndefined();
    expect(look(election(60), around, 60 + 25 + 30)).toMatchObject({
      kind: "S38",
      reason: "LeaderSilent",
      severity: "warning",
      since: time(85),
      sinceSource: "Lease spec.renewTime + leaseDurationSeconds",
    });
    expect(look(election(60), around, 85 + 300 - 1)?.severity).toBe("warning");
    expect(look(election(60), around, 85 + 300)?.severity).toBe("critical");
    expect(judge(election(60), around, 60).dueAt).toBe(at(85 + 30));
  });

  it("is silent about a lease that was left behind: no pod of its component is there", () => {
    expect(look(election(60), {}, 9 * HOUR)).toBeUndefined();
    expect(look(election(60), { pods: [pod("checker-0", "Failed")] }, 9 * HOUR)).toBeUndefined();
  });

  it("is silent about one that has a new leader", () => {
    const renewed = election(9 * HOUR);
    expect(look(renewed, around, 9 * HOUR + 26)).toBeUndefined();
  });

  it("always speaks of the controllers that every cluster has", () => {
    const kcm = election(60, { namespace: "kube-system", name: "kube-controller-manager" });
    expect(look(kcm, {}, 85 + 29)).toMatchObject({ kind: "S38", state: "watching" });
    expect(look(kcm, {}, 85 + 30)).toMatchObject({ kind: "S38", state: "stuck", reason: "LeaderSilent" });
  });

  it("never speaks of heartbeats", () => {
    expect(look(election(60, { namespace: "kube-node-lease", name: "worker-1" }), around, 9 * HOUR)).toBeUndefined();
    expect(look(election(60, { labels: { "stalewatch.dev/heartbeat": "true" } }), around, 9 * HOUR)).toBeUndefined();
  });
});

it("is silent about a lease that is being deleted", () => {
  expect(
    look({ ...stateLock, metadata: { ...stateLock.metadata, deletionTimestamp: CREATED } }, {}, HOUR),
  ).toBeUndefined();
});
