import { expect, test } from "vitest";
import { Controller } from "../../src/controller/index.ts";
import { resources } from "../../src/resources/index.ts";
import { runs } from "./objects.ts";
import { Rig } from "./rig.ts";

const { configMaps } = resources;
const HOUR = 3_600_000;

test("a kind that is removed while controllers run costs its own controller only, makes no busy loop, and may come back", async () => {
  await using rig = await Rig.make();
  const gone: string[] = [];
  const seen: string[] = [];
  const runner = new Controller("runner", {
    for: runs,
    reconcile: ({ key }) => void seen.push(key),
    gone: ({ name }) => void gone.push(name),
  });
  const mapper = new Controller("mapper", { for: configMaps, reconcile: ({ key }) => void seen.push(key) });
  rig.createRun("export");
  await rig.run(runner, mapper);
  expect(seen.splice(0)).toEqual(["shop/export"]);

  // The objects go first; then the paths are no longer served.
  rig.cluster.objects.delete(runs, "shop/export");
  await rig.settle();
  const message = "the server could not find the requested resource";
  const removed = rig.cluster.faults.failRequests({ match: { resource: "runs" }, status: 404, message });
  rig.cluster.faults.endWatches(runs);
  await rig.settle(HOUR);
  expect(gone).toEqual(["export"]);
  expect(removed.hits).toBeGreaterThan(50);
  expect(removed.hits).toBeLessThan(300);
  const cache = (): unknown => rig.manager.status().caches.find(({ resource }) => resource.resource === "runs");
  expect(cache()).toMatchObject({ state: "backing-off", lastError: expect.stringContaining(message) as string });
  expect(rig.lines.filter(({ error }) => String(error).includes(message)).length).toBe(removed.hits);

  rig.cluster.objects.create(configMaps, { metadata: { name: "other", namespace: "shop" } });
  await rig.settle();
  expect(seen.splice(0)).toEqual(["shop/other"]);

  removed.stop();
  rig.createRun("again");
  await rig.settle(60_000);
  expect(seen).toEqual(["shop/again"]);
  expect(cache()).toMatchObject({ state: "watching", lastError: undefined });
});

test("writes of a kind that is not served fail their pass, and are tried again ever more rarely", async () => {
  await using rig = await Rig.make();
  rig.createRun("export");
  const removed = rig.cluster.faults.failRequests({ match: { resource: "jobs" }, status: 404 });
  await rig.run(
    new Controller("runner", {
      for: runs,
      async reconcile({ write }) {
        await write.create(resources.jobs, { metadata: { generateName: "x-" } }, { owner: false });
      },
    }),
  );
  await rig.settle(HOUR);
  expect(rig.status.lastError?.message).toMatch(/^create jobs\.v1\.batch/);
  // 5 ms doubling to 1000 s.
  expect(rig.status.passes.error).toBe(removed.hits);
  expect(removed.hits).toBeLessThan(25);
});
