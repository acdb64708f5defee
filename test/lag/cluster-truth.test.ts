import { describe, expect, it } from "vitest";
import { seededRandom } from "../../src/base/index.ts";
import { EmbeddedCluster, VirtualClock } from "../../src/testing/index.ts";
import { clusterTrial, type Outcome, sumOf } from "./cluster-trial.ts";

/** `STALEWATCH_LAG_CLUSTER_TRIALS=20000` for what docs/lag.md tells of: five minutes and more. */
const TRIALS = Number(process.env["STALEWATCH_LAG_CLUSTER_TRIALS"] ?? 2_000);

async function trial(seed: number): Promise<Outcome> {
  const random = seededRandom(seed);
  await using cluster = await EmbeddedCluster.start({ clock: new VirtualClock(), replicas: 2 });
  return await clusterTrial(seed, {
    cluster,
    transport: (replica) => cluster.transport({ replica }),
    random,
    sightings: 12,
    probeIntervalMs: 10_000,
    wait: (ms) => cluster.settle({ advance: ms }),
    scale: 1,
    isVirtual: true,
    mostRollbacks: Infinity,
  });
}

describe("the lag of a cache on an embedded cluster", () => {
  it(`lies between its bounds in each of ${TRIALS} random histories`, { timeout: 1_800_000 }, async () => {
    const outcomes: Outcome[] = [];
    for (let seed = 1; seed <= TRIALS; seed += 1) outcomes.push(await trial(seed));
    expect(outcomes.flatMap(({ faults }) => faults).slice(0, 5)).toEqual([]);
    const answered = sumOf(outcomes, (outcome) => outcome.answered);
    expect(answered / sumOf(outcomes, (outcome) => outcome.sightings)).toBeGreaterThan(0.9);
    expect(sumOf(outcomes, (outcome) => outcome.lowerChecked)).toBeGreaterThan(2 * TRIALS);
    expect(sumOf(outcomes, (outcome) => outcome.widthChecked)).toBeGreaterThan(TRIALS / 2);
    const withReads = sumOf(outcomes, (outcome) => outcome.withReads);
    expect(sumOf(outcomes, (outcome) => outcome.finite) / withReads).toBeGreaterThanOrEqual(0.95);
  });
});
