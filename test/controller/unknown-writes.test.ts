import { describe, expect, test } from "vitest";
import { Controller, type ControllerOptions } from "../../src/controller/index.ts";
import { isNotFound, isTransient } from "../../src/kube/index.ts";
import { resources } from "../../src/resources/index.ts";
import { jobFor, type Run, runs } from "./objects.ts";
import { Rig } from "./rig.ts";

const { jobs } = resources;
const OFF = "StaleControllerConsistencyRun=false";
const stale = { controller: "runner", group: "batch", resource: "jobs" };

/** Gives each Run one Job, under a name of the server's choice, by what its cache shows. */
function runner(more: Partial<ControllerOptions<Run, never>> = {}): Controller<Run> {
  return new Controller("runner", {
    for: runs,
    owns: [jobs],
    async reconcile({ object: run, cached, write }) {
      if (cached(jobs).ownedBy(run).length === 0) await write.create(jobs, jobFor(run));
    },
    ...more,
  });
}

function ownersOf(rig: Rig): (string | undefined)[] {
  return rig.jobs().map(({ metadata }) => metadata.ownerReferences?.[0]?.name);
}

function reads(rig: Rig): number | undefined {
  return rig.meter.value("stalewatch_consistent_reads_total", { ...stale, reason: "lost_answer" });
}

async function children(owners: number, featureGates: string): Promise<Rig> {
  const rig = await Rig.make({ featureGates });
  await rig.run(runner({ concurrency: 4 }));
  rig.cluster.faults.delay(jobs, 500);
  rig.cluster.faults.loseAnswers({ match: { verb: "create", resource: "jobs" }, times: owners });
  for (let nth = 0; nth < owners; nth++) rig.createRun(`run-${nth}`);
  await rig.settle(60_000);
  return rig;
}

describe("a create whose answer is lost, with the children's cache late", () => {
  test("leaves exactly one child an owner: the key is held until the cache stands where a consistent read did", async () => {
    await using rig = await children(100, "");
    expect(ownersOf(rig)).toHaveLength(100);
    expect(new Set(ownersOf(rig)).size).toBe(100);
    expect(rig.status.passes.error).toBe(100);
    expect(reads(rig)).toBe(100);
    expect(rig.meter.observed("stale_sync_wait_seconds", stale)).toHaveLength(100);
  });

  test("makes duplicates with the gate off", async () => {
    await using rig = await children(100, OFF);
    expect(ownersOf(rig).length).toBeGreaterThan(100);
    expect(reads(rig)).toBe(0);
  });
});

describe("whether a write was done", () => {
  interface Case {
    /** What goes wrong with the first create. */
    readonly fault: (rig: Rig) => void;
    readonly options?: Partial<ControllerOptions<Run, never>>;
  }

  async function firstCreate({ fault, options = {} }: Case): Promise<Rig> {
    const rig = await Rig.make();
    await rig.run(runner(options));
    rig.cluster.faults.delay(jobs, 500);
    fault(rig);
    rig.createRun("export");
    await rig.settle(120_000);
    return rig;
  }

  const create = { verb: "create", resource: "jobs" } as const;

  test.each<[string, Case]>([
    ["the connection broke", { fault: ({ cluster }) => cluster.faults.loseAnswers({ match: create, times: 1 }) }],
    [
      "the server failed",
      { fault: ({ cluster }) => cluster.faults.failRequests({ match: create, status: 500, times: 1 }) },
    ],
    [
      "the pass took too long",
      {
        fault: ({ cluster }) => cluster.faults.slowRequests({ match: create, ms: 20_000, times: 1 }),
        options: { reconcileTimeout: "10s" },
      },
    ],
    [
      "what refused it may be the first of two tries",
      {
        fault: ({ cluster, clock }) => {
          cluster.faults.failRequests({ match: create, status: 429, retryAfter: 1, times: 1 });
          clock.setTimer(() => cluster.faults.failRequests({ match: create, status: 409, times: 1 }), 500);
        },
      },
    ],
  ])("is asked when %s", async (_, faulty) => {
    await using rig = await firstCreate(faulty);
    expect(reads(rig)).toBe(1);
    expect(rig.status.passes.error).toBe(1);
  });

  test.each<[string, Case]>([
    ["it was answered", { fault: () => {} }],
    [
      "the server refused it",
      { fault: ({ cluster }) => cluster.faults.failRequests({ match: create, status: 403, times: 1 }) },
    ],
    [
      "it was never sent",
      {
        fault: ({ cluster, clock }) => {
          cluster.faults.unreachable(true);
          cluster.objects.create(runs, { metadata: { name: "unseen", namespace: "shop" }, spec: { approved: true } });
          clock.setTimer(() => cluster.faults.unreachable(false), 1_000);
        },
      },
    ],
  ])("is not asked when %s", async (_, faulty) => {
    await using rig = await firstCreate(faulty);
    expect(reads(rig)).toBe(0);
    expect(ownersOf(rig)).toContain("export");
    expect(new Set(ownersOf(rig)).size).toBe(rig.jobs().length);
  });

  test("is asked again until the server says: nothing is done on a guess", async () => {
    const failing = { verb: "list", resource: "jobs" } as const;
    await using rig = await firstCreate({
      fault: ({ cluster }) => {
        cluster.faults.loseAnswers({ match: create, times: 1 });
        cluster.faults.failRequests({ match: failing, status: 500, times: 5 });
      },
    });
    expect(ownersOf(rig)).toEqual(["export"]);
    expect(rig.status.passes.error).toBe(6);
    expect(reads(rig)).toBe(6);
  });

  test("is asked also when the reconcile made light of it", async () => {
    await using rig = await Rig.make();
    await rig.run(
      runner({
        async reconcile({ object: run, cached, write }) {
          if (cached(jobs).ownedBy(run).length > 0) return;
          await write.create(jobs, jobFor(run)).catch((error: unknown) => {
            if (!isTransient(error)) throw error;
          });
        },
      }),
    );
    rig.cluster.faults.delay(jobs, 500);
    rig.cluster.faults.loseAnswers({ match: create, times: 1 });
    rig.createRun("export");
    await rig.settle();
    rig.cluster.objects.patch(runs, "shop/export", { metadata: { labels: { touched: "yes" } } });
    await rig.settle();
    expect(rig.status.passes).toMatchObject({ changed: 1, error: 0, skipped: 1 });
    await rig.settle(120_000);
    expect(ownersOf(rig)).toEqual(["export"]);
  });

  test("is forgotten with the object", async () => {
    await using rig = await Rig.make();
    await rig.run(runner());
    rig.cluster.faults.loseAnswers({ match: create, times: 1 });
    rig.cluster.faults.failRequests({ match: { verb: "list", resource: "jobs" }, status: 500, times: 1 });
    rig.createRun("export");
    await rig.settle(5);
    rig.cluster.objects.delete(runs, "shop/export");
    await rig.settle(120_000);
    rig.createRun("export");
    await rig.settle();
    expect(reads(rig)).toBe(1);
  });
});

