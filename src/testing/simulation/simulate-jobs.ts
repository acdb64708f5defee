import type { Timer } from "../../base/index.ts";
import { controllerOf, type Job, keyOf, type Pod, resources } from "../../resources/index.ts";
import type { EmbeddedCluster } from "../embedded-cluster.ts";
import { releasePod, syncJob } from "./job-sync.ts";
import { annotatedFate, type PodFate } from "./pod-fate.ts";
import { PodRunner } from "./pod-runner.ts";

/** The Job controller gathers pod events for this long before it looks (syncJobBatchPeriod). */
const BATCH_MS = 1_000;

export interface SimulationOptions {
  /** What becomes of the pods of a Job without the annotation; they succeed after 2 s unless given. */
  fate?: (job: Job) => PodFate;
}

/**
 * Plays Job controller, scheduler and kubelet on an embedded cluster: pods appear, run and end, and statuses, conditions and
 * Events say so in the words of Kubernetes 1.37. A Job's fate is its annotation `simulation.stalewatch/fate`, or `fate`.
 * Left out: indexed completion, pod failure and success policies, TTL, container restarts. Returns how to stop it.
 */
export function simulateJobs(cluster: EmbeddedCluster, options: SimulationOptions = {}): () => void {
  const { objects, clock } = cluster;
  const timers = new Map<string, { timer: Timer; at: number }>();
  const fateOf = (job: Job): PodFate =>
    annotatedFate(job) ?? options.fate?.(job) ?? { end: "succeeds", afterMs: 2_000 };

  /** The earlier of two wishes for one Job wins. */
  const enqueue = (key: string, delayMs: number): void => {
    const at = clock.monotonic() + delayMs;
    const waiting = timers.get(key);
    if (delayMs === Number.POSITIVE_INFINITY || (waiting && waiting.at <= at)) return;
    waiting?.timer.cancel();
    const run = (): void => {
      timers.delete(key);
      enqueue(key, syncJob(cluster, key, fateOf));
    };
    timers.set(key, { at, timer: clock.setTimer(run, delayMs, { unref: true }) });
  };

  const jobOf = (pod: Pod): Job | undefined => {
    const owner = controllerOf(pod);
    const { namespace = "default" } = pod.metadata;
    const job = owner?.kind === "Job" ? objects.get(resources.jobs, { namespace, name: owner.name }) : undefined;
    return job?.metadata.uid === owner?.uid ? job : undefined;
  };
  const runner = new PodRunner(cluster, (pod) => {
    const job = jobOf(pod);
    return job ? fateOf(job) : { end: "runs-on" };
  });

  const stopJobs = objects.onChange(resources.jobs, ({ object }) => enqueue(keyOf(object.metadata), 0));
  const stopPods = objects.onChange(resources.pods, ({ type, object: pod }) => {
    runner.notice(type, pod);
    const job = jobOf(pod);
    if (job) enqueue(keyOf(job.metadata), BATCH_MS);
    // Nobody else takes the finalizer off pods whose Job is gone.
    else if (type !== "DELETED") clock.setTimer(() => releasePod(cluster, pod), 0, { unref: true });
  });
  for (const job of objects.list(resources.jobs)) enqueue(keyOf(job.metadata), 0);

  return () => {
    stopJobs();
    stopPods();
    runner.stop();
    for (const { timer } of timers.values()) timer.cancel();
  };
}
