import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Controller, Manager, type ManagerOptions } from "../../src/controller/index.ts";
import { KubeClient } from "../../src/kube/index.ts";
import { resources } from "../../src/resources/index.ts";
import { EmbeddedCluster, VirtualClock } from "../../src/testing/index.ts";
import { jobFor, type Run, runs } from "./objects.ts";
import { RecordingMeter } from "./recording.ts";

const { jobs } = resources;
const OFF = "StaleControllerConsistencyRun=false";

let clock: VirtualClock;
let cluster: EmbeddedCluster;
let candidates: Candidate[];
beforeEach(async () => {
  clock = new VirtualClock();
  cluster = await EmbeddedCluster.start({ clock });
  cluster.register({ ...runs, subresources: ["status"] });
  candidates = [];
});
afterEach(async () => {
  for (const candidate of candidates) candidate.stop.abort();
  await pass(60_000);
  await Promise.all(candidates.map(({ ended }) => ended));
  await cluster[Symbol.asyncDispose]();
});

const pass = (ms: number): Promise<void> => cluster.settle({ advance: ms });

/** One of several managers that stand by one lease; its controller gives each Run one Job, and sweeps. */
class Candidate {
  readonly stop = new AbortController();
  readonly meter = new RecordingMeter();
  readonly manager: Manager;
  readonly ended: Promise<void>;
  sweeps = 0;

  constructor(identity: string, more: Partial<ManagerOptions> = {}) {
    const env = { clock, random: () => 0.5, meter: this.meter };
    const controller = new Controller<Run>("runner", {
      for: runs,
      owns: [jobs],
      async reconcile({ object: run, cached, write }) {
        if (cached(jobs).ownedBy(run).length === 0) await write.create(jobs, jobFor(run));
      },
      sweep: () => void (this.sweeps += 1),
    });
    this.manager = new Manager({
      controllers: [controller],
      client: new KubeClient({ transport: cluster.transport(), env }),
      leaderElection: { lease: { namespace: "default", name: "runner" }, identity },
      syncPeriod: "10m",
      env,
      ...more,
    });
    this.ended = this.manager.run({ signal: this.stop.signal });
    candidates.push(this);
  }

  get state(): string {
    return this.manager.status().state;
  }

  reads(resource: string): number {
    return this.meter.total("stalewatch_consistent_reads_total", { resource, reason: "new_leader" });
  }
}

async function two(more: Partial<ManagerOptions> = {}): Promise<[Candidate, Candidate]> {
  const first = new Candidate("a", more);
  await pass(0);
  const second = new Candidate("b", more);
  await pass(30_000);
  expect([first.state, second.state]).toEqual(["running", "standing"]);
  return [first, second];
}

/** The first leader makes a Job for a Run and goes; the second one's cache of Jobs is late by then. */
async function takeover(featureGates: string): Promise<Candidate> {
  const [first, second] = await two({ featureGates });
  cluster.faults.delay(jobs, 8_000);
  cluster.objects.create(runs, { metadata: { name: "export", namespace: "shop" }, spec: { approved: true } });
  await pass(0);
  expect(cluster.objects.list(jobs)).toHaveLength(1);
  first.stop.abort();
  await pass(60_000);
  expect(second.state).toBe("running");
  return second;
}

describe("a new leader", () => {
  test("does not do again what its predecessor did and its cache does not show", async () => {
    const second = await takeover("");
    expect(cluster.objects.list(jobs)).toHaveLength(1);
    expect([second.reads("runs"), second.reads("jobs")]).toEqual([1, 1]);
  });

  test("does, with the gate off", async () => {
    const second = await takeover(OFF);
    expect(cluster.objects.list(jobs).length).toBeGreaterThan(1);
    expect(second.reads("jobs")).toBe(0);
  });

  test("does not stand idle because nothing happens: caches at rest are listed anew after 5 s", async () => {
    const [first, second] = await two();
    for (const kind of [runs, jobs]) cluster.faults.withholdBookmarks(kind);
    first.stop.abort();
    await pass(10_000);
    expect(second.state).toBe("running");
    expect(second.meter.total("stalewatch_relists_total", { reason: "verification" })).toBe(2);
  });

  test("asks until it is answered", async () => {
    const [first, second] = await two();
    const fault = cluster.faults.failRequests({ match: { verb: "list", resource: "jobs" }, status: 500 });
    first.stop.abort();
    await pass(30_000);
    expect(second.manager.status().controllers[0]?.passes).toMatchObject({ noop: 0, changed: 0 });
    expect(second.reads("jobs")).toBeGreaterThan(3);
    expect(second.reads("jobs")).toBeLessThan(8);
    fault.stop();
    await pass(10_000);
    expect(second.state).toBe("running");
  });

  test("stops at once when it is told to while it waits", async () => {
    const [first, second] = await two();
    cluster.faults.failRequests({ match: { verb: "list", resource: "jobs" }, status: 500 });
    first.stop.abort();
    await pass(30_000);
    second.stop.abort();
    await pass(1_000);
    await second.ended;
    expect(second.state).toBe("stopped");
  });

  test("sweeps, and nobody else does", async () => {
    const [first, second] = await two();
    await pass(3 * 600_000);
    expect([first.sweeps, second.sweeps]).toEqual([3, 0]);
    first.stop.abort();
    await pass(3 * 600_000);
    expect(first.sweeps).toBe(3);
    expect(second.sweeps).toBeGreaterThanOrEqual(2);
  });
});
