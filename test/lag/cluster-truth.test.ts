import { describe, expect, it } from "vitest";
import { seededRandom } from "../../src/base/index.ts";
import { Informer } from "../../src/cache/index.ts";
import { HeadWatch } from "../../src/head/index.ts";
import { KubeClient } from "../../src/kube/index.ts";
import { CacheLag } from "../../src/lag/index.ts";
import { compareVersions, resources } from "../../src/resources/index.ts";
import { type Env, resolveEnv } from "../../src/telemetry/index.ts";
import { type Commit, EmbeddedCluster, VirtualClock } from "../../src/testing/index.ts";
import { lateWatches } from "./late-watches.ts";

const TRIALS = Number(process.env["STALEWATCH_LAG_CLUSTER_TRIALS"] ?? 200);
const SIGHTINGS = 12;

interface Outcome {
  readonly faults: readonly string[];
  readonly answered: number;
  readonly finite: number;
}

/** One random history of an embedded cluster, with the real watches over byte streams, judged by the cluster's own record. */
async function trial(seed: number): Promise<Outcome> {
  const random = seededRandom(seed);
  const between = (low: number, high: number): number => Math.floor(low + random() * (high - low));
  const clock = new VirtualClock();
  const env: Env = resolveEnv({ clock, random });
  await using cluster = await EmbeddedCluster.start({ clock, replicas: 2 });
  const stop = new AbortController();
  let cacheDelayMs = 0;
  const transport = lateWatches(cluster.transport({ replica: between(0, 2) }), clock, () => cacheDelayMs);
  const observed = new KubeClient({ transport, env });
  const client = new KubeClient({ transport: cluster.transport({ replica: between(0, 2) }), env });
  const head = new HeadWatch({
    client,
    resource: resources.jobs,
    probeIntervalMs: 10_000,
    prompt: random() < 0.8,
    env,
  });
  const informer = new Informer({ client: observed, resource: resources.jobs, env });
  const running = [head.run({ signal: stop.signal }), informer.run({ signal: stop.signal })];
  const lag = new CacheLag({ head, budgetMs: 30_000, reads: true, clock });
  await cluster.settle({ advance: 100 });
  /** The record has wall times, and the wall clock is set while it runs: how far it was off at each commit. */
  const offsets = new Map<string, number>();
  let shiftedMs = 0;
  let made = 0;
  /** The cluster's record of the kind, also of what it has forgotten since. */
  let commits: Commit[] = [];
  const note = (): void => {
    const last = commits.at(-1)?.version;
    const isNews = ({ version }: Commit): boolean => last === undefined || compareVersions(version, last) === 1;
    commits.push(...cluster.commits(resources.jobs).filter(isNews));
  };
  const write = (): void => {
    made += 1;
    const ofKind = random() < 0.5;
    const metadata = { name: `o${made}`, namespace: "shop" };
    cluster.objects.create(ofKind ? resources.jobs : resources.configMaps, { metadata });
    offsets.set(cluster.currentVersion(), shiftedMs);
  };
  const faults: string[] = [];
  let [answered, finite] = [0, 0];
  const sight = (): void => {
    const now = clock.monotonic();
    const version = informer.lastStoreSyncResourceVersion();
    const { state, minMs, maxMs } = lag.observe({ version, sentAt: now, receivedAt: now });
    if (minMs === undefined) return; // in doubt, or of a history that is gone
    note();
    const missed = commits.find((commit) => compareVersions(commit.version, version) === 1);
    const truth = missed ? clock.now() - shiftedMs - (missed.at - (offsets.get(missed.version) ?? 0)) : 0;
    answered += 1;
    if (maxMs !== undefined) finite += 1;
    if (minMs > truth || truth > (maxMs ?? Infinity)) faults.push(`${seed}: ${minMs} ${truth} ${maxMs} ${state}`);
  };
  const { faults: make } = cluster;
  const mishaps: readonly (() => void | Promise<void>)[] = [
    () => make.delay(resources.jobs, between(0, 30_000)),
    () => make.delay(resources.jobs, 0),
    () => void (cacheDelayMs = between(0, 120_000)),
    () => void (cacheDelayMs = 0),
    () => make.withholdBookmarks(resources.jobs, random() < 0.5),
    () => make.breakWatches(resources.jobs),
    () => make.halfOpen(resources.jobs),
    () => {
      note();
      cluster.compact();
    },
    () => {
      for (const replica of cluster.replicas) replica.lagMs = between(0, 2_000) * between(0, 2);
    },
    () => {
      const byMs = between(-3_600_000, 3_600_000);
      clock.shiftWall(byMs);
      shiftedMs += byMs;
    },
    async () => {
      const before = cluster.commits(resources.jobs);
      const to = before[Math.max(0, before.length - between(1, 6))]?.version;
      if (to === undefined) return;
      note();
      make.rollback(to);
      commits = commits.filter(({ version }) => compareVersions(version, to) !== 1);
      // While API servers start again nobody writes.
      await cluster.settle({ advance: 40_000 });
    },
  ];
  for (let i = 0; i < SIGHTINGS; i += 1) {
    await mishaps[between(0, mishaps.length + 2)]?.();
    for (let writes = between(0, 6); writes > 0; writes -= 1) {
      write();
      await cluster.settle({ advance: between(0, 10) * between(0, 700) });
    }
    await cluster.settle({ advance: between(0, 40_000) });
    sight();
  }
  stop.abort();
  await cluster.settle({ advance: 1_000 });
  await Promise.all(running);
  return { faults, answered, finite };
}

describe("the lag of a cache on an embedded cluster", () => {
  it(`lies between its bounds in each of ${TRIALS} random histories`, { timeout: 600_000 }, async () => {
    const outcomes: Outcome[] = [];
    for (let seed = 1; seed <= TRIALS; seed += 1) outcomes.push(await trial(seed));
    const sum = (of: (outcome: Outcome) => number): number => outcomes.reduce((total, it) => total + of(it), 0);
    expect(outcomes.flatMap(({ faults }) => faults).slice(0, 5)).toEqual([]);
    const answered = sum((outcome) => outcome.answered);
    expect(answered / (TRIALS * SIGHTINGS)).toBeGreaterThan(0.7);
    expect(sum((outcome) => outcome.finite) / answered).toBeGreaterThanOrEqual(0.95);
  });
});
