import {
  evidenceKinds,
  type Finding,
  jobOrder,
  type Node,
  podOrder,
  Snapshot,
  type Verdict,
  verdictOn,
  type Workload,
  workloadOrder,
} from "../../../src/jobs/index.ts";
import {
  type Condition,
  type Event,
  type Job,
  type ObjectMeta,
  type Pod,
  resources,
} from "../../../src/resources/index.ts";
import { at, CREATED, meta } from "../objects.ts";

/** Objects as one moment finds them. Of kinds that are not given nothing is known; of those that are, there is no other. */
export interface Scene {
  readonly job?: Job;
  readonly pods?: readonly Pod[];
  readonly jobs?: readonly Job[];
  readonly events?: readonly Event[];
  readonly nodes?: readonly Node[];
  readonly workloads?: readonly Workload[];
  /** What is judged; the Job unless given. */
  readonly subject?: "pod" | "workload";
}

export function worldOfScene({ job, jobs = [], pods = [], events, nodes, workloads }: Scene): Snapshot {
  const world = new Snapshot();
  world.declare(resources.jobs);
  for (const one of [...(job ? [job] : []), ...jobs]) world.set(resources.jobs, one);
  for (const pod of pods) world.set(resources.pods, pod);
  if (events) world.declare(resources.events);
  for (const event of events ?? []) world.set(resources.events, event);
  if (nodes) world.declare(evidenceKinds.nodes);
  for (const node of nodes ?? []) world.set(evidenceKinds.nodes, node);
  if (workloads) world.declare(evidenceKinds.workloads);
  for (const workload of workloads ?? []) world.set(evidenceKinds.workloads, workload);
  return world;
}

/** Judges at these seconds after `CREATED`, one after another in the same world; the last verdict. */
export function verdictIn(scene: Scene, ...seconds: readonly number[]): Verdict {
  const world = worldOfScene(scene);
  return seconds.map((second) => judge(scene, world, at(second))).at(-1) as Verdict;
}

export function look(scene: Scene, ...seconds: readonly number[]): Finding | undefined {
  return verdictIn(scene, ...seconds).finding;
}

function judge({ subject, job, pods = [], workloads = [] }: Scene, world: Snapshot, now: number): Verdict {
  if (subject === "pod") {
    return verdictOn({ resource: resources.pods, object: pods[0] as Pod, order: podOrder }, world, now);
  }
  if (subject === "workload") {
    const object = workloads[0] as Workload;
    return verdictOn({ resource: evidenceKinds.workloads, object, order: workloadOrder }, world, now);
  }
  return verdictOn({ resource: resources.jobs, object: job as Job, order: jobOrder }, world, now);
}

/** The API's form of so many seconds after `CREATED`. */
export function time(seconds: number): string {
  return `${new Date(at(seconds)).toISOString().slice(0, 19)}Z`;
}

export function condition(
  type: string,
  seconds: number,
  more: { status?: string; reason?: string; message?: string } = {},
): Condition {
  return { type, status: "True", lastTransitionTime: time(seconds), ...more };
}

/** A running pod of `job()` on node worker-1. */
export function podOf(more: { metadata?: Partial<ObjectMeta>; spec?: Pod["spec"]; status?: Pod["status"] } = {}): Pod {
  return {
    metadata: meta("export-1-x", {
      ownerReferences: [
        { apiVersion: "batch/v1", kind: "Job", name: "export-1", uid: "uid-of-export-1", controller: true },
      ],
      ...more.metadata,
    }),
    spec: { containers: [{ name: "main" }], restartPolicy: "Never", nodeName: "worker-1", ...more.spec },
    status: { phase: "Running", startTime: CREATED, ...more.status },
  };
}

/** A pod of `job()` that has ended. */
export function endedPod(seconds: number, more: { metadata?: Partial<ObjectMeta>; phase?: string } = {}): Pod {
  const exitCode = more.phase === "Failed" ? 1 : 0;
  return podOf({
    metadata: more.metadata ?? {},
    status: {
      phase: more.phase ?? "Succeeded",
      startTime: CREATED,
      containerStatuses: [{ name: "main", state: { terminated: { exitCode, finishedAt: time(seconds) } } }],
    },
  });
}

/** An event about an object, told from `first` to `last`. */
export function eventAbout(
  uidOf: string,
  reason: string,
  {
    message = "",
    first = 0,
    last = first,
    count = 1,
  }: { message?: string; first?: number; last?: number; count?: number },
): Event {
  return {
    metadata: meta(`${uidOf}.${reason}.${first}.${message.length}`),
    involvedObject: { namespace: "shop", name: uidOf, uid: `uid-of-${uidOf}` },
    type: reason === "TriggeredScaleUp" ? "Normal" : "Warning",
    reason,
    message,
    firstTimestamp: time(first),
    lastTimestamp: time(last),
    count,
  };
}

export function nodeNamed(name: string, ready: string): Node {
  const { namespace: _, ...metadata } = meta(name);
  return { metadata, status: { conditions: [condition("Ready", 0, { status: ready })] } };
}

/** Kueue's Workload of `job()`. */
export function workloadOf(status: Workload["status"], metadata: Partial<ObjectMeta> = {}): Workload {
  return {
    metadata: meta("job-export-1-9a1b2", {
      labels: { "kueue.x-k8s.io/job-uid": "uid-of-export-1" },
      ownerReferences: [
        { apiVersion: "batch/v1", kind: "Job", name: "export-1", uid: "uid-of-export-1", controller: true },
      ],
      ...metadata,
    }),
    spec: { queueName: "nightly" },
    status,
  };
}
