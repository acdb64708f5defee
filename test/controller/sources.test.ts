import { describe, expect, test } from "vitest";
import { Controller, type ControllerOptions, defineWatch } from "../../src/controller/index.ts";
import { apiVersionOf, type Job, type OwnerReference, resources } from "../../src/resources/index.ts";
import { jobFor, type Run, runs } from "./objects.ts";
import { Rig } from "./rig.ts";

const { jobs, configMaps } = resources;

/** What each pass was about and why, in order. */
class Passes {
  readonly seen: string[] = [];

  take(): string[] {
    return this.seen.splice(0);
  }
}

async function watching(rig: Rig, more: Partial<ControllerOptions<Run, never>> = {}): Promise<Passes> {
  const passes = new Passes();
  const runner = new Controller<Run>("runner", {
    for: runs,
    owns: [jobs],
    reconcile: ({ key, triggers }) => void passes.seen.push(`${key} ${triggers.map(({ kind }) => kind).join("+")}`),
    ...more,
  });
  await rig.run(runner);
  passes.take();
  return passes;
}

function ownerOf(run: Run, more: Partial<OwnerReference> = {}): OwnerReference {
  const { name, uid } = run.metadata;
  return { apiVersion: apiVersionOf(runs), kind: "Run", name, uid, controller: true, ...more };
}

function createJob(rig: Rig, run: Run, owner: OwnerReference): Job {
  const metadata = { name: "child", namespace: "shop", ownerReferences: [owner] };
  return rig.cluster.objects.create(jobs, { ...jobFor(run), metadata });
}

describe("an owned object", () => {
  test("starts a pass for its owner when it comes, changes and goes", async () => {
    await using rig = await Rig.make();
    const run = rig.createRun("export");
    const passes = await watching(rig);
    createJob(rig, run, ownerOf(run));
    await rig.settle();
    expect(passes.take()).toEqual(["shop/export add"]);
    rig.cluster.objects.patch(jobs, "shop/child", { spec: { suspend: false } });
    await rig.settle();
    expect(passes.take()).toEqual(["shop/export update"]);
    rig.cluster.objects.delete(jobs, "shop/child");
    await rig.settle();
    expect(passes.take()).toEqual(["shop/export delete"]);
  });

  test.each<[string, Partial<OwnerReference>, number]>([
    ["its owner, served at another version", { apiVersion: "example.com/v1beta1" }, 1],
    ["an owner of the same name that is no more", { uid: "uid-of-another" }, 0],
    ["an owner that does not control it", { controller: false }, 0],
    ["another kind", { kind: "Walk" }, 0],
    ["the same kind of another group", { apiVersion: "example.org/v1" }, 0],
    ["nobody that is cached", { name: "absent" }, 0],
  ])("that names %s", async (_, more, count) => {
    await using rig = await Rig.make();
    const run = rig.createRun("export");
    const passes = await watching(rig);
    createJob(rig, run, ownerOf(run, more));
    await rig.settle();
    expect(passes.take()).toHaveLength(count);
  });

  test("that changes hands starts a pass for both", async () => {
    await using rig = await Rig.make();
    const [before, after] = [rig.createRun("before"), rig.createRun("after")];
    const passes = await watching(rig);
    createJob(rig, before, ownerOf(before));
    await rig.settle();
    passes.take();
    rig.cluster.objects.patch(jobs, "shop/child", { metadata: { ownerReferences: [ownerOf(after)] } });
    await rig.settle();
    expect(passes.take().sort()).toEqual(["shop/after update", "shop/before update"]);
  });
});

describe("why a pass runs", () => {
  test("the first list waits behind what happens now", async () => {
    await using rig = await Rig.make();
    for (const name of ["a", "b", "c"]) rig.createRun(name);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const keys: string[] = [];
    const passes = await watching(rig, {
      async reconcile({ key }) {
        keys.push(key);
        await held;
      },
    });
    expect(rig.status.queue.depthByPriority).toEqual({ [-100]: 2 });
    rig.createRun("urgent");
    await rig.settle();
    release();
    await rig.settle();
    expect(keys).toEqual(["shop/a", "shop/urgent", "shop/b", "shop/c"]);
    expect(passes.take()).toEqual([]);
  });

  test("a change that only a list found is told apart from an event", async () => {
    await using rig = await Rig.make();
    rig.createRun("export");
    const passes = await watching(rig);
    rig.cluster.faults.dropNext(runs, 1);
    rig.cluster.objects.patch(runs, "shop/export", { spec: { approved: false } });
    rig.cluster.faults.expire(runs);
    await rig.settle(60_000);
    expect(passes.take()).toEqual(["shop/export relist"]);
  });

  test("a resync replays the controller's own kind, not what it owns", async () => {
    await using rig = await Rig.make({ syncPeriod: "10m" });
    const run = rig.createRun("export");
    createJob(rig, run, ownerOf(run));
    const passes = await watching(rig);
    await rig.settle(12 * 60_000);
    expect(passes.take()).toEqual(["shop/export resync"]);
  });
});

