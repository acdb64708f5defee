import { beforeAll, expect, test } from "vitest";
import {
  type ClusterAccess,
  clusterTools,
  describeReal,
  eventually,
  type Json,
  pause,
  sampleOf,
  sharedCluster,
  Sidecar,
} from "./harness/index.ts";

const NAME = "stalewatch-heartbeat";
const WATCHED_MS = 30_000;

interface Caches {
  readonly caches: readonly {
    resource: string;
    state: string;
    confirmedBy: string | null;
    lagMaxSeconds: number | null;
  }[];
  readonly heartbeats: readonly { resource: string; state: string; reason?: string }[];
}

async function stateOf(sidecar: Sidecar): Promise<string[]> {
  return (await sidecar.api<Caches>("caches")).heartbeats.map(({ state }) => state);
}

describeReal("heartbeats on a real API server", clusterTools, () => {
  let access: ClusterAccess;
  beforeAll(() => {
    access = sharedCluster();
  });

  function objects(namespace: string): Promise<(Json | undefined)[]> {
    const paths = [
      `/apis/batch/v1/namespaces/${namespace}/jobs`,
      `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`,
    ];
    return Promise.all(
      paths.map(async (path) => {
        const { items = [] } = await access.raw.get(path);
        return items.find(({ metadata }) => metadata.name === NAME);
      }),
    );
  }

  test("go through all their stages, are never lost, and leave nothing behind", async () => {
    const namespace = await access.namespace("heartbeat");
    const args = ["--heartbeat-interval=1s", "--watch=coordination.k8s.io/v1/leases"];
    await using sidecar = await Sidecar.start({ kubeconfig: access.kubeconfig({ namespace }), args });
    await eventually("both beat", async () => {
      const { heartbeats } = await sidecar.api<Caches>("caches");
      return heartbeats.every(({ state, reason }) => state === "beating" && reason === undefined);
    });
    const [job, lease] = await objects(namespace);
    expect(job?.["spec"]).toMatchObject({ suspend: true, parallelism: 0, managedBy: "stalewatch.dev/heartbeat" });
    expect(lease?.["spec"]).toMatchObject({ leaseDurationSeconds: 3 });
    const states = new Set<string>();
    for (let waitedMs = 0; waitedMs < WATCHED_MS; waitedMs += 1_000) {
      await pause(1_000);
      const { caches, heartbeats } = await sidecar.api<Caches>("caches");
      for (const { state } of [...caches, ...heartbeats]) states.add(state);
    }
    expect([...states].toSorted()).toEqual(["beating", "fresh"]);
    const text = await sidecar.metrics();
    for (const resource of ["jobs", "leases"]) {
      expect(sampleOf(text, "stalewatch_heartbeats_lost_total", { resource })).toBe(0);
      for (const stage of ["send", "ack", "arrival", "stored", ...(resource === "jobs" ? ["reconciled"] : [])]) {
        const count = sampleOf(text, "stalewatch_heartbeat_stage_seconds_count", { resource, stage });
        expect(count, `${resource} ${stage}`).toBeGreaterThanOrEqual(20);
      }
    }
    const jobs = (await sidecar.api<Caches>("caches")).caches.find(({ resource }) => resource === "jobs");
    expect(jobs?.confirmedBy).toBe("heartbeat");
    const answer = await sidecar.api<{ objects: { jobs: number }; findings: { object: { name: string } }[] }>(
      "jobs?all",
    );
    expect(answer.findings.filter(({ object }) => object.name === NAME)).toEqual([]);
    const [untouched] = await objects(namespace);
    expect(untouched?.["status"]).toEqual({});
    expect(await sidecar.stop()).toBe(0);
    expect(await objects(namespace)).toEqual([undefined, undefined]);
  });

  test("are refused by a quota with what to do, and beat once it allows them", async () => {
    const namespace = await access.namespace("heartbeat");
    const quotas = `/api/v1/namespaces/${namespace}/resourcequotas`;
    const spec = { hard: { "count/jobs.batch": "0" } };
    await access.raw.post(quotas, { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "none" }, spec });
    // No quota controller runs here, which would be the one to write this.
    await access.raw.patch(`${quotas}/none/status`, { status: { hard: spec.hard, used: { "count/jobs.batch": "0" } } });
    const kubeconfig = access.kubeconfig({ namespace });
    await using sidecar = await Sidecar.start({ kubeconfig, args: ["--heartbeat-interval=1s"] });
    const jobs = async () =>
      (await sidecar.api<Caches>("caches")).heartbeats.find(({ resource }) => resource === "jobs");
    await eventually("it is refused", async () => (await jobs())?.state === "refused");
    expect(await jobs()).toMatchObject({
      reason: expect.stringContaining("exceeded quota: none") as string,
      remedy: expect.stringContaining(`the quota of the namespace ${namespace}`) as string,
    });
    await access.raw.delete(`${quotas}/none`);
    await eventually("it beats", async () => (await jobs())?.state === "beating");
  });

  test("are in one sidecar of two in a namespace, and go on when that one is killed", async () => {
    const namespace = await access.namespace("heartbeat");
    const start = (): Promise<Sidecar> =>
      Sidecar.start({ kubeconfig: access.kubeconfig({ namespace }), args: ["--heartbeat-interval=1s"] });
    const first = await start();
    await eventually("the first beats", async () => String(await stateOf(first)) === "beating,beating");
    await using second = await start();
    await eventually("the second stands by", async () => String(await stateOf(second)) === "standby,standby");
    await first[Symbol.asyncDispose](); // without a chance to remove anything
    await eventually("the second beats", async () => String(await stateOf(second)) === "beating,beating");
    expect(await second.stop()).toBe(0);
    expect(await objects(namespace)).toEqual([undefined, undefined]);
  });
});
