import { describe, expect, it } from "vitest";
import { PrometheusMeter } from "../../src/exposition/index.ts";
import { HeadSet } from "../../src/head/index.ts";
import { KubeClient } from "../../src/kube/index.ts";
import { STALLED_AFTER_MS, Targets } from "../../src/lag/index.ts";
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
});