describe("a watched object", () => {
  const mapped = defineWatch(configMaps, ({ metadata, data }) => {
    if (data?.["run"] === "broken") throw new Error("no map for this");
    return data?.["run"] ? [{ namespace: metadata.namespace ?? "", name: data["run"] }] : [];
  });

  test("starts passes for what it maps to, before and after a change", async () => {
    await using rig = await Rig.make();
    for (const name of ["before", "after"]) rig.createRun(name);
    const passes = await watching(rig, { watches: [mapped] });
    const { objects } = rig.cluster;
    objects.create(configMaps, { metadata: { name: "map", namespace: "shop" }, data: { run: "before" } });
    await rig.settle();
    expect(passes.take()).toEqual(["shop/before add"]);
    objects.patch(configMaps, "shop/map", { data: { run: "after" } });
    await rig.settle();
    expect(passes.take().sort()).toEqual(["shop/after update", "shop/before update"]);
  });

  test("whose map throws is counted, and the next one is mapped", async () => {
    await using rig = await Rig.make();
    rig.createRun("export");
    const passes = await watching(rig, { watches: [mapped] });
    for (const run of ["broken", "export"]) {
      rig.cluster.objects.create(configMaps, { metadata: { name: run, namespace: "shop" }, data: { run } });
    }
    await rig.settle();
    expect(passes.take()).toEqual(["shop/export add"]);
    expect(rig.lines.map(({ error }) => error)).toContain("no map for this");
  });
});

/** A pass that makes a Job, while the cache of Jobs is late; then another pass for the same object. */
async function secondPassAfterCreating(labels: Record<string, string>): Promise<Rig> {
  const rig = await Rig.make();
  let calls = 0;
  const source = { resource: jobs, scope: { labelSelector: "team=a" } };
  await watching(rig, {
    owns: [source],
    async reconcile({ object, write }) {
      calls += 1;
      if (calls > 1) return;
      const draft = jobFor(object);
      await write.create(jobs, { ...draft, metadata: { ...draft.metadata, labels } });
    },
  });
  rig.cluster.faults.delay(jobs, 10_000);
  rig.createRun("export");
  await rig.settle();
  rig.cluster.objects.patch(runs, "shop/export", { spec: { approved: false } });
  await rig.settle();
  return rig;
}

describe("waiting for own writes", () => {
  test("holds for an object that the cache will show", async () => {
    await using rig = await secondPassAfterCreating({ team: "a" });
    expect(rig.status.passes).toMatchObject({ changed: 1, noop: 0, skipped: 1 });
  });

  test("does not hold for one that the cache's selector leaves out", async () => {
    await using rig = await secondPassAfterCreating({ team: "b" });
    expect(rig.status.passes).toMatchObject({ changed: 1, noop: 1, skipped: 0 });
  });

  test("ends when the server's history went back before what was written", async () => {
    await using rig = await Rig.make();
    rig.createRun("export", { approved: false });
    await watching(rig, {
      async reconcile({ object, cached, write }) {
        if (!object.spec.approved || cached(jobs).ownedBy(object).length > 0) return;
        await write.create(jobs, jobFor(object));
      },
    });
    const version = rig.cluster.currentVersion();
    rig.cluster.faults.delay(jobs, 400_000);
    for (const note of ["first", "second"]) {
      rig.cluster.objects.patch(runs, "shop/export", { spec: { approved: true }, metadata: { labels: { note } } });
      await rig.settle();
    }
    expect(rig.jobs()).toHaveLength(1);
    expect(rig.status.waitingForCache).toBe(1);
    rig.cluster.faults.rollback(version);
    rig.cluster.faults.delay(jobs, 0);
    await rig.settle(200_000);
    expect(rig.jobs()).toEqual([]);
    expect(rig.status.waitingForCache).toBe(0);
    const { skipped } = rig.status.passes;
    rig.cluster.objects.patch(runs, "shop/export", { spec: { approved: true } });
    await rig.settle();
    expect(rig.jobs()).toHaveLength(1);
    expect(rig.status.passes.skipped).toBe(skipped);
  });
});

test("passes are about selected objects, and once more about one that ceases to be among them", async () => {
  await using rig = await Rig.make();
  const passes = await watching(rig, { select: ({ metadata }) => metadata.labels?.["look"] === "yes" });
  rig.createRun("export");
  await rig.settle();
  expect(passes.take()).toEqual([]);
  const label = (look: string | null): Promise<void> => {
    rig.cluster.objects.patch(runs, "shop/export", { metadata: { labels: { look } } });
    return rig.settle();
  };
  await label("yes");
  expect(passes.take()).toEqual(["shop/export update"]);
  await label("no");
  expect(passes.take()).toEqual(["shop/export update"]);
  await label(null);
  expect(passes.take()).toEqual([]);
});
