import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ExchangeRequest } from "../../src/base/index.ts";
import { Controller, Manager, type ManagerOptions, type Pass } from "../../src/controller/index.ts";
import { LeadershipLostError } from "../../src/election/index.ts";
import { KubeClient } from "../../src/kube/index.ts";
import { resources } from "../../src/resources/index.ts";
import { EmbeddedCluster, VirtualClock } from "../../src/testing/index.ts";
import { SimulatedProcess } from "../election/simulated-process.ts";
import { type Run, runs } from "./objects.ts";
import { RecordingMeter } from "./recording.ts";

const { events, leases } = resources;
const LEASE = { namespace: "default", name: "runner" };
/** A new leader makes sure that its caches show what was written before: a cache at rest is listed anew after 5 s. */
const CAUGHT_UP_MS = 5_000;

let clock: VirtualClock;
let cluster: EmbeddedCluster;
let replicas: Replica[];
beforeEach(async () => {
  clock = new VirtualClock();
  cluster = await EmbeddedCluster.start({ clock });
  cluster.register({ ...runs, subresources: ["status"] });
  replicas = [];
});
afterEach(async () => {
  for (const replica of replicas) replica.stop();
  await pass(60_000);
  await cluster[Symbol.asyncDispose]();
});

const pass = (ms: number): Promise<void> => cluster.settle({ advance: ms });
const holder = (): string | undefined => cluster.objects.get(leases, LEASE)?.spec.holderIdentity;

function createRun(name: string): void {
  cluster.objects.create(runs, { metadata: { name, namespace: "shop" }, spec: { approved: true } });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
}

interface ReplicaOptions extends Partial<ManagerOptions> {
  reconcile?: (pass: Pass<Run>) => Promise<void>;
}

/** A manager with one controller in a process of its own. Unless told otherwise its passes write who made them. */
class Replica {
  readonly process: SimulatedProcess;
  readonly manager: Manager;
  readonly meter = new RecordingMeter();
  readonly requests: ExchangeRequest[] = [];
  readonly passes: string[] = [];
  readonly lines: { message: string; fields: object }[] = [];
  /** What `run` rejects with; undefined when it resolves. */
  readonly ended: Promise<unknown>;
  over = false;
  readonly #stop = new AbortController();

