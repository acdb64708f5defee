import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CachesAnswer, CacheView, HeartbeatView, JobsAnswer } from "../../src/http/index.ts";
import { HEARTBEAT_MARK, resources } from "../../src/resources/index.ts";
import type { SidecarOptions } from "../../src/sidecar/index.ts";
import { EmbeddedCluster } from "../../src/testing/index.ts";
import { lateWatches } from "../lag/late-watches.ts";
import { type Rig, startSidecar } from "./rig.ts";

const NAME = "stalewatch-heartbeat";
const KEY = `ops/${NAME}`;
const INTERVAL_MS = 5_000;
const LEASES = { group: "coordination.k8s.io", version: "v1", resource: "leases" };

let cluster: EmbeddedCluster;
beforeEach(async () => {
  cluster = await EmbeddedCluster.start();
  cluster.objects.create({ group: "", resource: "namespaces" }, { metadata: { name: "ops" } });
});
afterEach(() => cluster[Symbol.asyncDispose]());

function start(more: Partial<SidecarOptions> = {}): Promise<Rig> {
  return startSidecar(cluster, { heartbeat: { namespace: "ops", intervalMs: INTERVAL_MS }, ...more });
}

async function heartbeat(sidecar: Rig, resource = "jobs"): Promise<HeartbeatView> {
  const { heartbeats = [] } = await sidecar.json<CachesAnswer>("/api/v1/caches");
  return heartbeats.find((each) => each.resource === resource) as HeartbeatView;
}

async function cacheOf(sidecar: Rig, resource: string): Promise<CacheView> {
  const { caches } = await sidecar.json<CachesAnswer>("/api/v1/caches");
  return caches.find((each) => each.resource === resource) as CacheView;
}

/** A sample of a stage's count, or of another family with the labels of a kind. */
async function sample(sidecar: Rig, name: string, resource = "jobs", more = ""): Promise<number> {
  const { body } = await sidecar.get("metrics", "/metrics");
  const line = body.split("\n").find((each) => {
    return each.startsWith(`${name}{`) && each.includes(`resource="${resource}"`) && each.includes(more);
  });
  if (line === undefined) throw new Error(`no sample of ${name} for ${resource}`);
  return Number(line.slice(line.lastIndexOf(" ") + 1));
}

const stageCount = (sidecar: Rig, stage: string, resource = "jobs"): Promise<number> =>
  sample(sidecar, "stalewatch_heartbeat_stage_seconds_count", resource, `stage="${stage}"`);

const lost = (sidecar: Rig, resource = "jobs"): Promise<number> =>
  sample(sidecar, "stalewatch_heartbeats_lost_total", resource);

/** The transport with what an admission webhook does to Jobs as they are created. */
function defaulted(change: (job: { metadata: { labels?: object }; spec: Record<string, unknown> }) => void) {
  const inner = cluster.transport();
  return {
    exchange(request: Parameters<typeof inner.exchange>[0]) {
      if (request.method !== "POST" || !request.path.includes("/jobs")) return inner.exchange(request);
      const job = JSON.parse(request.body as string) as Parameters<typeof change>[0];
      change(job);
      return inner.exchange({ ...request, body: JSON.stringify(job) });
    },
    close: () => inner.close(),
  };
}

