import type { PodState } from "./pods.ts";

/** How a Job fares: its status, and that of its two pods. */
export interface Fate {
  readonly spec?: object;
  readonly status: object;
  /** Undefined: it has none. */
  readonly pods?: PodState;
}

interface Times {
  readonly began: string;
  readonly ended: string;
}

const TRACKED = ["batch.kubernetes.io/job-tracking"];

/** The fates of Jobs that began and, where they did, ended at these times. The stuck ones by the id of their kind. */
export function fatesAt({ began, ended }: Times): {
  finished: Fate;
  running: Fate;
  stuck: Readonly<Record<string, Fate>>;
} {
  const ready = conditions(began, { Ready: "True", ContainersReady: "True" });
  const unready = conditions(began, { Ready: "False", ContainersReady: "False" });
  const runs = { running: { startedAt: began } };
  const over = { terminated: { exitCode: 0, reason: "Completed", startedAt: began, finishedAt: ended } };
  const isRunning: PodState = {
    finalizers: TRACKED,
    status: {
      phase: "Running",
      startTime: began,
      conditions: ready,
      containerStatuses: [container(runs, { ready: true })],
    },
  };
  const hasEnded: PodState = {
    status: { phase: "Succeeded", startTime: began, conditions: unready, containerStatuses: [container(over)] },
  };
  const waits = (reason: string): PodState => {
    const waiting = { waiting: { reason, message: `the kubelet says why it is ${reason}` } };
    return {
      finalizers: TRACKED,
      status: { phase: "Pending", startTime: began, conditions: unready, containerStatuses: [container(waiting)] },
    };
  };
  const active = { startTime: began, active: 2, ready: 2, terminating: 0, uncountedTerminatedPods: {} };
  const complete = { type: "Complete", status: "True", lastTransitionTime: ended, reason: "CompletionsReached" };
  const suspended = { type: "Suspended", status: "True", lastTransitionTime: began, reason: "JobSuspended" };
  const unschedulable = {
    type: "PodScheduled",
    status: "False",
    lastTransitionTime: began,
    reason: "Unschedulable",
    message: "0/500 nodes are available: 500 Insufficient memory.",
  };
  const crashing = container(
    { waiting: { reason: "CrashLoopBackOff", message: "back-off 5m0s restarting failed container" } },
    {
      restartCount: 40,
      lastState: { terminated: { exitCode: 1, reason: "Error", startedAt: began, finishedAt: ended } },
    },
  );
  return {
    finished: {
      status: { ...active, active: 0, ready: 0, succeeded: 2, completionTime: ended, conditions: [complete] },
      pods: hasEnded,
    },
    running: { status: active, pods: isRunning },
    stuck: {
      S01: { status: {} },
      S07: { spec: { suspend: true }, status: { conditions: [suspended] } },
      S11: {
        status: { ...active, ready: 0 },
        pods: {
          finalizers: TRACKED,
          spec: { nodeName: "" },
          status: { phase: "Pending", conditions: [unschedulable] },
        },
      },
      S13: { status: { ...active, ready: 0 }, pods: waits("ImagePullBackOff") },
      S14: { status: { ...active, ready: 0 }, pods: waits("CreateContainerConfigError") },
      S17: {
        status: { ...active, ready: 0 },
        pods: {
          finalizers: TRACKED,
          spec: { restartPolicy: "OnFailure" },
          status: { phase: "Running", startTime: began, conditions: unready, containerStatuses: [crashing] },
        },
      },
      S19: { spec: { activeDeadlineSeconds: 600 }, status: active, pods: isRunning },
      S25: { status: active, pods: { ...hasEnded, finalizers: TRACKED } },
    },
  };
}

function container(state: object, more: object = {}): object {
  const image = "registry.example/export:1.2.3";
  const ids = {
    imageID: `${image}@sha256:${"0123456789abcdef".repeat(4)}`,
    containerID: "containerd://0123456789abcdef",
  };
  return { name: "main", image, ...ids, state, lastState: {}, ready: false, started: false, restartCount: 0, ...more };
}

/** Placed and initialized long ago. */
function conditions(at: string, more: Readonly<Record<string, string>>): readonly object[] {
  const all = { PodReadyToStartContainers: "True", Initialized: "True", PodScheduled: "True", ...more };
  return Object.entries(all).map(([type, status]) => ({ type, status, lastProbeTime: null, lastTransitionTime: at }));
}
