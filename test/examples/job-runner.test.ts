import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "stalewatch";
import { BLOCK_MOVE, RUN, terraformRuns } from "../../examples/job-runner/terraform-run.ts";
import { type ProcessOptions, RunnerProcess } from "./runner-process.ts";
import { NAMESPACE, World } from "./world.ts";

const { jobs, leases } = resources;

let world: World;
let runner: RunnerProcess;

beforeEach(async () => {
  world = await World.start();
  runner = new RunnerProcess(world);
});

afterEach(async () => {
  const ended = runner.stop();
  await world.pass(60_000);
  expect(await ended, "it stops without an error").toBeUndefined();
  expect(world.harm).toEqual([]);
  await world[Symbol.asyncDispose]();
});

/** Puts another process in the place of the one that runs. */
async function restart(options: ProcessOptions = {}): Promise<void> {
  const ended = runner.stop();
  await world.pass(0);
  await ended;
  runner = new RunnerProcess(world, options);
}

describe("a run", () => {
  test("is applied by one Job, in the order lease, mark, Job, status; and all of it is taken back", async () => {
    const order: string[] = [];
    const { objects } = world.cluster;
    objects.onChange(leases, ({ object: { spec } }) =>
      order.push(spec.holderIdentity ? "lease taken" : "lease given back"),
    );
    objects.onChange(jobs, ({ type }) => type === "ADDED" && order.push("Job created"));
    objects.onChange(terraformRuns, ({ object: { metadata, status } }) => {
      const marks = [
        metadata.annotations?.[BLOCK_MOVE] === undefined ? "" : "marked",
        status?.activeJob ? "named" : "",
      ];
      const now = marks.filter(Boolean).join(" and ") || "bare";
      if (order.at(-1) !== now) order.push(now);
    });
    world.create("web");
    await world.pass(20_000);
    expect(order).toEqual([
      "bare",
      "lease taken",
      "marked",
      "Job created",
      "marked and named",
      "lease given back",
      "marked",
      "bare",
    ]);
    expect(world.started).toEqual(["web apply"]);
    expect(world.reason("web")).toBe("UpToDate");
    expect(world.holders()).toEqual({ "terraform-run-web": "" });
  });

  test("at rest costs no write and no Job", async () => {
    world.create("web");
    await world.pass(20_000);
    const before = world.cluster.currentVersion();
    await world.pass(3_600_000);
    expect(world.cluster.currentVersion()).toBe(before);
  });

  test("without an owner waits for one", async () => {
    world.create("web", {}, { owned: false });
    await world.pass(60_000);
    expect(world.reason("web")).toBe("WaitingForOwner");
    expect(world.started).toEqual([]);
    world.adopt("web");
    await world.pass(20_000);
    expect(world.started).toEqual(["web apply"]);
  });

  test("applies a change, and only that", async () => {
    world.create("web");
    await world.pass(20_000);
    world.change("web", { metadata: { labels: { team: "shop" } } });
    await world.pass(20_000);
    expect(world.started).toEqual(["web apply"]);
    world.change("web", { spec: { variables: { size: "2" } } });
    await world.pass(20_000);
    expect(world.started).toEqual(["web apply", "web apply"]);
  });

  test("whose change wants an approval waits for the one that names it, and uses it up", async () => {
    world.create("web", { approval: "Manual", drift: { intervalSeconds: 60 } });
    await world.pass(20_000);
    expect(world.reason("web")).toBe("AwaitingApproval");
    world.approve("web");
    await world.pass(20_000);
    expect(world.started).toEqual(["web apply"]);
    expect(world.run("web")?.metadata.annotations).toBeUndefined();
    world.change("web", { spec: { variables: { size: "2" } } });
    await world.pass(600_000);
    expect(world.started, "what reads the inputs pauses while a change waits").toEqual(["web apply"]);
    world.approve("web");
    await world.pass(20_000);
    expect(world.started).toEqual(["web apply", "web apply"]);
  });

  test("that is paused starts nothing, and clears what stood for its last Job", async () => {
    world.create("web");
    await world.pass(1_000);
    world.change("web", { spec: { paused: true, variables: { size: "2" } } });
    await world.pass(20_000);
    expect(world.started).toEqual(["web apply"]);
    expect(world.reason("web")).toBe("Paused");
    expect(world.run("web")?.status?.activeJob).toBeUndefined();
    expect(world.run("web")?.metadata.annotations).toBeUndefined();
    world.change("web", { spec: { paused: false } });
    await world.pass(20_000);
    expect(world.started).toEqual(["web apply", "web apply"]);
  });
});