describe("the heartbeats of a sidecar", () => {
  it("are written at their interval, timed at each stage, evidence for the bounds, and gone at the end", async () => {
    const sidecar = await start({ watch: [LEASES] });
    await cluster.settle({ advance: 60_000 });
    expect(await heartbeat(sidecar)).toEqual({
      group: "batch",
      version: "v1",
      resource: "jobs",
      namespace: "ops",
      name: NAME,
      state: "beating",
      answeredAt: expect.stringMatching(/^2026-/) as string,
      lost: 0,
    });
    expect(cluster.objects.get(resources.jobs, KEY)).toMatchObject({
      metadata: { labels: { [HEARTBEAT_MARK]: "true" } },
      spec: { suspend: true, parallelism: 0, managedBy: HEARTBEAT_MARK },
    });
    expect(cluster.objects.get(resources.leases, KEY)).toMatchObject({ spec: { leaseDurationSeconds: 15 } });
    for (const stage of ["send", "ack", "arrival", "stored", "reconciled"]) {
      expect(await stageCount(sidecar, stage), stage).toBe(13);
    }
    for (const stage of ["send", "ack", "arrival", "stored"]) {
      expect(await stageCount(sidecar, stage, "leases"), stage).toBeGreaterThanOrEqual(12);
    }
    expect(await stageCount(sidecar, "reconciled", "leases")).toBe(0);
    expect([await lost(sidecar), await lost(sidecar, "leases")]).toEqual([0, 0]);
    expect(await cacheOf(sidecar, "jobs")).toMatchObject({ state: "fresh", confirmedBy: "heartbeat" });
    await sidecar.stop();
    expect(cluster.objects.get(resources.jobs, KEY)).toBeUndefined();
    expect(cluster.objects.get(resources.leases, KEY)).toBeUndefined();
  });

  it("are told by nobody without an interval, and nothing is written", async () => {
    await using sidecar = await start({ heartbeat: undefined as never });
    const before = cluster.currentVersion();
    await cluster.settle({ advance: 60_000 });
    expect(await sidecar.json<CachesAnswer>("/api/v1/caches")).not.toHaveProperty("heartbeats");
    expect(cluster.currentVersion()).toBe(before);
  });

  it("give the bounds an upper end where no read is made", async () => {
    await using sidecar = await start({ probeIntervalMs: 0 });
    await cluster.settle({ advance: 32_000 });
    const jobs = await cacheOf(sidecar, "jobs");
    expect(jobs).toMatchObject({ state: "fresh", confirmedBy: "heartbeat" });
    expect(jobs.lagMaxSeconds).toBeLessThanOrEqual(INTERVAL_MS / 1_000);
    expect((await cacheOf(sidecar, "pods")).lagMaxSeconds).toBeNull();
  });

  it("are in no count and no verdict", async () => {
    await using sidecar = await start();
    cluster.objects.create(resources.jobs, { metadata: { name: "a", namespace: "ops" } });
    await cluster.settle({ advance: 1_200_000 });
    const { objects, healthy, findings } = await sidecar.json<JobsAnswer>("/api/v1/jobs?all");
    expect(objects["jobs"]).toBe(1);
    expect(healthy + findings.filter(({ state }) => state === "stuck").length).toBe(1);
    expect(findings.filter(({ object }) => object.name === NAME)).toEqual([]);
    expect((await sidecar.get("metrics", "/metrics")).body).not.toContain(`name="${NAME}"`);
  });

  it("are seen nowhere but in the answer of the server where no cache holds the namespace", async () => {
    await using sidecar = await start({ namespaces: ["shop"] });
    await cluster.settle({ advance: 30_000 });
    expect(await heartbeat(sidecar)).toMatchObject({ state: "beating", lost: 0 });
    expect(await stageCount(sidecar, "arrival")).toBe(7);
    expect(await stageCount(sidecar, "stored")).toBe(0);
  });
});

describe("a heartbeat that does not come back", () => {
  it("is lost after three intervals, and its dead cache is listed again", async () => {
    let delayMs = 0;
    const transport = lateWatches(cluster.transport(), cluster.clock, () => delayMs);
    await using sidecar = await start({ cluster: { server: "embedded", transport } });
    await cluster.settle({ advance: 20_000 });
    delayMs = 10_000_000;
    await cluster.settle({ advance: INTERVAL_MS + 14_000 });
    expect(await lost(sidecar)).toBe(0);
    await cluster.settle({ advance: 1_000 });
    expect(await lost(sidecar)).toBe(1);
    delayMs = 0;
    await cluster.settle({ advance: 6_000 });
    expect(sidecar.lines.map(({ message }) => message)).toContain("a cache has stalled and is listed again");
    await cluster.settle({ advance: 6_000 });
    expect(await cacheOf(sidecar, "jobs")).toMatchObject({ state: "fresh" });
  });

  it("has a dead head watch asked after and replaced", async () => {
    await using sidecar = await start({ probeIntervalMs: 0 });
    await cluster.settle({ advance: 20_000 });
    cluster.faults.halfOpen(resources.leases);
    await cluster.settle({ advance: INTERVAL_MS + 15_000 + 6_000 });
    expect(await lost(sidecar, "leases")).toBeGreaterThanOrEqual(1);
    expect(await sample(sidecar, "stalewatch_head_watch_restarts_total", "leases", 'reason="dead"')).toBe(1);
    const before = await lost(sidecar, "leases");
    await cluster.settle({ advance: 60_000 });
    expect(await lost(sidecar, "leases")).toBe(before);
  });

  it("is measured when it comes late all the same", async () => {
    let delayMs = 0;
    const transport = lateWatches(cluster.transport(), cluster.clock, () => delayMs);
    await using sidecar = await start({ cluster: { server: "embedded", transport } });
    await cluster.settle({ advance: 10_000 });
    delayMs = 12_000;
    await cluster.settle({ advance: 60_000 });
    expect(await lost(sidecar)).toBe(0);
    expect(await sample(sidecar, "stalewatch_heartbeat_stage_seconds_sum", "jobs", 'stage="stored"')).toBeGreaterThan(
      90,
    );
    expect(await sample(sidecar, "stalewatch_heartbeat_stage_seconds_sum", "jobs", 'stage="arrival"')).toBeLessThan(1);
  });
});

