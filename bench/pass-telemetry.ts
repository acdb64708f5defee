import { Controller, KubeClient, Manager, resources } from "../src/index.ts";
import { catalog, createLog, PrometheusMeter, startTracing } from "../src/exposition/index.ts";
import type { Env } from "../src/telemetry/index.ts";
import { EmbeddedCluster } from "../src/testing/index.ts";
import { type Benchmark, compare, median } from "./benchmark.ts";

const OBJECTS = 1_000;
const LAPS = 60;
const WARM_UP_LAPS = 10;
const ROUNDS = 5;
const BUDGET_US = 5;

/** What telemetry costs a pass that does nothing, wired as `run` wires it with no trace endpoint set, against ports that do nothing. */
export const passTelemetry: Benchmark = {
  name: "pass-telemetry",
  async run() {
    const { tracer } = await startTracing({ variables: {}, version: "0.0.0" });
    const log = createLog({ level: "info", format: "json", write: () => {} });
    const differences: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const empty = await cpuPerPass({});
      const measured = await cpuPerPass({ meter: new PrometheusMeter({ catalog }), tracer, log });
      differences.push(measured - empty);
    }
    // Noise can make a single difference negative; the cost itself cannot be.
    const ours = Math.max(0, median(differences));
    const budget = { peer: "budget", peerValue: BUDGET_US, goal: 1 };
    return [compare({ name: "telemetry of a pass, no endpoint", unit: "us", ours, ...budget })];
  },
};

/** CPU microseconds of one pass, queue included. */
async function cpuPerPass(env: Partial<Env>): Promise<number> {
  await using cluster = await EmbeddedCluster.start();
  const names = Array.from({ length: OBJECTS }, (_, index) => `object-${index}`);
  for (const name of names) cluster.objects.create(resources.configMaps, { metadata: { name, namespace: "bench" } });
  let passes = 0;
  let lapDone: (() => void) | undefined;
  const controller = new Controller("bench", {
    for: resources.configMaps,
    reconcile() {
      passes += 1;
      if (passes % OBJECTS === 0) lapDone?.();
    },
  });
  const lap = async (): Promise<void> => {
    const done = new Promise<void>((resolve) => (lapDone = resolve));
    for (const name of names) controller.enqueue({ namespace: "bench", name });
    await done;
  };

  const stop = new AbortController();
  // No clock of the cluster's: what is measured is the real thing, timers and all.
  const client = new KubeClient({ transport: cluster.transport() });
  const manager = new Manager({ controllers: [controller], client, syncPeriod: 0, env });
  const filled = new Promise<void>((resolve) => (lapDone = resolve));
  const running = manager.run({ signal: stop.signal });
  await filled;
  for (let laps = 0; laps < WARM_UP_LAPS; laps += 1) await lap();
  const before = process.cpuUsage();
  for (let laps = 0; laps < LAPS; laps += 1) await lap();
  const used = process.cpuUsage(before);
  stop.abort();
  await running;
  return (used.user + used.system) / (LAPS * OBJECTS);
}