describe("schedules", () => {
  test("start a drift check an interval and a jitter of the run's own after the last", async () => {
    world.create("web", { drift: { intervalSeconds: 600 } });
    world.create("api", { drift: { intervalSeconds: 600 } });
    const startedAt: Record<string, number> = {};
    world.cluster.objects.onChange(jobs, ({ type, object: { metadata } }) => {
      if (type === "ADDED") startedAt[metadata.labels?.[RUN] ?? ""] = world.clock.monotonic();
    });
    const appliedBy = world.clock.monotonic() + 5_000;
    await world.pass(600_000);
    expect(world.started).toHaveLength(2);
    await world.pass(65_000);
    expect(world.started.toSorted()).toEqual(["api apply", "api drift", "web apply", "web drift"]);
    for (const at of Object.values(startedAt)) expect(at).toBeLessThanOrEqual(appliedBy + 660_000);
    expect(startedAt["web"]).not.toBe(startedAt["api"]);
  });

  test("refresh once after an apply, then at the interval of the health check", async () => {
    world.create("web", { health: { intervalSeconds: 600 } });
    await world.pass(60_000);
    expect(world.started).toEqual(["web apply", "web refresh"]);
    await world.pass(720_000);
    expect(world.started).toEqual(["web apply", "web refresh", "web refresh"]);
  });
});

describe("a failed op", () => {
  test("is tried again after a minute, two, and then ten", async () => {
    world.fate = () => ({ end: "fails", afterMs: 1_000 });
    world.create("web");
    const counts: number[] = [];
    for (const ms of [50_000, 30_000, 100_000, 60_000, 500_000, 200_000]) {
      await world.pass(ms);
      counts.push(world.started.length);
    }
    expect(counts).toEqual([1, 2, 2, 3, 3, 4]);
    expect(world.reason("web")).toBe("BackingOff");
  });

  test("of one kind holds back no other", async () => {
    world.create("web", { drift: { intervalSeconds: 120 }, health: { intervalSeconds: 120 } });
    await world.pass(20_000);
    world.fate = (op) => ({ end: op === "drift" ? "fails" : "succeeds", afterMs: 1_000 });
    await world.pass(1_200_000);
    const count = (op: string): number => world.started.filter((started) => started === `web ${op}`).length;
    expect(count("drift")).toBeLessThanOrEqual(5);
    expect(count("refresh")).toBeGreaterThanOrEqual(8);
  });

  test("that somebody interrupted by deleting its Job is tried again at once, when its pods are gone", async () => {
    world.fate = () => ({ end: "runs-on" });
    world.create("web");
    await world.pass(5_000);
    world.fate = () => ({ end: "succeeds", afterMs: 1_000 });
    for (const { metadata } of world.active("web")) world.cluster.objects.delete(jobs, metadata);
    await world.pass(120_000);
    expect(world.started).toEqual(["web apply", "web apply"]);
    expect(world.run("web")?.status?.history?.map(({ outcome }) => outcome)).toEqual(["succeeded", "interrupted"]);
  });
});

