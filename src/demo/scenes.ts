import { formatDuration } from "../base/index.ts";
import type { CacheView } from "../http/index.ts";
import { controllerOf, resources } from "../resources/index.ts";
import { terraformRuns } from "./job-runner.ts";
import type { Narrator } from "./narrator.ts";
import { NEIGHBOUR } from "./neighbour.ts";
import type { Observer } from "./observer.ts";
import { demoLag, demoLimits, NAMESPACE, type Stage } from "./stage.ts";

export interface Scene {
  readonly stage: Stage;
  readonly tell: Narrator;
  readonly observe: Observer;
  /** Distinguishes the names of a second performance. */
  readonly round: number;
}

/** What was shown, for the summary. */
export interface Shown {
  passesSkipped: number;
  jobsMadeTwice: number;
  /** How late the neighbour's cache was found to be, at most. */
  secondsLate: number;
  stuckFound: number;
  stuckRecovered: number;
}

/** Time to read a paragraph before the next thing happens. */
const READ_MS = 1_500;
const HELD_BACK_MS = 3_000;
/** When one looks at the neighbour's cache after it has missed a change; the last is beyond the budget. */
const LOOKS_MS = [1_500, 3_500, 6_000];

/** Every scene in order, each adding to what was shown. */
export const scenes: readonly ((scene: Scene, shown: Shown) => Promise<void>)[] = [
  allIsWell,
  cacheFallsBehind,
  neighbourIsLate,
  imageIsMissing,
];

async function allIsWell(scene: Scene): Promise<void> {
  const { tell, observe } = scene;
  tell.title("All is well");
  const others = async (): Promise<boolean> =>
    (await observe.cacheOf(NEIGHBOUR, "jobs"))?.state === "fresh" &&
    (await observe.cacheOf(NEIGHBOUR, "configmaps"))?.state === "fresh";
  await observe.until("the neighbour's caches are known", others);
  const names = createRuns(scene, ["invoice", "backup", "report"]);
  tell.say(`Three TerraformRuns are created: ${names.join(", ")}. The job-runner applies each of them by a Job.`);
  await observe.until("the first Jobs complete", async () => names.every((name) => isReady(scene, name)));
  const { objects, healthy, findings } = await observe.jobs();
  tell.good(
    `All three are complete. The sidecar sees ${objects["jobs"]} Jobs: ${healthy} healthy, ${findings.length} stuck.`,
  );
  await observe.pause(READ_MS);
}

async function cacheFallsBehind(scene: Scene, shown: Shown): Promise<void> {
  const { stage, tell, observe } = scene;
  tell.title("A cache falls behind");
  tell.say(
    `From now on news about Jobs reaches the caches ${HELD_BACK_MS / 1_000} s late. The job-runner will make Jobs that its own cache does not show yet. A controller that believes such a cache makes them again.`,
  );
  await observe.pause(READ_MS);
  const skips = (): Promise<number> =>
    observe.metric("stale_sync_skips_total", { controller: "job-runner", resource: "jobs" });
  const waits = async (): Promise<{ count: number; sum: number }> => ({
    count: await observe.metric("stale_sync_wait_seconds_count", { controller: "job-runner", resource: "jobs" }),
    sum: await observe.metric("stale_sync_wait_seconds_sum", { controller: "job-runner", resource: "jobs" }),
  });
  const before = await skips();
  const waitedBefore = await waits();
  stage.cluster.faults.delay(resources.jobs, HELD_BACK_MS);
  const names = createRuns(scene, ["index", "export", "cleanup"]);
  tell.say(`Three more TerraformRuns are created: ${names.join(", ")}.`);
  await observe.until("passes are skipped", async () => (await skips()) >= before + names.length);
  const there = stage.cluster.objects.list(resources.jobs).length;
  const cached = await observe.cached("jobs");
  tell.bad(
    `The API server has ${there} Jobs, the cache shows ${cached}. The job-runner's next passes (a pass is one reconcile of one object) over the new TerraformRuns are skipped rather than acting on that.`,
  );
  await observe.until("the cache catches up", async () => (await observe.cached("jobs")) >= there);
  const after = await observe.until("the skipped passes go on", async () => {
    const waited = await waits();
    return waited.count >= waitedBefore.count + names.length && waited;
  });
  stage.cluster.faults.delay(resources.jobs, 0);
  const skipped = (await skips()) - before;
  const seconds = (after.sum - waitedBefore.sum) / (after.count - waitedBefore.count);
  tell.say(
    `stale_sync_skips_total{controller="job-runner",resource="jobs"} went from ${before} to ${before + skipped}; the passes waited ${seconds.toFixed(1)} s on average (stale_sync_wait_seconds) and went on the moment the cache had caught up.`,
  );
  const made = names.map((name) => jobsOf(scene, name));
  const twice = made.filter((count) => count > 1).length;
  tell.good(
    `Jobs for the three TerraformRuns: ${made.join(", ")}. ${twice === 0 ? "None was made twice." : `${twice} made twice!`}`,
  );
  shown.passesSkipped += skipped;
  shown.jobsMadeTwice += twice;
  await observe.pause(READ_MS);
}

