import {
  ControllerManager,
  DelayingProxy,
  eventually,
  pause,
  RealCluster,
  sampleOf,
  Sidecar,
} from "../harness/index.ts";
import { CommitTimes } from "./commit-times.ts";
import { EventRecord, watchableKinds } from "./event-record.ts";
import { JobLoad } from "./job-load.ts";
import { contains, type Reading, Readings, type Truth, truthOf } from "./readings.ts";
import { TARGET, targetFlags } from "./target-flags.ts";

/** The pods of a played kubelet are on a node that does not exist, for which this one would delete them. */
const CONTROLLERS = ["*", "-pod-garbage-collector-controller"];

interface Delay {
  readonly delaySeconds: number;
  readonly forSeconds: number;
}

export interface ProofOptions {
  /** The plural whose watches are held back. */
  readonly late: "jobs" | "pods";
  /** One after the other. */
  readonly runs: readonly Delay[];
}

/** A reading beside what was true. */
export interface Judged {
  readonly reading: Reading;
  readonly truth: Truth;
  readonly contained: boolean;
}

export interface Run extends Delay {
  readonly late: string;
  /** The answers about the kind that is late. */
  readonly ofLate: readonly Judged[];
  readonly ofOthers: readonly Judged[];
  /** Passes that the Job controller skipped in this run because a cache was stale, by its own counter. */
  readonly skips: number;
}

/**
 * A kube-controller-manager with all its controllers behind a proxy that holds back one kind, Jobs that come and go, and a sidecar that
 * scrapes it. Each answer of the sidecar about each of its caches is held against the server's own order of events.
 */
export async function prove({ late, runs }: ProofOptions): Promise<Run[]> {
  await using cluster = await RealCluster.start({ controllerManager: false });
  await using proxy = await DelayingProxy.start(cluster, { resource: late, delayMs: 0 });
  await using events = await EventRecord.start(cluster, await watchableKinds(cluster));
  await using commits = await CommitTimes.start(cluster);
  const managerOptions = { server: proxy.server, controllers: CONTROLLERS, leaderElect: true };
  await using manager = await ControllerManager.start(cluster, managerOptions);
  await using sidecar = await Sidecar.start({
    kubeconfig: cluster.kubeconfig(),
    args: [...targetFlags(cluster, manager), "--target-interval=1s"],
  });
  await using readings = new Readings(sidecar, 200);
  await using load = new JobLoad(cluster);
  // A cache that stood still since before the sidecar began moves at the next bookmark, about a minute after the last.
  await eventually(
    "each cache is known to be fresh",
    () => {
      const caches = readings.latest.filter(isJudged);
      return caches.length > 0 && caches.every(({ state }) => state === "fresh");
    },
    { timeoutMs: 100_000 },
  );

  const phases: (Delay & Pick<Run, "skips"> & { from: number; to: number })[] = [];
  for (const delay of runs) {
    proxy.delayMs = delay.delaySeconds * 1_000;
    const from = Date.now();
    const before = await skipsOf(manager, late);
    await pause(delay.forSeconds * 1_000);
    phases.push({ ...delay, from, to: Date.now(), skips: (await skipsOf(manager, late)) - before });
  }
  await load.stop();
  await eventually("the sidecar counts as many skips", async () => {
    const labels = { target: TARGET, controller: "job", resource: late };
    const unified = sampleOf(await sidecar.metrics(), "stalewatch_target_stale_sync_skips_total", labels);
    return (unified ?? 0) === (await skipsOf(manager, late));
  });
  await readings.stop();
  await pause(1_000); // until the events and the beat after the last answer are there
  await commits.stop();
  await events.stop();

  const judge = (reading: Reading): Judged => {
    const truth = truthOf(reading, events, commits);
    return { reading, truth, contained: contains(reading, truth) };
  };
  return phases.map(({ from, to, ...phase }) => {
    const all = readings.between(from, to).filter(isJudged).map(judge);
    const isLate = ({ reading }: Judged): boolean => reading.resource === late;
    return { ...phase, late, ofLate: all.filter(isLate), ofOthers: all.filter((judged) => !isLate(judged)) };
  });
}

/** Secrets are not watched, by design. */
function isJudged({ target, resource }: Reading): boolean {
  return target === TARGET && resource !== "secrets";
}

/** Passes that the Job controller skipped because its cache of this kind was stale. There is no such counter before the first. */
async function skipsOf(manager: ControllerManager, resource: string): Promise<number> {
  return sampleOf(await manager.metrics(), "job_controller_stale_sync_skips_total", { resource }) ?? 0;
}