describe("a heartbeat that is refused", () => {
  const quota =
    'jobs.batch "stalewatch-heartbeat" is forbidden: exceeded quota: jobs, requested: count/jobs.batch=1, used: count/jobs.batch=9, limited: count/jobs.batch=9';
  it.each([
    ["by a quota", 403, quota, /exceeded quota: jobs/, /the quota of the namespace ops/],
    [
      "by an admission webhook",
      400,
      'admission webhook "policy.example.com" denied the request: no owner',
      /denied the request: no owner/,
      /the webhook policy\.example\.com/,
    ],
    [
      "by a webhook that is down",
      500,
      'Internal error occurred: failed calling webhook "policy.example.com": no endpoints',
      /no endpoints/,
      /the webhook policy\.example\.com/,
    ],
    [
      "by an admission policy",
      422,
      "jobs.batch \"stalewatch-heartbeat\" is forbidden: ValidatingAdmissionPolicy 'limits' with binding 'all' denied request: too small",
      /too small/,
      /the policy limits/,
    ],
    [
      "in a namespace that ends",
      403,
      "unable to create new content in namespace ops because it is being terminated",
      /terminated/,
      /a namespace that stays/,
    ],
    ["as invalid", 422, "spec.template: Required value", /Required value/, /exempt the namespace ops/],
  ])(
    "%s says so with a remedy, tries again ever more rarely, and goes on",
    async (_, status, message, reason, remedy) => {
      const fault = cluster.faults.failRequests({ match: { verb: "create", resource: "jobs" }, status, message });
      await using sidecar = await start();
      await cluster.settle({ advance: 600_000 });
      const refused = await heartbeat(sidecar);
      expect(refused).toMatchObject({ state: "refused", answeredAt: null });
      expect(refused.reason).toMatch(reason);
      expect(refused.remedy).toMatch(remedy);
      expect(fault.hits).toBeLessThan(12);
      const ready = await sidecar.get("health", "/readyz?verbose");
      expect(ready.status).toBe(200);
      expect(ready.body).toMatch(/^\[\+\]heartbeat-jobs ok: refused: /m);
      expect(sidecar.lines.filter(({ message: said }) => said === "the heartbeat does not beat")).toHaveLength(1);
      expect(await heartbeat(sidecar, "leases")).toMatchObject({ state: "beating" });
      fault.stop();
      await cluster.settle({ advance: 300_000 });
      expect(await heartbeat(sidecar)).toMatchObject({ state: "beating" });
    },
  );

  it("by RBAC names the rule to add", async () => {
    const allow = cluster.forbid({ verb: "create", resource: "jobs", namespace: "ops" });
    await using sidecar = await start();
    const verbs = '["get", "create", "patch", "delete", "list", "watch"]';
    const rule = `{apiGroups: ["batch"], resources: ["jobs"], verbs: ${verbs}}`;
    expect(await heartbeat(sidecar)).toMatchObject({ state: "refused", remedy: `add to a Role in ops: ${rule}` });
    allow();
    await cluster.settle({ advance: 60_000 });
    expect(await heartbeat(sidecar)).toMatchObject({ state: "beating" });
  });

  it("by a server that is away is failing, and beats again soon after", async () => {
    await using sidecar = await start();
    await cluster.settle({ advance: 10_000 });
    cluster.faults.unreachable(true);
    await cluster.settle({ advance: 60_000 });
    expect(await heartbeat(sidecar)).toMatchObject({
      state: "failing",
      reason: expect.stringMatching(/REFUSED/) as string,
    });
    cluster.faults.unreachable(false);
    await cluster.settle({ advance: INTERVAL_MS });
    expect(await heartbeat(sidecar)).toMatchObject({ state: "beating" });
  });

  it("whose answers are lost is written all the same, and known as its own", async () => {
    await using sidecar = await start();
    await cluster.settle({ advance: 10_000 });
    cluster.faults.loseAnswers({ match: { verb: "patch", resource: "jobs" }, times: 1 });
    await cluster.settle({ advance: INTERVAL_MS });
    expect(await heartbeat(sidecar)).toMatchObject({ state: "failing" });
    await cluster.settle({ advance: INTERVAL_MS });
    expect(await heartbeat(sidecar)).toMatchObject({ state: "beating", lost: 0 });
    expect(sidecar.lines.map(({ fields }) => fields["state"])).not.toContain("disturbed");
  });
});