async function neighbourIsLate(scene: Scene, shown: Shown): Promise<void> {
  const { stage, tell, observe } = scene;
  const { neighbour, cluster } = stage;
  tell.title("Somebody else's cache is late");
  tell.say(
    `A second controller, the neighbour, publishes at which versions its caches stand (${neighbour.url}), as kube-controller-manager does. Stalewatch compares that with what it hears itself, and says how late they are: in seconds, between two bounds.`,
  );
  const idle = await observe.until("the idle cache is known", async () => {
    const cache = await observe.cacheOf(NEIGHBOUR, "configmaps");
    return cache?.state === "fresh" && cache;
  });
  tell.good(
    `Its cache of ConfigMaps stands at version ${idle.storeResourceVersion}, the API server at ${cluster.currentVersion()}: versions say ${behind(cluster.currentVersion(), idle)} behind, although it misses nothing. Stalewatch says ${idle.state}: ${idle.eventsBehind} events behind.`,
  );
  await observe.pause(READ_MS);
  tell.say("Now its watch of Jobs is held back, and a Job changes. The neighbour notices nothing.");
  neighbour.hold();
  touchJob(scene);
  const changedAt = Date.now();
  for (const atMs of LOOKS_MS) {
    await observe.pause(changedAt + atMs - Date.now());
    touchJob(scene);
    const late = await observe.until("the neighbour's lag is seen", async () => {
      const cache = await observe.cacheOf(NEIGHBOUR, "jobs");
      return cache && Date.parse(cache.observedAt ?? "") >= changedAt + atMs - demoLag.targetIntervalMs && cache;
    });
    const truth = Math.max(0, (Date.parse(late.observedAt ?? "") - changedAt) / 1_000);
    tell.bad(
      `${late.state}: late by ${boundsOf(late)} (in truth by ${truth.toFixed(1)} s), ${late.eventsBehind} events behind; versions say ${behind(cluster.currentVersion(), late)}.`,
    );
    shown.secondsLate = Math.max(shown.secondsLate, late.lagMinSeconds ?? 0);
  }
  neighbour.release();
  const fresh = await observe.until("the neighbour's cache is fresh again", async () => {
    const cache = await observe.cacheOf(NEIGHBOUR, "jobs");
    return cache?.state === "fresh" && cache.eventsBehind === 0 && cache;
  });
  tell.good(`The watch is let go, and the cache catches up: ${fresh.state}, late by ${boundsOf(fresh)}.`);
  await observe.pause(READ_MS);
}

