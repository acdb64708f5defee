import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Clock, systemClock, type Transport } from "../../src/base/index.ts";
import { genericParent } from "../../src/jobs/index.ts";
import { type Diagnosis, type DoctorOptions, examine } from "../../src/sidecar/index.ts";
import { ScrapeError } from "../../src/scrape/index.ts";
import { EmbeddedCluster, VirtualClock } from "../../src/testing/index.ts";
import { FakeTarget } from "./fake-target.ts";

let cluster: EmbeddedCluster;
beforeEach(async () => {
  cluster = await EmbeddedCluster.start({ clock: systemClock, users: { valid: "somebody" } });
});
afterEach(() => cluster[Symbol.asyncDispose]());

/** The transport with further headers on its requests and answers. */
function changed(
  transport: Transport,
  asked: Record<string, string>,
  answered: Record<string, string> = {},
): Transport {
  return {
    async exchange(request) {
      const answer = await transport.exchange({ ...request, headers: { ...request.headers, ...asked } });
      return { ...answer, headers: { ...answer.headers, ...answered } };
    },
    close: () => transport.close(),
  };
}

async function diagnoses(more: Partial<DoctorOptions> = {}): Promise<Diagnosis[]> {
  const found: Diagnosis[] = [];
  const options: DoctorOptions = {
    cluster: { server: "https://kube.example:6443", transport: cluster.transport() },
    namespaces: [],
    watch: [],
    variables: {},
    clock: systemClock,
    signal: AbortSignal.timeout(10_000),
    ...more,
  };
  for await (const diagnosis of examine(options)) found.push(diagnosis);
  return found;
}

async function diagnosis(check: string, more?: Partial<DoctorOptions>): Promise<Diagnosis | undefined> {
  return (await diagnoses(more)).find((each) => each.check === check);
}

async function remediesIn(namespaces: readonly string[]): Promise<unknown[]> {
  return (await diagnoses({ namespaces })).filter(({ ok }) => !ok).map(({ remedy }) => remedy);
}