describe("the lease of a cluster", () => {
  test("has its runs changed one at a time", async () => {
    world.fate = () => ({ end: "succeeds", afterMs: 10_000 });
    for (const name of ["a", "b", "c"]) world.create(name, { cluster: "production" });
    await world.pass(8_000);
    expect(world.started).toHaveLength(1);
    const waiting = ["a", "b", "c"].filter((name) => world.reason(name) === "WaitingForClusterOperation");
    expect(waiting).toHaveLength(2);
    await world.pass(120_000);
    expect(world.started.toSorted()).toEqual(["a apply", "b apply", "c apply"]);
    expect(Object.values(world.holders())).toEqual(["", "", "", ""]);
  });

  test("holds back no drift check, and no run of another cluster", async () => {
    world.create("a", { cluster: "production", drift: { intervalSeconds: 60 } });
    await world.pass(20_000);
    world.fate = (op) => (op === "apply" ? { end: "runs-on" } : { end: "succeeds", afterMs: 1_000 });
    world.create("b", { cluster: "production" });
    world.create("c", { cluster: "staging" });
    await world.pass(70_000);
    expect(world.started.toSorted()).toEqual(["a apply", "a drift", "b apply", "c apply"]);
  });

  test("goes when its last run has gone", async () => {
    world.create("a", { cluster: "production" });
    await world.pass(20_000);
    expect(Object.keys(world.holders())).toEqual(["terraform-cluster-production", "terraform-run-a"]);
    world.delete("a");
    await world.pass(200_000);
    expect(world.holders()).toEqual({});
  });
});

describe("a deleted run", () => {
  test("is taken down first", async () => {
    world.create("web");
    await world.pass(20_000);
    world.delete("web");
    await world.pass(1_000);
    expect(world.run("web")).toBeDefined();
    await world.pass(20_000);
    expect(world.started).toEqual(["web apply", "web destroy"]);
    expect(world.run("web")).toBeUndefined();
    expect(world.hasState("web")).toBe(false);
  });

  test("goes at once if it was never applied", async () => {
    world.create("web", { approval: "Manual" });
    await world.pass(20_000);
    world.delete("web");
    await world.pass(0);
    expect(world.run("web")).toBeUndefined();
    expect(world.started).toEqual([]);
  });

  test("stays until its running Job has ended", async () => {
    world.fate = () => ({ end: "succeeds", afterMs: 60_000 });
    world.create("web");
    await world.pass(5_000);
    world.delete("web");
    await world.pass(50_000);
    expect(world.started).toEqual(["web apply"]);
    world.fate = () => ({ end: "succeeds", afterMs: 1_000 });
    await world.pass(30_000);
    expect(world.started).toEqual(["web apply", "web destroy"]);
    expect(world.run("web")).toBeUndefined();
  });

  test("stays while it is paused, and while its destroy fails", async () => {
    world.create("web");
    await world.pass(20_000);
    world.change("web", { spec: { paused: true } });
    world.delete("web");
    await world.pass(60_000);
    expect(world.started).toEqual(["web apply"]);
    world.fate = () => ({ end: "fails", afterMs: 1_000 });
    world.change("web", { spec: { paused: false } });
    await world.pass(30_000);
    expect(world.run("web")).toBeDefined();
    world.fate = () => ({ end: "succeeds", afterMs: 1_000 });
    await world.pass(60_000);
    expect(world.started).toEqual(["web apply", "web destroy", "web destroy"]);
    expect(world.run("web")).toBeUndefined();
  });

  test("that nobody owns goes if there is no state, and else stays until somebody owns it", async () => {
    for (const name of ["bare", "kept"]) world.create(name);
    await world.pass(20_000);
    world.cluster.objects.delete({ group: "", resource: "secrets" }, `${NAMESPACE}/tfstate-default-bare`);
    for (const name of ["bare", "kept"]) {
      world.change(name, { metadata: { ownerReferences: [] } });
      world.delete(name);
    }
    await world.pass(120_000);
    expect(world.run("bare")).toBeUndefined();
    expect(world.reason("kept")).toBe("WaitingForOwner");
    expect(world.started.toSorted()).toEqual(["bare apply", "kept apply"]);
    world.adopt("kept");
    await world.pass(60_000);
    expect(world.started.at(-1)).toBe("kept destroy");
    expect(world.run("kept")).toBeUndefined();
  });
});

