import { describe, expect, it } from "vitest";
import { PrometheusMeter } from "../../src/exposition/index.ts";
import { HeadSet } from "../../src/head/index.ts";
import { KubeClient } from "../../src/kube/index.ts";
import { STALLED_AFTER_MS, Targets } from "../../src/lag/index.ts";
import { resources } from "../../src/resources/index.ts";
import { resolveEnv } from "../../src/telemetry/index.ts";
import { EmbeddedCluster } from "../../src/testing/index.ts";
import { FakeTarget } from "../sidecar/fake-target.ts";

/** A target whose page has the caches of Jobs and pods, read until `stop` aborts. */
async function rig() {
  const cluster = await EmbeddedCluster.start();
  const meter = new PrometheusMeter({ processMetrics: false, clock: cluster.clock });
  const env = resolveEnv({ clock: cluster.clock, meter });
  const client = new KubeClient({ transport: cluster.transport(), env });
  const target = new FakeTarget(cluster.clock);
  const heads = new HeadSet({ client, probeIntervalMs: 15_000, env });
  const judging = { heads, probeIntervalMs: 15_000, budgetMs: 30_000, stalledAfterMs: () => STALLED_AFTER_MS, env };
  const targets = new Targets({ ...judging, client, targets: [target.as("kcm")], intervalMs: 15_000 });
  const stop = new AbortController();
  const running = Promise.all([heads, targets].map((part) => part.run({ signal: stop.signal })));
  for (const [group, resource] of [
    ["batch", "jobs"],
    ["", "pods"],
  ] as const) {
    target.store({ group, resource, value: cluster.currentVersion() });
  }
  return {
    cluster,
    target,
    heads,
    targets,
    series: async (name: string): Promise<readonly string[]> =>
      (await meter.scrape()).body
        .toString()
        .split("\n")
        .filter((line) => line.startsWith(`${name}{`)),
    stop: async (): Promise<void> => {
      stop.abort();
      await cluster.settle({ advance: 1_000 });
      await running;
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      stop.abort();
      await cluster.settle({ advance: 1_000 });
      await running;
      await cluster[Symbol.asyncDispose]();
    },
  };
}

describe("the targets", () => {
  it("have no gauge left once nobody reads them", async () => {
    await using run = await rig();
    await run.cluster.settle({ advance: 30_000 });
    for (const name of ["up", "scrape_seconds"]) {
      expect(await run.series(`stalewatch_target_${name}`)).toHaveLength(1);
    }
    await run.stop();
    for (const name of ["target_up", "target_scrape_seconds", "cache_state"]) {
      expect(await run.series(`stalewatch_${name}`)).toEqual([]);
    }
  });

  it("have a watch on a kind as long as one publishes it, and ten minutes more", async () => {
    await using run = await rig();
    const kinds = async (): Promise<readonly string[]> =>
      (await run.series("stalewatch_head_resource_version")).map((line) => /resource="(\w+)"/.exec(line)?.[1] ?? "");
    const pods = { group: "", resource: "pods" };
    await run.cluster.settle({ advance: 20_000 });
    for (const kind of [resources.jobs, resources.pods]) {
      run.cluster.objects.create(kind, { metadata: { name: "a", namespace: "shop" } });
    }
    await run.cluster.settle({ advance: 10_000 });
    expect(await kinds()).toEqual(["jobs", "pods"]);
    const [before] = run.heads.of(pods);
    const [gone] = run.target.stores.splice(1);
    await run.cluster.settle({ advance: 500_000 });
    if (gone) run.target.stores.push(gone); // back in time
    await run.cluster.settle({ advance: 700_000 });
    expect(run.heads.of(pods)).toEqual([before]);
    run.target.startedAt = 1_800_000_000; // a restart alone ends nothing
    await run.cluster.settle({ advance: 700_000 });
    expect(run.heads.of(pods)).toEqual([before]);
    run.target.stores.pop();
    await run.cluster.settle({ advance: 700_000 });
    expect(run.heads.of(pods)).toEqual([]);
    expect(await kinds()).toEqual(["jobs"]);
  });
});