describe("the doctor", () => {
  it("finds nothing wrong where nothing is", async () => {
    expect(await diagnoses({ watch: [{ group: "", version: "v1", resource: "configmaps" }] })).toEqual([
      { check: "tracing", ok: true, found: "off: OTEL_EXPORTER_OTLP_ENDPOINT is not set" },
      { check: "cluster", ok: true, found: "https://kube.example:6443 answers" },
      { check: "version", ok: true, found: expect.stringMatching(/^Kubernetes v1\.\d+\.\d+/) as string },
      { check: "clock", ok: true, found: "the server does not tell its time" },
      { check: "access", ok: true, found: "may list and watch jobs.batch in all namespaces" },
      { check: "access", ok: true, found: "may list and watch pods in all namespaces" },
      { check: "access", ok: true, found: "may list and watch cronjobs.batch in all namespaces" },
      { check: "access", ok: true, found: "may list and watch leases.coordination.k8s.io in all namespaces" },
      { check: "access", ok: true, found: "may list events in all namespaces, to say why something is stuck" },
      { check: "access", ok: true, found: "may list nodes in the cluster, to say why something is stuck" },
      { check: "access", ok: true, found: "may list namespaces in the cluster, to say why something is stuck" },
      { check: "access", ok: true, found: "may list and watch configmaps in all namespaces" },
    ]);
  });

  it("names the rule to add, for each namespace on its own", async () => {
    cluster.forbid({ verb: "watch", resource: "jobs", namespace: "bank" });
    cluster.forbid({ resource: "pods" });
    const ofJobsAndPods = /\b(jobs\.batch|pods)\b/;
    const access = (await diagnoses({ namespaces: ["shop", "bank"] })).filter(({ found }) => ofJobsAndPods.test(found));
    const pods = '{apiGroups: [""], resources: ["pods"], verbs: ["list", "watch"]}';
    expect(access.map(({ ok, found, remedy }) => [ok, found, remedy])).toEqual([
      [true, "may list and watch jobs.batch in namespace shop", undefined],
      [
        false,
        "may not watch jobs.batch in namespace bank",
        'add to a Role in bank: {apiGroups: ["batch"], resources: ["jobs"], verbs: ["list", "watch"]}',
      ],
      [false, "may not list or watch pods in namespace shop", `add to a Role in shop: ${pods}`],
      [false, "may not list or watch pods in namespace bank", `add to a Role in bank: ${pods}`],
    ]);
  });

  it("asks for events where it watches, and for nodes only where that is everywhere", async () => {
    cluster.forbid({ resource: "events" });
    cluster.forbid({ resource: "nodes" });
    const events = '{apiGroups: [""], resources: ["events"], verbs: ["list"]}';
    expect(await remediesIn(["shop"])).toEqual([`add to a Role in shop: ${events}`]);
    expect(await remediesIn([])).toEqual([
      `add to a ClusterRole: ${events}`,
      'add to a ClusterRole: {apiGroups: [""], resources: ["nodes"], verbs: ["list"]}',
    ]);
  });

  it("asks for the kinds that are judged where they are installed, and only there", async () => {
    const runs = { group: "example.com", version: "v1", kind: "Run", resource: "runs", namespaced: true };
    const installed = [{ group: "kueue.x-k8s.io", version: "v1beta1", kind: "Workload", resource: "workloads" }, runs];
    const parents = [genericParent(runs)];
    const denied = async (): Promise<unknown[]> => {
      const all = await diagnoses({ parents });
      return all.filter(({ ok }) => !ok).map(({ found }) => found);
    };
    for (const { resource } of installed) cluster.forbid({ resource });
    expect(await denied()).toEqual([]);
    for (const kind of installed) cluster.register(kind);
    expect(await denied()).toEqual([
      "may not list or watch workloads.kueue.x-k8s.io in all namespaces",
      "may not list or watch runs.example.com in all namespaces",
    ]);
  });

  describe("of what is written", () => {
    const leaderElection = { lease: { namespace: "ops", name: "stalewatch" } };
    const heartbeat = { namespace: "ops" };
    const writes = async (): Promise<Diagnosis[]> =>
      (await diagnoses({ leaderElection, heartbeat })).filter(({ found }) => /, to (stand|keep)/.test(found));

    it("says what an election and heartbeats may do, a line each", async () => {
      const all = "get, create, patch, delete, list and watch";
      expect((await writes()).map(({ ok, found }) => [ok, found])).toEqual([
        [true, "may get, create and patch leases.coordination.k8s.io in namespace ops, to stand for election"],
        [true, `may ${all} jobs.batch in namespace ops, to keep its heartbeat`],
        [true, `may ${all} leases.coordination.k8s.io in namespace ops, to keep its heartbeat`],
      ]);
    });

    it("names the rule to add, and to which objects it may be limited", async () => {
      cluster.forbid({ verb: "create", resource: "jobs" });
      cluster.forbid({ verb: "patch", resource: "leases", name: "stalewatch" });
      const verbs = '["get", "create", "patch", "delete", "list", "watch"]';
      const rule = `{apiGroups: ["batch"], resources: ["jobs"], verbs: ${verbs}}`;
      const election = '{apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "create", "patch"]}';
      const limit = " (all but create may be limited to resourceNames: ";
      expect((await writes()).filter(({ ok }) => !ok).map(({ found, remedy }) => [found, remedy])).toEqual([
        [
          "may not patch leases.coordination.k8s.io in namespace ops, to stand for election",
          `add to a Role in ops: ${election}${limit}["stalewatch"])`,
        ],
        [
          "may not create jobs.batch in namespace ops, to keep its heartbeat",
          `add to a Role in ops: ${rule}${limit}["stalewatch-heartbeat"])`,
        ],
      ]);
    });
  });

  it("knows cluster-scoped kinds", async () => {
    const nodes = [{ group: "", version: "v1", resource: "namespaces" }];
    const access = await diagnoses({ namespaces: ["shop"], watch: nodes });
    expect(access.at(-1)).toEqual({ check: "access", ok: true, found: "may list and watch namespaces in the cluster" });
  });

  it("names the kind that was probably meant", async () => {
    const watch = [{ group: "apps", version: "v1", resource: "cronjobs" }];
    expect(await diagnosis("watch", { watch })).toEqual({
      check: "watch",
      ok: false,
      found: "the API server does not serve cronjobs.v1.apps",
      remedy: "did you mean batch/v1/cronjobs?",
    });
  });

  it("stops at a server that does not answer", async () => {
    cluster.faults.unreachable(true);
    const all = await diagnoses();
    expect(all.map(({ check }) => check)).toEqual(["tracing", "cluster"]);
    expect(all[1]).toMatchObject({
      ok: false,
      found: expect.stringMatching(/ECONNREFUSED/) as string,
      remedy: expect.stringContaining("API server") as string,
    });
  });

  it("tells credentials that are not accepted from a server that is away", async () => {
    const transport = changed(cluster.transport(), { authorization: "Bearer expired" });
    const all = await diagnoses({ cluster: { server: "https://kube.example:6443", transport } });
    expect(all.at(-1)).toEqual({
      check: "credentials",
      ok: false,
      found: expect.stringMatching(/401/) as string,
      remedy: "renew the token or client certificate of this user",
    });
  });

  it.each([
    [0, true, "within 1 s of the server's"],
    [-4_000, true, "within 5 s of the server's"],
    [-60_000, false, "61 s behind the server's"],
    [60_000, false, "60 s ahead of the server's"],
  ])("compares clocks: ours %i ms off", async (offMs, ok, found) => {
    const serverTime = Date.UTC(2026, 0, 2, 3, 4, 5);
    const clock: Clock = { ...systemClock, now: () => serverTime + offMs };
    const transport = changed(cluster.transport(), {}, { date: new Date(serverTime).toUTCString() });
    const clockDiagnosis = await diagnosis("clock", { clock, cluster: { server: "https://kube.example", transport } });
    expect(clockDiagnosis).toMatchObject({ ok, found });
    expect(clockDiagnosis?.remedy === undefined).toBe(ok);
  });

  it("tells a version whose pods lack the label that they are found by", async () => {
    const body = JSON.stringify({ major: "1", minor: "26+", gitVersion: "v1.26.3" });
    const old: Transport = {
      exchange: () =>
        Promise.resolve({
          status: 200,
          headers: { "content-type": "application/json" },
          body: [Buffer.from(body)] as never,
        }),
      close: () => Promise.resolve(),
    };
    const found = await diagnosis("version", { cluster: { server: "https://old.example", transport: old } });
    expect(found).toMatchObject({
      ok: false,
      found: "Kubernetes v1.26.3",
      remedy: expect.stringContaining("1.27") as string,
    });
  });

  it("reads each target once: whether it answers, and says where its caches stand", async () => {
    const kcm = new FakeTarget(systemClock);
    kcm.store({ resource: "pods", value: 5 });
    const follower = new FakeTarget(systemClock);
    follower.store({ resource: "pods", value: 5 });
    follower.more = 'leader_election_master_status{name="kube-controller-manager"} 0\n';
    const old = new FakeTarget(systemClock);
    const closed = new FakeTarget(systemClock);
    closed.failure = new ScrapeError("unauthorized", "https://closed.test answers 401", "give a token");
    const targets = [kcm.as("kcm"), follower.as("standby"), old.as("old"), closed.as("closed")];
    const found = (await diagnoses({ targets })).filter(({ check }) => check === "target");
    expect(found).toEqual([
      { check: "target", ok: true, found: "kcm publishes the versions of 1 cache" },
      {
        check: "target",
        ok: true,
        found:
          "standby publishes the versions of 1 cache, and follows another leader: until it leads, they are not judged",
      },
      {
        check: "target",
        ok: false,
        found: "old answers, but does not say at which versions its caches stand",
        remedy: expect.stringContaining("from 1.36 on") as string,
      },
      { check: "target", ok: false, found: "closed: https://closed.test answers 401", remedy: "give a token" },
    ]);
    expect([kcm.closed, closed.closed, kcm.reads]).toEqual([true, true, 1]);
  });

  it("gives a target up that does not answer, by the clock that it is given", async () => {
    const clock = new VirtualClock();
    const slow = new FakeTarget(clock);
    slow.delayMs = 3_600_000;
    const asked = diagnosis("target", { targets: [slow.as("slow")], clock });
    await vi.waitUntil(() => slow.reads === 1);
    await clock.advance(10_000);
    expect(await asked).toEqual({
      check: "target",
      ok: false,
      found: "slow: http://slow.test/metrics has not answered completely within 10 s",
      remedy: "check its load and the network",
    });
    expect(slow.closed).toBe(true);
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://user:secret@collector:4318/x" }, true, "on, to http://collector:4318"],
    [{ OTEL_TRACES_EXPORTER: "console" }, true, "on, to the exporter that OTEL_TRACES_EXPORTER names"],
    [
      { OTEL_TRACES_EXPORTER: "none", OTEL_EXPORTER_OTLP_ENDPOINT: "http://a" },
      true,
      "off: OTEL_EXPORTER_OTLP_ENDPOINT is not set",
    ],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "collector" }, false, "the endpoint is not an address"],
  ])("says where traces go: %j", async (variables, ok, found) => {
    expect(await diagnosis("tracing", { variables })).toMatchObject({ ok, found });
  });
});