describe("a cache that trails", () => {
  test("starts no second Job after an answer that was lost, and lets nothing go", async () => {
    await restart({ ungated: true });
    await world.pass(1_000);
    world.cluster.faults.delay(jobs, 30_000);
    world.cluster.faults.loseAnswers({ match: { verb: "create", resource: "jobs" }, times: 1 });
    world.fate = () => ({ end: "succeeds", afterMs: 20_000 });
    world.create("web");
    await world.pass(5_000);
    world.delete("web");
    await world.pass(10_000);
    expect(world.started).toEqual(["web apply"]);
    expect(world.run("web")?.metadata.annotations?.[BLOCK_MOVE]).toBe("");
    world.cluster.faults.delay(jobs, 0);
    await world.pass(60_000);
    expect(world.started).toEqual(["web apply", "web destroy"]);
    expect(world.run("web")).toBeUndefined();
  });

  test("clears no Job that the status names, even where its lease says nothing", async () => {
    await restart({ ungated: true });
    await world.pass(1_000);
    world.cluster.faults.delay(jobs, 30_000);
    world.fate = () => ({ end: "succeeds", afterMs: 10_000 });
    world.create("web");
    await world.pass(500);
    world.cluster.objects.patch(leases, `${NAMESPACE}/terraform-run-web`, { spec: { holderIdentity: null } });
    world.change("web", { metadata: { labels: { touched: "yes" } } });
    await world.pass(8_000);
    expect(world.run("web")?.status?.activeJob?.op).toBe("apply");
    await world.pass(60_000);
    expect(world.reason("web")).toBe("UpToDate");
  });
});

describe("a process", () => {
  test("that dies between any two writes of a start leaves nothing undone, and nothing done twice", async () => {
    for (let writes = 1; writes <= 8; writes += 1) {
      const name = `web-${writes}`;
      runner.transport.afterWrites(writes, () => void runner.kill());
      world.create(name);
      await world.pass(30_000);
      await restart();
      await world.pass(100_000);
      expect(world.reason(name), `killed after ${writes} writes`).toBe("UpToDate");
      expect(world.jobs(name), `killed after ${writes} writes`).toHaveLength(1);
    }
  });

  test("that waited for long between lease and Job sends no Job any more: it would arrive when the lease is another's", async () => {
    for (const name of ["a", "b"]) world.create(name, { cluster: "production", approval: "Manual" });
    await world.pass(5_000);
    const mark = { verb: "patch", resource: "terraformruns", name: "a" } as const;
    world.cluster.faults.slowRequests({ match: mark, ms: 35_000, times: 1 });
    world.cluster.faults.slowRequests({ match: { verb: "create", resource: "jobs" }, ms: 30_000, times: 1 });
    world.fate = () => ({ end: "succeeds", afterMs: 10_000 });
    world.approve("a");
    await world.pass(61_000);
    world.approve("b");
    await world.pass(240_000);
    expect(world.started.toSorted()).toEqual(["a apply", "b apply"]);
  });

  test("that follows a leader which froze in the middle of a start starts what that one does not any more", async () => {
    await restart({ elects: true });
    const first = runner;
    await world.pass(1_000);
    runner = new RunnerProcess(world, { elects: true });
    first.transport.afterWrites(3, () => first.transport.freeze()); // finalizer, lease, mark
    world.create("web");
    await world.pass(120_000);
    expect(world.started).toEqual(["web apply"]);
    first.transport.thaw();
    await world.pass(60_000);
    expect(await first.ended).toMatchObject({ code: "LEADERSHIP_LOST" });
    expect(world.started).toEqual(["web apply"]);
    expect(world.reason("web")).toBe("UpToDate");
  });
});