  constructor(identity: string, { reconcile, ...options }: ReplicaOptions = {}) {
    this.process = new SimulatedProcess(clock, cluster.transport(), (request) => void this.requests.push(request));
    const note = (message: string, fields: object = {}): void => void this.lines.push({ message, fields });
    const log = { debug: note, info: note, warn: note, error: note };
    const env = { clock: this.process, random: () => 0.5, meter: this.meter, log };
    const controller = new Controller<Run>("runner", {
      for: runs,
      reconcile: async (pass) => {
        this.passes.push(`${pass.key} ${pass.object.status?.phase ?? ""}`.trim());
        await (reconcile ?? (({ object, write }) => write.patchStatus(object, { phase: `by ${identity}` })))(pass);
      },
    });
    this.manager = new Manager({
      controllers: [controller],
      client: new KubeClient({ transport: this.process, env }),
      leaderElection: {
        lease: LEASE,
        identity,
        client: new KubeClient({ transport: this.process, env, pool: "election" }),
      },
      syncPeriod: 0,
      env,
      ...options,
    });
    this.ended = this.manager
      .run({ signal: this.#stop.signal })
      .then(
        () => undefined,
        (error: unknown) => error,
      )
      .finally(() => {
        this.over = true;
      });
    replicas.push(this);
  }

  stop(): void {
    this.#stop.abort();
    this.process.resume();
    this.process.network = "fine";
  }

  get state(): string {
    return this.manager.status().state;
  }

  writes(): number {
    return this.requests.filter(({ method, path }) => method === "PATCH" && path.includes("/runs/")).length;
  }
}

describe("of two managers with one lease", () => {
  test("one makes passes; the other keeps its caches filled and its queue empty, and takes over", async () => {
    for (const name of ["one", "two"]) createRun(name);
    const first = new Replica("a");
    await pass(0);
    const second = new Replica("b");
    await pass(30_000);
    expect([first.state, second.state]).toEqual(["running", "standing"]);
    expect(first.passes.length).toBeGreaterThanOrEqual(2);
    expect(second.passes).toEqual([]);
    expect(second.manager.status()).toMatchObject({
      caches: [{ objects: 2, synced: true }],
      controllers: [{ queue: { depth: {} } }],
    });
    expect(second.meter.total("workqueue_depth")).toBe(0);
    expect([first, second].map(({ meter }) => meter.total("leader_election_master_status"))).toEqual([1, 0]);
    first.stop();
    await pass(4_400);
    expect(await first.ended).toBeUndefined();
    expect(holder()).toBe("b");
    await pass(CAUGHT_UP_MS);
    expect(second.state).toBe("running");
    expect(second.passes.filter((pass) => pass.endsWith("by a"))).toEqual(["shop/one by a", "shop/two by a"]);
  });

  test("the second begins when its cache shows what the first has written", async () => {
    createRun("one");
    const first = new Replica("a");
    await pass(0);
    const second = new Replica("b");
    await pass(10_000);
    cluster.faults.delay(runs, 8_000);
    cluster.objects.patch(runs, "shop/one", { status: { phase: "late" } });
    first.stop();
    await pass(4_400);
    expect(holder()).toBe("b");
    expect(second.state).toBe("catching-up");
    await pass(15_000);
    expect(second.passes[0]).toBe("shop/one late");
  });

  test("the second does not stand before its caches are filled", async () => {
    createRun("one");
    const first = new Replica("a");
    await pass(0);
    const allow = cluster.forbid({ resource: "runs" });
    const second = new Replica("b");
    first.stop();
    await pass(20_000);
    expect([second.state, holder()]).toEqual(["syncing", ""]);
    allow();
    await pass(60_000);
    expect([second.state, holder()]).toEqual(["running", "b"]);
  });

  test("one that stops while it stands leaves the lease alone", async () => {
    const first = new Replica("a");
    await pass(0);
    const second = new Replica("b");
    await pass(10_000);
    second.stop();
    await pass(0);
    expect(await second.ended).toBeUndefined();
    expect(holder()).toBe("a");
    expect(first.state).toBe("running");
  });

  test("the lease is kept until the last pass has ended", async () => {
    createRun("one");
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const reconcile = async ({ object, write }: Pass<Run>): Promise<void> => {
      await held;
      await write.patchStatus(object, { phase: "finished" });
    };
    const first = new Replica("a", { reconcile });
    await pass(CAUGHT_UP_MS);
    const second = new Replica("b");
    first.stop();
    await pass(25_000);
    expect([first.state, second.state, holder()]).toEqual(["draining", "standing", "a"]);
    release();
    await pass(4_400);
    expect(await first.ended).toBeUndefined();
    expect(holder()).toBe("b");
    await pass(CAUGHT_UP_MS);
    expect(second.passes[0]).toBe("shop/one finished");
  });

  test("both are told of by Events on the lease, in client-go's words", async () => {
    const first = new Replica("a");
    await pass(1_000);
    first.stop();
    await pass(0);
    const told = cluster.objects.list(events).filter(({ reason }) => reason === "LeaderElection");
    expect(told.map(({ message }) => message)).toEqual(["a became leader", "a stopped leading"]);
    expect(told[0]).toMatchObject({ type: "Normal", involvedObject: { kind: "Lease", ...LEASE } });
  });
});

describe("a manager that loses its lease", () => {
  test("aborts passes at once with the loss, refuses their writes, and rejects", async () => {
    createRun("one");
    const seen: unknown[] = [];
    const reconcile = async ({ object, write, signal }: Pass<Run>): Promise<void> => {
      await aborted(signal);
      seen.push(signal.reason);
      await write.patchStatus(object, { phase: "late" }).catch((error: unknown) => seen.push(error));
    };
    const first = new Replica("a", { reconcile });
    await pass(6_500); // The last renewal was 500 ms ago.
    first.process.network = "black hole";
    await pass(9_499);
    expect(seen).toEqual([]);
    await pass(1);
    expect(seen).toEqual([expect.any(LeadershipLostError), expect.objectContaining({ code: "PASS_OVER" })]);
    expect(await first.ended).toBe(seen[0]);
    expect(first.state).toBe("stopped");
    expect(first.writes()).toBe(0);
  });

  test("does so while it drains, too", async () => {
    createRun("one");
    const first = new Replica("a", { reconcile: ({ signal }) => aborted(signal) });
    await pass(CAUGHT_UP_MS);
    first.stop();
    first.process.network = "black hole";
    await pass(10_000);
    expect(await first.ended).toBeInstanceOf(LeadershipLostError);
  });

  test("does not wait for a pass that heeds nothing, and names it", async () => {
    createRun("one");
    const first = new Replica("a", { reconcile: () => new Promise(() => {}) });
    await pass(6_000);
    first.process.network = "refused";
    await pass(10_000);
    expect(first.over).toBe(false);
    await pass(2_000);
    expect(await first.ended).toBeInstanceOf(LeadershipLostError);
    expect(first.lines).toContainEqual({
      message: "failed while it stopped leading",
      fields: {
        error: expect.stringContaining("still running 2s after the lease was lost: runner (shop/one)") as string,
      },
    });
  });

  test.each([
    ["asleep for 20 s", 20_000, "NOT_LEADER", 0],
    ["not asleep", 0, undefined, 1],
  ])("does not send a write when it was %s just before it", async (_what, ms, code, writes) => {
    createRun("one");
    const errors: unknown[] = [];
    const replica = new Replica("a", {
      reconcile: async ({ object, write }) => {
        replica.process.shiftWall(ms);
        await write.patchStatus(object, { phase: "now" }).catch((error: { code: string }) => errors.push(error.code));
      },
    });
    await pass(CAUGHT_UP_MS);
    expect(errors).toEqual(code === undefined ? [] : [code]);
    expect(replica.writes() > 0).toBe(writes > 0);
  });

  test("does not send a write that waited too long for its turn", async () => {
    createRun("one");
    cluster.faults.failRequests({ match: { resource: "runs", verb: "patch" }, status: 429, retryAfter: 5 });
    const first = new Replica("a");
    await pass(CAUGHT_UP_MS);
    expect(first.writes()).toBe(1);
    first.process.pause();
    await pass(20_000);
    first.process.resume();
    await pass(5_000);
    expect(first.writes()).toBe(1);
    expect(await first.ended).toBeInstanceOf(LeadershipLostError);
    expect(cluster.objects.get(runs, "shop/one")?.status).toBeUndefined();
  });
});

test("a manager on a cluster renews by connections of its own", async () => {
  const transport = new SimulatedProcess(
    clock,
    cluster.transport(),
    ({ pool, path }) => void used.add(`${pool} ${path}`),
  );
  const used = new Set<string>();
  const close = (): Promise<void> => transport.close();
  const at = { server: "test", contextName: undefined, namespace: "shop", inCluster: false, transport };
  const controllers = [new Controller<Run>("runner", { for: runs, reconcile: () => {} })];
  const env = { clock };
  await using manager = new Manager({
    controllers,
    cluster: { ...at, close, [Symbol.asyncDispose]: close },
    leaderElection: { lease: LEASE },
    env,
  });
  const stop = new AbortController();
  const running = manager.run({ signal: stop.signal });
  await pass(10_000);
  const renewals = [...used].filter((request) => request.includes("/leases"));
  expect(renewals.length).toBeGreaterThan(0);
  for (const request of renewals) expect(request).toMatch(/^election /);
  stop.abort();
  await running;
});

test("periods that cannot keep two leaders apart are refused", async () => {
  const replica = new Replica("a", { leaderElection: { lease: LEASE, leaseDurationMs: 5_000 } });
  expect(await replica.ended).toMatchObject({ code: "BAD_ELECTION_PERIODS" });
});
