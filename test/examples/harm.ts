import { controllerOf, isFinishedJob, isFinishedPod, type Job, resources } from "stalewatch";
import {
  BLOCK_MOVE,
  FINALIZER,
  OP,
  RUN,
  type TerraformRun,
  terraformRuns,
} from "../../examples/job-runner/terraform-run.ts";
import type { World } from "./world.ts";

const { jobs, pods } = resources;

/** Sentences about what must never happen, each added at the moment it does, whoever did it. */
export function watchForHarm(world: World): readonly string[] {
  const harm: string[] = [];
  const { objects } = world.cluster;
  const before = new Map<string, TerraformRun>();
  objects.onChange(terraformRuns, ({ type, object: run }) => {
    const old = before.get(run.metadata.uid);
    before.set(run.metadata.uid, run);
    if (old) harm.push(...harmOfChange(world, old, type === "DELETED" ? undefined : run));
  });
  objects.onChange(jobs, ({ type, object: job }) => {
    if (type !== "ADDED") return;
    const beside = rivals(world, job).filter((rival) => isAtWork(world, rival));
    harm.push(...beside.map(({ metadata }) => `Job ${job.metadata.name} beside Job ${metadata.name}`));
  });
  return harm;
}

/** Something that stood for a Job was taken away while there was one. */
function harmOfChange(world: World, old: TerraformRun, now: TerraformRun | undefined): string[] {
  const { name } = old.metadata;
  const running = world.active(name).map(({ metadata }) => metadata.name);
  const gone = (had: (run: TerraformRun) => unknown): boolean => Boolean(had(old)) && !(now && had(now));
  const letGo = gone(({ metadata }) => metadata.finalizers?.includes(FINALIZER));
  const harm: string[] = [];
  if (letGo && world.jobs(name).some((job) => isAtWork(world, job))) harm.push(`${name} let go while a Job runs`);
  if (letGo && world.hasState(name)) harm.push(`${name} let go with its state`);
  const unmarked = gone(({ metadata }) => metadata.annotations?.[BLOCK_MOVE] !== undefined);
  if (unmarked && running.length > 0) harm.push(`block-move of ${name} cleared while a Job runs`);
  const active = old.status?.activeJob?.name ?? "";
  if (gone(({ status }) => status?.activeJob) && running.includes(active))
    harm.push(`activeJob of ${name} cleared while it runs`);
  return harm;
}

/** Those that must not run at the same time: of the same run, or of the same cluster where both change something. */
function rivals(world: World, job: Job): Job[] {
  const cluster = clusterOf(world, job);
  return world.jobs().filter((other) => {
    if (other.metadata.name === job.metadata.name) return false;
    if (other.metadata.labels?.[RUN] === job.metadata.labels?.[RUN]) return true;
    return cluster !== undefined && cluster === clusterOf(world, other) && isChange(job) && isChange(other);
  });
}

function clusterOf(world: World, { metadata }: Job): string | undefined {
  return world.run(metadata.labels?.[RUN] ?? "")?.spec.cluster;
}

function isChange({ metadata }: Job): boolean {
  return /apply|destroy/.test(metadata.labels?.[OP] ?? "");
}

/** It runs, or a pod of it does. */
function isAtWork({ cluster }: World, job: Job): boolean {
  if (!isFinishedJob(job)) return true;
  const own = cluster.objects.where(pods, (pod) => controllerOf(pod)?.uid === job.metadata.uid);
  return own.some((pod) => !isFinishedPod(pod));
}