/** Deletes each Job of a Run that is not approved, with the Jobs' cache late; then the Run is touched. */
async function deleting(featureGates: string, finalizers: string[] = []): Promise<{ rig: Rig; answers: string[] }> {
  const rig = await Rig.make({ featureGates });
  const answers: string[] = [];
  await rig.run(
    runner({
      async reconcile({ object: run, cached, write }) {
        const children = cached(jobs).ownedBy(run);
        if (run.spec.approved && children.length === 0) {
          const draft = jobFor(run);
          await write.create(jobs, { ...draft, metadata: { ...draft.metadata, finalizers } });
        }
        if (run.spec.approved) return;
        for (const { metadata } of children) {
          if (metadata.deletionTimestamp) continue;
          try {
            const left = await write.delete(jobs, metadata, { propagationPolicy: "Background" });
            answers.push(left ? "left" : "gone");
          } catch (error) {
            if (!isNotFound(error)) throw error;
            answers.push("not found");
          }
        }
      },
    }),
  );
  rig.createRun("export");
  await rig.settle(1_000);
  expect(rig.jobs()).toHaveLength(1);
  rig.cluster.faults.delay(jobs, 500);
  for (const touch of ["first", "second", "third"]) {
    rig.cluster.objects.patch(runs, "shop/export", {
      metadata: { labels: { touch } },
      spec: { approved: false },
    });
    await rig.settle(10);
  }
  await rig.settle(10_000);
  return { rig, answers };
}

describe("a delete", () => {
  test("is waited for by uid: the next pass does not meet the object again", async () => {
    const { rig, answers } = await deleting("");
    await using _ = rig;
    expect(answers).toEqual(["gone"]);
    expect(rig.status.passes.skipped).toBe(2);
    expect(rig.status.waitingForCache).toBe(0);
    expect(rig.meter.observed("stale_sync_wait_seconds", stale)).toEqual([0.49]);
    expect(reads(rig)).toBe(0);
  });

  test("with the gate off, it does", async () => {
    const { rig, answers } = await deleting(OFF);
    await using _ = rig;
    expect(answers).toEqual(["gone", "not found", "not found"]);
  });

  test("that a finalizer holds up is waited for until the cache shows the object as being deleted", async () => {
    const { rig, answers } = await deleting("", ["example.com/hold"]);
    await using _ = rig;
    expect(answers).toEqual(["left"]);
    expect(rig.jobs()).toHaveLength(1);
    expect(rig.status.waitingForCache).toBe(0);
  });
});

describe("a cache that does not catch up", () => {
  test("is listed anew after 90 s, once for all that wait, and then they go on", async () => {
    await using rig = await Rig.make();
    await rig.run(runner());
    rig.cluster.faults.withholdBookmarks(jobs);
    rig.cluster.faults.dropNext(jobs, 2);
    for (const name of ["one", "two"]) {
      rig.createRun(name);
      await rig.settle();
      rig.cluster.objects.patch(runs, `shop/${name}`, { metadata: { labels: { touched: "yes" } } });
      await rig.settle();
    }
    await rig.settle(89_000);
    expect(rig.status.waitingForCache).toBe(2);
    expect(rig.meter.total("stalewatch_relists_total", { resource: "jobs" })).toBe(0);
    await rig.settle(10_000);
    expect(
      rig.meter.value("stalewatch_relists_total", {
        group: "batch",
        version: "v1",
        resource: "jobs",
        reason: "verification",
      }),
    ).toBe(1);
    expect(rig.status.waitingForCache).toBe(0);
    expect(ownersOf(rig)).toEqual(["one", "two"]);
    expect(rig.lines.map(({ message }) => message)).toContain("a cache does not catch up; it is listed anew");
  });
});
