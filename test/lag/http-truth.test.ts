import { describe, expect, it } from "vitest";
import { type Clock, seededRandom, systemClock } from "../../src/base/index.ts";
import { type Cluster, loadCluster } from "../../src/kube/index.ts";
import { EmbeddedCluster } from "../../src/testing/index.ts";
import { TemporaryFiles } from "../kube/temporary-files.ts";
import { clusterTrial, type Outcome, sumOf } from "./cluster-trial.ts";

const TRIALS = Number(process.env["STALEWATCH_LAG_HTTP_TRIALS"] ?? 200);
/** Each mostly waits. */
const AT_ONCE = 25;
/** A minute of a history, in the time of this test. */
const SCALE = 1 / 250;

/** The wall clock of the cluster runs evenly with its monotonic one, so that its record is as exact as what it is compared with. */
const evenClock: Clock = {
  now: () => performance.timeOrigin + systemClock.monotonic(),
  monotonic: () => systemClock.monotonic(),
  setTimer: (run, delayMs, options) => systemClock.setTimer(run, delayMs, options),
};

/** The trial of cluster-truth.test.ts, over sockets and in real time, with everything shortened that can be. */
async function trial(seed: number, files: TemporaryFiles): Promise<Outcome> {
  await using cluster = await EmbeddedCluster.start({ clock: evenClock, http: true, replicas: 2 });
  const open: Cluster[] = [];
  for (const index of cluster.replicas.keys()) {
    const kubeconfig = files.write(`kubeconfig-${seed}-${index}`, cluster.kubeconfig(index));
    open.push(await loadCluster({ kubeconfig }));
  }
  try {
    return await clusterTrial(seed, {
      cluster,
      transport: (replica) => (open[replica] as Cluster).transport,
      random: seededRandom(seed),
      sightings: 12,
      probeIntervalMs: 10_000 * SCALE,
      wait: (ms) => new Promise((resolve) => evenClock.setTimer(resolve, ms * SCALE)),
      scale: SCALE,
      isVirtual: false,
      mostRollbacks: 1,
    });
  } finally {
    await Promise.all(open.map((each) => each.close()));
  }
}

describe("the lag of a cache over real HTTP", () => {
  it(`lies between its bounds in each of ${TRIALS} random histories`, { timeout: 300_000 }, async () => {
    using files = new TemporaryFiles();
    const outcomes: Outcome[] = [];
    const seeds = Array.from({ length: TRIALS }, (_, index) => index + 1).values();
    const worker = async (): Promise<void> => {
      for (const seed of seeds) outcomes.push(await trial(seed, files));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    expect(outcomes.flatMap(({ faults }) => faults).slice(0, 5)).toEqual([]);
    const answered = sumOf(outcomes, (outcome) => outcome.answered);
    expect(sumOf(outcomes, (outcome) => outcome.lowerChecked)).toBeGreaterThan(TRIALS / 2);
    // While connections are opened again, which nothing here shortens, there is no answer.
    expect(answered / sumOf(outcomes, (outcome) => outcome.sightings)).toBeGreaterThan(0.3);
    const withReads = sumOf(outcomes, (outcome) => outcome.withReads);
    expect(sumOf(outcomes, (outcome) => outcome.finite) / withReads).toBeGreaterThanOrEqual(0.95);
  });
});