async function imageIsMissing(scene: Scene, shown: Shown): Promise<void> {
  const { stage, tell, observe } = scene;
  const { warningMs } = demoLimits.S13;
  tell.title("A Job that would never end");
  const [name = ""] = nameRuns(scene, ["thumbnails"]);
  stage.unpushed.add(name);
  createRuns(scene, ["thumbnails"]);
  tell.say(
    `A TerraformRun named ${name} is created, and nobody has pushed its image. Kubernetes neither fails nor finishes such a Job, and the usual alerts stay silent for hours: a pod that has not started does not count against backoffLimit.`,
  );
  tell.say(
    `Here stalewatch speaks up after ${formatDuration(warningMs)}, so that you need not wait; its own limit is 10m.`,
  );
  const finding = await observe.until("the stuck Job is found", async () => (await observe.jobs()).findings[0]);
  shown.stuckFound += 1;
  tell.bad(
    `Stuck: Job ${finding.object.namespace}/${finding.object.name} of ${finding.owner.kind} ${finding.owner.name}, ${finding.kind} ${finding.name}, reason ${finding.reason}, since ${finding.since} (${finding.sinceSource}), ${finding.severity}.`,
  );
  tell.say(`${finding.message}.`);
  tell.copy("next:", finding.next[0] ?? "");
  const [series] = await observe.metricLines("stalewatch_stuck_since_timestamp_seconds", { kind: "S13" });
  const value = series?.slice(series.lastIndexOf(" ") + 1);
  tell.say(`On /metrics: stalewatch_stuck_since_timestamp_seconds{kind="S13",owner_name="${name}",…} ${value}.`);
  await observe.pause(READ_MS);
  stage.unpushed.delete(name);
  tell.say("The image is pushed now. The kubelet tries again within 10 s.");
  await observe.until("the Job completes", async () => isReady(scene, name));
  const { objects, healthy } = await observe.until("the finding is gone", async () => {
    const answer = await observe.jobs();
    const series = await observe.metricLines("stalewatch_stuck_since_timestamp_seconds", { kind: "S13" });
    return answer.findings.length === 0 && series.length === 0 && answer;
  });
  shown.stuckRecovered += 1;
  tell.good(
    `The Job is complete, and its series are gone from /metrics: ${healthy} of ${objects["jobs"]} Jobs are healthy.`,
  );
  await observe.pause(READ_MS);
}

function nameRuns({ round }: Scene, names: readonly string[]): readonly string[] {
  return round === 1 ? names : names.map((name) => `${name}-${round}`);
}

function createRuns(scene: Scene, names: readonly string[]): readonly string[] {
  const own = nameRuns(scene, names);
  for (const name of own) scene.stage.createRun(name, `registry.example/${name}:v1`);
  return own;
}

/** Outwards, so that the truth stays between them. */
function boundsOf({ lagMinSeconds, lagMaxSeconds }: CacheView): string {
  const least = (Math.floor((lagMinSeconds ?? 0) * 10) / 10).toFixed(1);
  const most = lagMaxSeconds === null ? "nobody knows how many" : (Math.ceil(lagMaxSeconds * 10) / 10).toFixed(1);
  return `${least} to ${most} s`;
}

/** What the old way makes of it: a difference of versions, which count the changes of all kinds. */
function behind(serverVersion: string, { storeResourceVersion }: CacheView): string {
  return String(BigInt(serverVersion) - BigInt(storeResourceVersion));
}

/** Changes a finished Job, which nobody minds. */
function touchJob({ stage }: Scene): void {
  const { objects } = stage.cluster;
  const [job] = objects.list(resources.jobs, NAMESPACE);
  if (!job) return;
  objects.update(resources.jobs, job.metadata, ({ metadata }) => {
    const touched = Number(metadata.annotations?.["demo.stalewatch/touched"] ?? 0) + 1;
    metadata.annotations = { ...metadata.annotations, "demo.stalewatch/touched": String(touched) };
  });
}

/** Its Job has succeeded, and the job-runner has taken note. */
function isReady({ stage }: Scene, name: string): boolean {
  const run = stage.cluster.objects.get(terraformRuns, { namespace: NAMESPACE, name });
  return run?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}

/** How many Jobs the API server has for a TerraformRun. */
function jobsOf({ stage }: Scene, name: string): number {
  return stage.cluster.objects.list(resources.jobs, NAMESPACE).filter((job) => controllerOf(job)?.name === name).length;
}
