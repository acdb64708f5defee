import type { Timer } from "../../base/index.ts";
import { type Condition, keyOf, type Pod, type PodStatus, resources } from "../../resources/index.ts";
import type { EmbeddedCluster } from "../embedded-cluster.ts";
import { timestamp } from "../storage/timestamp.ts";
import type { PodFate } from "./pod-fate.ts";
import { recordEvent } from "./record-event.ts";

const NODE = "node-1";
/** From creation to a node, from there to running, and from the wish to stop to the stop. */
const SCHEDULE_MS = 100;
const START_MS = 400;
const STOP_MS = 200;
/** From a failed pull to the wait for the next, and from there to the next. */
const PULL_FAILED_MS = 1_000;
const PULL_RETRY_MS = 9_000;

/** Scheduler and kubelet in one: moves each pod through its phases as its fate says, writing what those two would write. */
export class PodRunner {
  readonly #cluster: EmbeddedCluster;
  readonly #fateOf: (pod: Pod) => PodFate;
  readonly #timers: Map<string, Timer> = new Map();

  constructor(cluster: EmbeddedCluster, fateOf: (pod: Pod) => PodFate) {
    this.#cluster = cluster;
    this.#fateOf = fateOf;
  }

  notice(type: "ADDED" | "MODIFIED" | "DELETED", pod: Pod): void {
    const { uid, deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
    if (type === "DELETED") this.#cancel(uid);
    else if (type === "ADDED") this.#later(pod, SCHEDULE_MS, (current) => this.#schedule(current));
    else if (deletionTimestamp && deletionGracePeriodSeconds !== 0) {
      this.#later(pod, STOP_MS, (current) => this.#stop(current));
    }
  }

  stop(): void {
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }

  #schedule(pod: Pod): void {
    if (this.#fateOf(pod).end === "unschedulable") {
      const message = "0/1 nodes are available: 1 Insufficient cpu.";
      this.#setStatus(pod, { conditions: this.#conditions([["PodScheduled", "False", "Unschedulable", message]]) });
      this.#event("default-scheduler", pod, "Warning", "FailedScheduling", message);
      return;
    }
    this.#cluster.objects.patch(resources.pods, pod.metadata, { spec: { nodeName: NODE } });
    this.#setStatus(pod, {
      startTime: this.#now(),
      conditions: this.#conditions([
        ["PodScheduled", "True"],
        ["Initialized", "True"],
        ["Ready", "False", "ContainersNotReady"],
      ]),
      containerStatuses: this.#containers(pod, { waiting: { reason: "ContainerCreating" } }, false),
    });
    const message = `Successfully assigned ${keyOf(pod.metadata)} to ${NODE}`;
    this.#event("default-scheduler", pod, "Normal", "Scheduled", message);
    this.#later(pod, START_MS, (current) => this.#start(current));
  }

  #start(pod: Pod): void {
    const fate = this.#fateOf(pod);
    if (fate.end === "image-pull-fails") return this.#failToPull(pod, "ErrImagePull");
    this.#setStatus(pod, {
      phase: "Running",
      conditions: this.#conditions([
        ["PodScheduled", "True"],
        ["Initialized", "True"],
        ["Ready", "True"],
      ]),
      containerStatuses: this.#containers(pod, { running: { startedAt: this.#now() } }, true),
    });
    this.#event("kubelet", pod, "Normal", "Started", "Container started");
    if (fate.end === "succeeds" || fate.end === "fails") {
      this.#later(pod, fate.afterMs, (current) => this.#finish(current, fate.end === "succeeds" ? 0 : 1));
    }
  }

  /** The kubelet tries, waits, and tries again; the pod's waiting reason alternates. */
  #failToPull(pod: Pod, reason: "ErrImagePull" | "ImagePullBackOff"): void {
    const image = pod.spec.containers?.[0]?.image ?? "";
    const message = reason === "ErrImagePull" ? `image "${image}" not found` : `Back-off pulling image "${image}"`;
    this.#setStatus(pod, { containerStatuses: this.#containers(pod, { waiting: { reason, message } }, false) });
    if (reason === "ErrImagePull") this.#event("kubelet", pod, "Warning", "Failed", `Failed to pull image "${image}"`);
    else this.#event("kubelet", pod, "Normal", "BackOff", message);
    if (reason === "ErrImagePull") {
      this.#later(pod, PULL_FAILED_MS, (current) => this.#failToPull(current, "ImagePullBackOff"));
    } else this.#later(pod, PULL_RETRY_MS, (current) => this.#start(current)); // with its fate of then
  }

  #finish(pod: Pod, exitCode: number): void {
    const reason = exitCode === 0 ? "Completed" : "Error";
    const startedAt = pod.status.containerStatuses?.[0]?.state?.running?.startedAt;
    const terminated = { exitCode, reason, finishedAt: this.#now(), ...(startedAt && { startedAt }) };
    this.#setStatus(pod, {
      phase: exitCode === 0 ? "Succeeded" : "Failed",
      conditions: this.#conditions([
        ["PodScheduled", "True"],
        ["Initialized", "True"],
        ["Ready", "False", exitCode === 0 ? "PodCompleted" : "PodFailed"],
      ]),
      containerStatuses: this.#containers(pod, { terminated }, false),
    });
  }

  /** The containers are stopped within the grace; then the kubelet confirms the delete. */
  #stop(pod: Pod): void {
    if (pod.status.phase === "Running" || pod.status.phase === "Pending") this.#finish(pod, 143);
    this.#cluster.objects.delete(resources.pods, pod.metadata, { gracePeriodSeconds: 0 });
  }

  #containers(pod: Pod, state: object, ready: boolean): NonNullable<PodStatus["containerStatuses"]> {
    return (pod.spec.containers ?? []).map(({ name }) => ({ name, state, ready, restartCount: 0, lastState: {} }));
  }

  #conditions(rows: readonly [type: string, status: string, reason?: string, message?: string][]): Condition[] {
    const lastTransitionTime = this.#now();
    return rows.map(([type, status, reason, message]) => {
      return { type, status, lastTransitionTime, ...(reason && { reason }), ...(message && { message }) };
    });
  }

  #setStatus(pod: Pod, status: PodStatus): void {
    this.#cluster.objects.patch(resources.pods, pod.metadata, { status });
  }

  #event(component: string, pod: Pod, type: "Normal" | "Warning", reason: string, message: string): void {
    recordEvent(this.#cluster, component, "Pod", pod, { type, reason, message });
  }

  #now(): string {
    return timestamp(this.#cluster.clock.now());
  }

  /** The next step of a pod, which is forgotten if the pod is gone or another by then. */
  #later(pod: Pod, delayMs: number, step: (current: Pod) => void): void {
    const { uid } = pod.metadata;
    this.#cancel(uid);
    const run = (): void => {
      this.#timers.delete(uid);
      const current = this.#cluster.objects.get(resources.pods, pod.metadata);
      if (current?.metadata.uid === uid) step(current);
    };
    this.#timers.set(uid, this.#cluster.clock.setTimer(run, delayMs, { unref: true }));
  }

  #cancel(uid: string): void {
    this.#timers.get(uid)?.cancel();
    this.#timers.delete(uid);
  }
}