describe("a heartbeat's object in others' hands", () => {
  it("is made again when somebody deletes it, ever more slowly", async () => {
    await using sidecar = await start();
    await cluster.settle({ advance: 12_000 });
    cluster.objects.delete(resources.jobs, KEY);
    await cluster.settle({ advance: 3_500 });
    expect(await heartbeat(sidecar)).toMatchObject({
      state: "disturbed",
      reason: `somebody deleted the Job ${KEY}`,
      remedy: expect.stringContaining("clean-up") as string,
    });
    await cluster.settle({ advance: 10_000 });
    expect(await heartbeat(sidecar)).toMatchObject({ state: "beating", lost: 0 });
  });

  it("is written to again when somebody has changed it harmlessly", async () => {
    await using sidecar = await start();
    await cluster.settle({ advance: 12_000 });
    cluster.objects.patch(resources.jobs, KEY, { metadata: { labels: { team: "a" } } });
    await cluster.settle({ advance: 3_500 });
    expect(await heartbeat(sidecar)).toMatchObject({ state: "disturbed", reason: `somebody changed the Job ${KEY}` });
    await cluster.settle({ advance: 10_000 });
    expect(await heartbeat(sidecar)).toMatchObject({ state: "beating" });
  });

  it.each([
    ["takes it out of suspension", { spec: { suspend: false } }, /spec\.suspend to false/],
    ["gives it pods", { spec: { parallelism: 1 } }, /spec\.parallelism to 1/],
    [
      "queues it in Kueue",
      { metadata: { labels: { "kueue.x-k8s.io/queue-name": "default" } } },
      /Kueue queue "default"/,
    ],
  ])("is removed for good when somebody %s", async (_, change, reason) => {
    await using sidecar = await start();
    await cluster.settle({ advance: 12_000 });
    cluster.objects.patch(resources.jobs, KEY, change);
    await cluster.settle({ advance: INTERVAL_MS });
    const withdrawn = await heartbeat(sidecar);
    expect(withdrawn).toMatchObject({ state: "withdrawn" });
    expect(withdrawn.reason).toMatch(reason);
    expect(withdrawn.remedy).toContain("exempt the namespace ops");
    await cluster.settle({ advance: 600_000 });
    expect(cluster.objects.get(resources.jobs, KEY)).toBeUndefined();
    expect(await heartbeat(sidecar, "leases")).toMatchObject({ state: "beating" });
  });

  it("is removed at once where Kueue's defaulting queues it as it is made", async () => {
    const transport = defaulted((job) => {
      job.metadata.labels = { ...job.metadata.labels, "kueue.x-k8s.io/queue-name": "team" };
    });
    await using sidecar = await start({ cluster: { server: "embedded", transport } });
    expect(await heartbeat(sidecar)).toMatchObject({
      state: "withdrawn",
      reason: expect.stringContaining('Kueue queue "team"') as string,
    });
    expect(cluster.objects.get(resources.jobs, KEY)).toBeUndefined();
  });

  it("is not kept on a server that does not know spec.managedBy", async () => {
    const transport = defaulted((job) => delete job.spec["managedBy"]);
    await using sidecar = await start({ cluster: { server: "embedded", transport } });
    expect(await heartbeat(sidecar)).toMatchObject({
      state: "withdrawn",
      reason: expect.stringContaining("1.32") as string,
    });
  });

  it("is left alone where it is no heartbeat", async () => {
    cluster.objects.create(resources.jobs, { metadata: { name: NAME, namespace: "ops" } });
    const before = cluster.objects.get(resources.jobs, KEY);
    const sidecar = await start();
    await cluster.settle({ advance: 600_000 });
    expect(await heartbeat(sidecar)).toMatchObject({
      state: "refused",
      reason: `a Job ${KEY} is there that is no heartbeat`,
    });
    await sidecar.stop();
    expect(cluster.objects.get(resources.jobs, KEY)).toEqual(before);
  });
});

