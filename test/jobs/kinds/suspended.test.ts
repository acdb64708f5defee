import { describe, expect, it } from "vitest";
import { job, meta } from "../objects.ts";
import { condition, look, time, verdictIn, workloadOf } from "./scene.ts";

const DAY = 86_400;
const suspended = { spec: { suspend: true }, status: { conditions: [condition("Suspended", 0)] } };
const labels = { "kueue.x-k8s.io/queue-name": "nightly" };
const inQueue = job({ ...suspended, metadata: { labels } });
const reserved = condition("QuotaReserved", 60);

describe("S07, suspended and forgotten", () => {
  it("counts from the creation while nobody has written the condition", () => {
    const scene = { job: job({ spec: { suspend: true }, status: {} }) };
    expect(look(scene, DAY)).toMatchObject({ since: time(0), sinceSource: "Job metadata.creationTimestamp" });
  });

  it("asks after a day whether Kueue knows the Job all the same, and only then", () => {
    const scene = { job: job(suspended), workloads: [workloadOf({ conditions: [] })] };
    expect(look(scene, DAY - 1)).toMatchObject({ kind: "S07", state: "watching" });
    expect(look(scene, DAY)).toMatchObject({ kind: "S09", state: "queued" });
    expect(look({ job: job(suspended) }, DAY)).toMatchObject({ kind: "S07", state: "stuck", severity: "info" });
  });
});

describe("S08, admitted yet suspended", () => {
  it("waits for an admission that needs more than quota", () => {
    const scene = { job: inQueue, workloads: [workloadOf({ conditions: [reserved] })] };
    expect(look(scene, DAY)).toMatchObject({ kind: "S09", state: "queued" });
    expect(look(scene, DAY)?.message).toContain("for its admission checks");
  });

  it("is asked five minutes after the Job was suspended, and not before", () => {
    const scene = { job: inQueue, workloads: [workloadOf({ conditions: [condition("Admitted", 1)] })] };
    expect(look(scene, 299)?.kind).toBe("S09");
    expect(verdictIn(scene, 10).dueAt).toBe(Date.parse(time(300)));
    expect(look(scene, 301)).toMatchObject({ kind: "S08", state: "stuck", since: time(1) });
  });

  it("looks at the newest Workload of the Job, whatever their order", () => {
    const old = workloadOf({ conditions: [condition("Admitted", 1)] });
    const metadata = { ...meta("job-export-1-b", { creationTimestamp: time(50) }), labels: old.metadata.labels ?? {} };
    const workloads = [old, workloadOf({ conditions: [] }, metadata)];
    expect(look({ job: inQueue, workloads }, DAY)?.kind).toBe("S09");
    expect(look({ job: inQueue, workloads: workloads.toReversed() }, DAY)?.kind).toBe("S09");
  });

  it("is silent about a Workload that is done", () => {
    const workloads = [workloadOf({ conditions: [condition("Admitted", 1), condition("Finished", 5)] })];
    expect(look({ job: inQueue, workloads }, DAY)?.kind).toBe("S09");
  });
});

describe("S09, queued", () => {
  it("tells why there is no quota yet, in Kueue's words", () => {
    const message = "insufficient unused quota for cpu in flavor default, 4 more needed";
    const waiting = { ...reserved, status: "False", reason: "Pending", message };
    const found = look({ job: inQueue, workloads: [workloadOf({ conditions: [waiting] })] }, 3_600);
    expect(found).toMatchObject({ kind: "S09", state: "queued", severity: "info" });
    expect(found?.message).toBe(`Job shop/export-1 waits in LocalQueue nightly for quota: ${message}`);
  });
});

describe("S10, quota held by a ghost", () => {
  it("observes since when a Job has been gone when nobody deletes its Workload", () => {
    const scene = { subject: "workload", workloads: [workloadOf({ conditions: [reserved] })] } as const;
    expect(look(scene, 500, 500 + 899)).toMatchObject({ state: "watching", since: time(500), sinceSource: "observed" });
    expect(look(scene, 500, 500 + 900)).toMatchObject({ kind: "S10", reason: "JobGone", state: "stuck" });
  });

  it("is not taken in by another Job of the same name", () => {
    const other = job({ metadata: { uid: "another" } });
    const scene = { subject: "workload", job: other, workloads: [workloadOf({ conditions: [reserved] })] } as const;
    expect(look(scene, 500, DAY)).toMatchObject({ kind: "S10", reason: "JobGone" });
  });

  it("leaves Workloads of other owners alone", () => {
    const ownerReferences = [{ apiVersion: "v1", kind: "Pod", name: "a", uid: "u", controller: true }];
    const workloads = [workloadOf({ conditions: [reserved] }, { ownerReferences })];
    expect(look({ subject: "workload", workloads }, 500, DAY)).toBeUndefined();
  });
});
