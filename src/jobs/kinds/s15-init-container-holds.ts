import { compareText, oneLine } from "../../base/index.ts";
import { type ContainerStatus, type DeepReadonly, isFinishedPod, type Job, type Pod } from "../../resources/index.ts";
import { isDeleting } from "../job-state.ts";
import { bySince, latestOf, type Since, sinceOf } from "../since.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { podStart } from "../waiting-containers.ts";
import { command, cut, nameOf } from "../words.ts";

interface Held extends Since {
  readonly pod: DeepReadonly<Pod>;
  readonly container: string;
  readonly reason: "InitCrashLoop" | "InitRunning";
  readonly line: string;
}

export const initContainerHolds: StuckKind<Job> = {
  id: "S15",
  name: "init-container-holds",
  sees: "an init container runs or crashes and has not ended with 0, so the main containers have not started",
  lookAlike: "a native sidecar (an init container with restartPolicy Always), which runs by design",
  means:
    "Init containers run one after another, and the main ones only when all have ended with 0. One that waits for something that never comes, or crashes and is restarted, holds the whole pod; that never counts against backoffLimit as long as the pod itself does not fail.",
  remedy: [
    "Read the init container's log: it says what it waits for or why it crashes.",
    "See whether what it waits for (a database, a service, a migration) is there.",
    "Give the Job an activeDeadlineSeconds so that such a wait ends by itself.",
  ],
  limits: { warningMs: 15 * 60_000, criticalMs: 60 * 60_000 },
  source: ["https://github.com/y-scope/clp/issues/2043", "https://github.com/argoproj/argo-workflows/issues/14495"],
  reasons: ["InitCrashLoop", "InitRunning"],
  look(job, world) {
    const held = world
      .podsOf(job.metadata.uid)
      .flatMap((pod) => heldBy(pod) ?? [])
      .toSorted((a, b) => bySince(a, b) || compareText(a.pod.metadata.name, b.pod.metadata.name));
    const [first] = held;
    if (!first) return undefined;
    const { namespace = "" } = job.metadata;
    const does = first.reason === "InitCrashLoop" ? "crashes again and again" : "has not ended";
    return {
      reason: first.reason,
      sinceMs: first.sinceMs,
      sinceSource: first.sinceSource,
      message: `Init container ${oneLine(first.container)} of ${nameOf("Pod", first.pod)} ${does}, so its main containers have not started`,
      evidence: cut(held.map(({ line }) => line)),
      next: [
        command`kubectl -n ${namespace} logs ${first.pod.metadata.name} -c ${first.container}`,
        command`kubectl -n ${namespace} describe pod ${first.pod.metadata.name}`,
      ],
    };
  },
};

/** The init container that the pod has come to, if it runs or crashes. */
function heldBy(pod: DeepReadonly<Pod>): Held | undefined {
  if (isDeleting(pod) || isFinishedPod(pod)) return undefined;
  const sidecars = new Set(pod.spec.initContainers?.filter((c) => c.restartPolicy === "Always").map((c) => c.name));
  const inits = (pod.status.initContainerStatuses ?? []).filter(({ name }) => !sidecars.has(name));
  const current = inits.find((status) => !hasSucceeded(status));
  if (!current) return undefined;
  const crashes = isCrashing(current);
  const since = crashes
    ? reachedSince(pod, inits, current)
    : sinceOf(current.state?.running?.startedAt, "pod status: start of the init container");
  if (!since) return undefined;
  const { name, restartCount = 0 } = current;
  return {
    pod,
    container: name,
    reason: crashes ? "InitCrashLoop" : "InitRunning",
    line: `${nameOf("Pod", pod)}: init container ${oneLine(name)} ${doing(current)}, ${restartCount} restarts`,
    ...since,
  };
}

function hasSucceeded({ state }: DeepReadonly<ContainerStatus>): boolean {
  return state?.terminated !== undefined && (state.terminated.exitCode ?? 0) === 0;
}

function isCrashing({ state, restartCount = 0 }: DeepReadonly<ContainerStatus>): boolean {
  return restartCount > 0 || state?.terminated !== undefined || state?.waiting?.reason === "CrashLoopBackOff";
}

function doing({ state }: DeepReadonly<ContainerStatus>): string {
  if (state?.running) return "running";
  if (state?.terminated) return `ended with ${state.terminated.exitCode ?? 0}`;
  return `waiting ${oneLine(state?.waiting?.reason ?? "")}`;
}

/** When the pod came to this init container. Its own restarts do not change that. */
function reachedSince(
  pod: DeepReadonly<Pod>,
  inits: readonly DeepReadonly<ContainerStatus>[],
  current: DeepReadonly<ContainerStatus>,
): Since | undefined {
  const before = inits.slice(0, inits.indexOf(current));
  return latestOf(
    podStart(pod),
    ...before.map(({ state }) => sinceOf(state?.terminated?.finishedAt, "pod status: end of the container before it")),
  );
}