describe("several sidecars in one namespace", () => {
  it("share the objects: one beats, the other stands by and takes over when that has stopped", async () => {
    const first = await start();
    await using second = await start();
    await cluster.settle({ advance: 60_000 });
    expect(await heartbeat(first)).toMatchObject({ state: "beating" });
    const standby = await heartbeat(second);
    expect(standby).toMatchObject({
      state: "standby",
      remedy: expect.stringContaining("namespace of its own") as string,
    });
    expect(standby.reason).toContain(`the Job ${KEY} is kept by `);
    expect(first.lines.map(({ fields }) => fields["state"])).not.toContain("disturbed");
    await first.stop();
    await cluster.settle({ advance: INTERVAL_MS });
    expect(await heartbeat(second)).toMatchObject({ state: "beating" });
  });

  it("tell of a holder with a hostile name in one short line", async () => {
    const holder = { [`${HEARTBEAT_MARK}-holder`]: `\u001b[2J\n${"x".repeat(10_000)}` };
    const metadata = { name: NAME, namespace: "ops", labels: { [HEARTBEAT_MARK]: "true" }, annotations: holder };
    cluster.objects.create(resources.leases, { metadata });
    await using sidecar = await start();
    const { state, reason = "" } = await heartbeat(sidecar, "leases");
    expect(state).toBe("standby");
    expect(reason).toContain("is kept by \\x1b[2J xxx");
    expect(reason?.length).toBeLessThan(250);
  });

  it("take over the object of one that died, once it has been silent for long enough", async () => {
    const holder = { [`${HEARTBEAT_MARK}-holder`]: "dead", [`${HEARTBEAT_MARK}-silent-after-seconds`]: "60" };
    const metadata = { name: NAME, namespace: "ops", labels: { [HEARTBEAT_MARK]: "true" }, annotations: holder };
    const { uid } = cluster.objects.create(resources.leases, { metadata }).metadata as { uid: string };
    const sidecar = await start();
    await cluster.settle({ advance: 60_000 });
    expect(await heartbeat(sidecar, "leases")).toMatchObject({ state: "standby" });
    await cluster.settle({ advance: INTERVAL_MS });
    expect(await heartbeat(sidecar, "leases")).toMatchObject({ state: "beating" });
    expect(cluster.objects.get(resources.leases, KEY)?.metadata).toMatchObject({ uid });
    await sidecar.stop();
    expect(cluster.objects.get(resources.leases, KEY)).toBeUndefined();
  });

  it("with an election write in the one that leads alone", async () => {
    const leaderElection = { lease: { namespace: "ops", name: "stalewatch" } };
    const first = await start({ leaderElection });
    await using second = await start({ leaderElection });
    await cluster.settle({ advance: 30_000 });
    expect(await heartbeat(first)).toMatchObject({ state: "beating" });
    expect(await heartbeat(second)).toMatchObject({ state: "standby", reason: "another replica leads, or none yet" });
    await first.stop();
    await cluster.settle({ advance: 10_000 });
    expect(await heartbeat(second)).toMatchObject({ state: "beating" });
  });
});
