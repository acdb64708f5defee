import { jobOrder, type LimitRules, Snapshot, verdictOn, type World } from "../../src/jobs/index.ts";
import { type Event, type Job, type ObjectMeta, type Pod, resources } from "../../src/resources/index.ts";

export const CREATED = "2026-01-02T03:04:05Z";
export const createdMs: number = Date.parse(CREATED);

export function meta(name: string, more: Partial<ObjectMeta> = {}): ObjectMeta {
  return { name, namespace: "shop", uid: `uid-of-${name}`, resourceVersion: "10", creationTimestamp: CREATED, ...more };
}

/** A Job that the controller has started: one pod active since its creation. */
export function job(more: { metadata?: Partial<ObjectMeta>; spec?: Job["spec"]; status?: Job["status"] } = {}): Job {
  return {
    metadata: meta("export-1", more.metadata),
    spec: { parallelism: 1, completions: 1, backoffLimit: 6, suspend: false, ...more.spec },
    status: more.status ?? { startTime: CREATED, active: 1, ready: 0 },
  };
}

/** A pod of `job()` whose one container waits with `reason`. */
export function waitingPod(reason: string, more: { metadata?: Partial<ObjectMeta>; status?: Pod["status"] } = {}): Pod {
  return {
    metadata: meta("export-1-x", {
      ownerReferences: [
        { apiVersion: "batch/v1", kind: "Job", name: "export-1", uid: "uid-of-export-1", controller: true },
      ],
      ...more.metadata,
    }),
    spec: { containers: [{ name: "main", image: "registry.example/export:v9" }], restartPolicy: "Never" },
    status: {
      phase: "Pending",
      startTime: CREATED,
      containerStatuses: [{ name: "main", state: { waiting: { reason, message: "it says why" } } }],
      ...more.status,
    },
  };
}

export function at(seconds: number): number {
  return createdMs + seconds * 1_000;
}

/** A world of a Job's pods and, where they are given, of the events there are. */
function worldOf(pods: readonly Pod[], events?: readonly Event[]): Snapshot {
  const world = new Snapshot();
  for (const pod of pods) world.set(resources.pods, pod);
  if (events) world.declare(resources.events);
  for (const event of events ?? []) world.set(resources.events, event);
  return world;
}

export function judgeJob(
  object: Job,
  around: readonly Pod[] | World,
  now: number,
  limits: LimitRules = [],
): ReturnType<typeof verdictOn> {
  const world = "podsOf" in around ? around : worldOf(around);
  return verdictOn({ resource: resources.jobs, object, order: jobOrder }, world, now, limits);
}
