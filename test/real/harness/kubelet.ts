import { setTimeout } from "node:timers/promises";
import { pause } from "./daemon.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import type { Json } from "./raw-client.ts";

/**
 * What the scheduler or the kubelet would do next with a pod of one container: a state to report, which a crash that is followed by a
 * restart is too; a pod that fits nowhere yet; or to leave it as it is for a while.
 */
export type PodStep =
  | "running"
  | "succeeded"
  | "failed"
  | "crashed"
  | Waiting
  | { unplaced: string }
  | { seconds: number };

interface Waiting {
  waiting: string;
  message?: string;
}

export interface KubeletOptions {
  namespace: string;
  /** What becomes of a pod, step after step; an empty list leaves it pending and unscheduled. */
  plan: (pod: Json) => readonly PodStep[];
}

const nodeName = "test-node";

/**
 * The test plays scheduler and kubelet for one namespace: binds each pod, reports its steps, and lets go of a pod that is
 * deleted. It survives an API server that is away; `stop` ends it once what it
 * has begun is done, and fails if the server refused any of it.
 */
export class Kubelet implements AsyncDisposable {
  readonly #access: ClusterAccess;
  readonly #options: KubeletOptions;
  readonly #stopping = new AbortController();
  readonly #seen = new Set<string>();
  readonly #running: Promise<void>;
  #refusal: unknown;

  constructor(access: ClusterAccess, options: KubeletOptions) {
    this.#access = access;
    this.#options = options;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const working = new Set<Promise<void>>();
    const path =
      `/api/v1/namespaces/${this.#options.namespace}/pods?watch=true&sendInitialEvents=true` +
      "&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    while (!signal.aborted) {
      try {
        for await (const { type, object } of this.#access.raw.lines(path, signal)) {
          if (type !== "ADDED" && type !== "MODIFIED") continue;
          const work = this.#look(object).finally(() => working.delete(work));
          working.add(work);
        }
      } catch {
        await pause(200); // the API server is away, or the test is over: the loop's condition decides
      }
    }
    await Promise.all(working);
  }

  async #look(pod: Json): Promise<void> {
    const deleting = pod.metadata.deletionTimestamp !== undefined;
    const seen = `${pod.metadata.uid} ${deleting ? "deleting" : "plan"}`;
    if (this.#seen.has(seen)) return;
    this.#seen.add(seen);
    for (const call of deleting ? [this.#removal(pod)] : this.#calls(pod)) {
      if (!(await this.#patiently(call))) return;
    }
  }

  #calls(pod: Json): Call[] {
    const { raw } = this.#access;
    const steps = this.#options.plan(pod);
    const path = podPath(pod);
    const binding = {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name: pod.metadata.name },
      target: { apiVersion: "v1", kind: "Node", name: nodeName },
    };
    const bind = (): Promise<unknown> => raw.post(`${path}/binding`, binding);
    const calls: Call[] = [];
    let startTime: string | undefined;
    let crashes = 0;
    let placed = pod["spec"].nodeName !== undefined;
    for (const step of steps) {
      if (typeof step === "object" && "seconds" in step) {
        calls.push(() => setTimeout(step.seconds * 1_000, undefined, { signal: this.#stopping.signal }));
        continue;
      }
      const unplaced = typeof step === "object" && "unplaced" in step;
      if (!placed && !unplaced) calls.push(bind);
      placed ||= !unplaced;
      if (step === "crashed") crashes += 1;
      const restartCount = crashes;
      calls.push(() => {
        if (unplaced) return raw.patch(`${path}/status`, { status: unplacedStatus(step.unplaced) });
        const status = podStatus(pod, step, { startTime: (startTime ??= timestamp()), restartCount });
        return raw.patch(`${path}/status`, { status });
      });
    }
    return calls;
  }

  #removal(pod: Json): Call {
    const preconditions = { uid: pod.metadata.uid };
    return () => this.#access.raw.delete(podPath(pod), { gracePeriodSeconds: 0, preconditions });
  }

  /** Until the server is there again. False when there is no more to do: the pod is gone, the call was refused, or the test is over. */
  async #patiently(call: Call): Promise<boolean> {
    for (;;) {
      try {
        await call();
        return true;
      } catch (thrown) {
        const refused = /: 4\d\d /.exec(String(thrown))?.[0];
        if (refused === ": 409 ") return true; // bound already
        if (refused === ": 404 ") return false;
        if (refused !== undefined) this.#refusal ??= thrown;
        if (refused !== undefined || this.#stopping.signal.aborted) return false;
        await pause(200);
      }
    }
  }
}

function podPath({ metadata }: Json): string {
  return `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
}

type Call = () => Promise<unknown>;

/** What came before. */
interface Past {
  readonly startTime: string;
  readonly restartCount: number;
}

function unplacedStatus(message: string): object {
  const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message };
  return { conditions: [{ ...condition, lastTransitionTime: timestamp() }] };
}

type State = Exclude<PodStep, { unplaced: string } | { seconds: number }>;

function podStatus(pod: Json, step: State, { startTime, restartCount }: Past): object {
  const now = timestamp();
  const phases = { running: "Running", succeeded: "Succeeded", failed: "Failed", crashed: "Running" } as const;
  const container = pod["spec"].containers[0] as { name: string; image: string };
  const status = {
    name: container.name,
    image: container.image,
    imageID: "",
    restartCount,
    ready: step === "running",
    ...(restartCount > 0 ? { lastState: terminated(1, now) } : {}),
  };
  const conditions = [
    { type: "PodScheduled", status: "True", lastTransitionTime: now },
    { type: "Ready", status: step === "running" ? "True" : "False", lastTransitionTime: now },
  ];
  return {
    phase: typeof step === "string" ? phases[step] : "Pending",
    startTime,
    conditions,
    containerStatuses: [{ ...status, state: containerState(step, now) }],
  };
}

function containerState(step: State, now: string): object {
  if (step === "crashed") return { waiting: { reason: "CrashLoopBackOff", message: "back-off" } };
  if (typeof step !== "string") return { waiting: { reason: step.waiting, message: step.message ?? "" } };
  if (step === "running") return { running: { startedAt: now } };
  return terminated(step === "succeeded" ? 0 : 1, now);
}

function terminated(exitCode: number, now: string): object {
  const reason = exitCode === 0 ? "Completed" : "Error";
  return { terminated: { exitCode, reason, startedAt: now, finishedAt: now } };
}

function timestamp(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, "Z");
}
