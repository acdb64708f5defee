import { pause } from "./daemon.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import type { Json } from "./raw-client.ts";

/** One state of a pod's only container: what the kubelet would report next. */
export type PodStep = "running" | "succeeded" | "failed" | { waiting: string; message?: string };

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
      await this.#patiently(call);
    }
  }

  #calls(pod: Json): (() => Promise<unknown>)[] {
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
    const reports = steps.map(
      (step) => (): Promise<unknown> => raw.patch(`${path}/status`, { status: podStatus(pod, step) }),
    );
    return steps.length === 0 || pod["spec"].nodeName !== undefined ? reports : [bind, ...reports];
  }

  #removal(pod: Json): () => Promise<unknown> {
    const preconditions = { uid: pod.metadata.uid };
    return () => this.#access.raw.delete(podPath(pod), { gracePeriodSeconds: 0, preconditions });
  }

  /** Until the server is there again; a pod that is gone, or bound already, is none of our business any more. */
  async #patiently(call: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await call();
        return;
      } catch (thrown) {
        const refused = /: 4\d\d /.exec(String(thrown))?.[0];
        if (refused === ": 404 " || refused === ": 409 ") return;
        if (refused !== undefined) this.#refusal ??= thrown;
        if (refused !== undefined || this.#stopping.signal.aborted) return;
        await pause(200);
      }
    }
  }
}

function podPath({ metadata }: Json): string {
  return `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
}

function podStatus(pod: Json, step: PodStep): object {
  const now = new Date().toISOString().replace(/\.\d+Z$/, "Z");
  const phases = { running: "Running", succeeded: "Succeeded", failed: "Failed" } as const;
  const container = pod["spec"].containers[0] as { name: string; image: string };
  const status = {
    name: container.name,
    image: container.image,
    imageID: "",
    restartCount: 0,
    ready: step === "running",
  };
  const conditions = [
    { type: "PodScheduled", status: "True", lastTransitionTime: now },
    { type: "Ready", status: step === "running" ? "True" : "False", lastTransitionTime: now },
  ];
  return {
    phase: typeof step === "string" ? phases[step] : "Pending",
    startTime: now,
    conditions,
    containerStatuses: [{ ...status, state: containerState(step, now) }],
  };
}

function containerState(step: PodStep, now: string): object {
  if (typeof step !== "string") return { waiting: { reason: step.waiting, message: step.message ?? "" } };
  if (step === "running") return { running: { startedAt: now } };
  const exitCode = step === "succeeded" ? 0 : 1;
  const reason = step === "succeeded" ? "Completed" : "Error";
  return { terminated: { exitCode, reason, startedAt: now, finishedAt: now } };
}
