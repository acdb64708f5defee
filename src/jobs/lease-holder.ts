import { oneLine } from "../base/index.ts";
import {
  type DeepReadonly,
  isFinishedPod,
  type Job,
  JOB_NAME_LABEL,
  type Lease,
  type Pod,
  resources,
  runLeaseState,
} from "../resources/index.ts";
import { finishedSince } from "./job-state.ts";
import { isDeclaredLock } from "./lease-class.ts";
import { endOf } from "./pod-state.ts";
import { latestOf, type Since, sinceOf } from "./since.ts";
import { nameOf } from "./words.ts";
import type { World } from "./world.ts";

/** When the holder took the lease, where the controller notes that. */
const ACQUIRED_ANNOTATION = "captf.io/lease-acquired-at";

/** The lock of the Terraform and OpenTofu backend "kubernetes": who holds it and since when, as JSON. */
const LOCK_INFO_ANNOTATION = "app.terraform.io/lock-info";

const STATE_LOCK_NAME = /^lock-tfstate-[^-]+-(.+)$/;

/** A holder that does not exist may be about to be created. */
export const HOLDER_GRACE_MS = 60_000;

type HolderReason = "HolderFinished" | "HolderMissing" | "LockOlderThanHolder";

/** A holder that will not let go by itself. */
interface DeadHolder extends Since {
  readonly reason: HolderReason;
  /** Ends a sentence that begins with the lease. */
  readonly why: string;
}

/** alive: it has a holder that runs. Undefined: not known. */
export type HolderState = "none" | "alive" | DeadHolder | undefined;

export function acquiredSince(lease: DeepReadonly<Lease>): Since | undefined {
  const { annotations, creationTimestamp } = lease.metadata;
  return (
    sinceOf(annotations?.[ACQUIRED_ANNOTATION], `Lease annotation ${ACQUIRED_ANNOTATION}`) ??
    sinceOf(lockInfo(lease).Created, `Lease annotation ${LOCK_INFO_ANNOTATION}`) ??
    sinceOf(lease.spec.acquireTime, "Lease spec.acquireTime") ??
    sinceOf(creationTimestamp, "Lease metadata.creationTimestamp")
  );
}

/** Whoever holds a lock: the Job of that name, the pods of that Job, or a pod. */
export function holderOf(lease: DeepReadonly<Lease>, world: World, now: number): HolderState {
  const { namespace = "" } = lease.metadata;
  const holder = lease.spec.holderIdentity ?? "";
  const acquired = acquiredSince(lease);
  if (holder === "" || !acquired) return "none";
  const job = world.find(resources.jobs, { namespace, name: holder });
  if (job === undefined) return undefined;
  const state = jobState(lease, job, world, now);
  if (job || state !== undefined) return state;
  return podState(lease, acquired, world, now);
}

/** Undefined: it is no Job, or not known. */
function jobState(lease: DeepReadonly<Lease>, job: DeepReadonly<Job> | null, world: World, now: number): HolderState {
  const { namespace = "" } = lease.metadata;
  const holder = lease.spec.holderIdentity ?? "";
  const pods = job ? world.podsOf(job.metadata.uid) : world.byLabel(resources.pods, namespace, JOB_NAME_LABEL, holder);
  // When others may take the lease over is their rule; that its holder is dead is true before.
  const untimed = { ...lease, spec: { ...lease.spec, leaseDurationSeconds: 0 } };
  const podRuns = pods?.some((pod) => !isFinishedPod(pod));
  const rules = {
    graceMs: HOLDER_GRACE_MS,
    backstopMs: Number.POSITIVE_INFINITY,
    acquiredAtAnnotation: ACQUIRED_ANNOTATION,
  };
  const state = runLeaseState(untimed, { job, podRuns }, now, rules);
  if (state.live === true) return "alive";
  if (state.live === "unknown" || !job) return undefined;
  const since = latestOf(finishedSince(job), acquiredSince(lease));
  return since && { ...since, reason: "HolderFinished", why: `its holder, ${nameOf("Job", job)}, has finished` };
}

function podState(lease: DeepReadonly<Lease>, acquired: Since, world: World, now: number): HolderState {
  const state = stateOfPods(podNames(lease), lease.metadata.namespace ?? "", acquired, world);
  if (state !== "none") return state;
  // Of another lease nobody can say that its holder ever was a Job or a pod of this cluster.
  if (now - acquired.sinceMs <= HOLDER_GRACE_MS || !isDeclaredLock(lease)) return "alive";
  const { Who } = lockInfo(lease);
  const holder = oneLine(`${lease.spec.holderIdentity}${Who === undefined ? "" : ` (${Who})`}`);
  return { ...acquired, reason: "HolderMissing", why: `there is neither a Job nor a pod of its holder ${holder}` };
}

/** What has become of the pod of one of these names that took a lock then; none: there is no such pod. */
export function stateOfPods(names: readonly string[], namespace: string, acquired: Since, world: World): HolderState {
  const found = names.map((name) => world.find(resources.pods, { namespace, name }));
  const pods = found.filter((pod) => pod !== undefined && pod !== null);
  const alive = pods.find((pod) => !isFinishedPod(pod));
  if (alive) return olderThan(alive, acquired) ?? "alive";
  // One of the names that is not known could be the holder's.
  if (pods.length < found.filter((pod) => pod !== null).length) return undefined;
  const [ended] = pods;
  if (!ended) return "none";
  const since = latestOf(endOf(ended), acquired);
  return since && { ...since, reason: "HolderFinished", why: `its holder, ${nameOf("Pod", ended)}, has ended` };
}

/** The same name is not the same process: a lock that was taken before the pod began is of one that died. */
function olderThan(pod: DeepReadonly<Pod>, acquired: Since): DeadHolder | undefined {
  const started = sinceOf(pod.status.startTime, "pod status.startTime");
  if (!started || started.sinceMs <= acquired.sinceMs) return undefined;
  return {
    ...started,
    reason: "LockOlderThanHolder",
    why: `it was taken before its holder, ${nameOf("Pod", pod)}, began`,
  };
}

/** Names that the holder's pod may have, the likeliest first. */
export function podNames(lease: DeepReadonly<Lease>): readonly string[] {
  const holder = lease.spec.holderIdentity ?? "";
  const owners = lease.metadata.ownerReferences?.filter(({ kind }) => kind === "Pod").map(({ name }) => name) ?? [];
  const [, suffix] = STATE_LOCK_NAME.exec(lease.metadata.name) ?? [];
  const names = [
    ...owners,
    // "root@pod-name"
    (lockInfo(lease).Who ?? "").split("@").at(-1) ?? "",
    // "pod-name_uuid", as client-go's leader election writes it.
    holder.split("_")[0] ?? "",
    // The runner of the tofu-controller.
    ...(suffix === undefined ? [] : [`${suffix}-tf-runner`]),
  ];
  return [...new Set(names)].filter((name) => /^[a-z0-9][a-z0-9.-]{0,252}$/.test(name));
}

function lockInfo({ metadata }: DeepReadonly<Lease>): { readonly Who?: string; readonly Created?: string } {
  const text = metadata.annotations?.[LOCK_INFO_ANNOTATION];
  if (text === undefined) return {};
  try {
    const { Who, Created } = Object(JSON.parse(text)) as Record<string, unknown>;
    return { ...(typeof Who === "string" ? { Who } : {}), ...(typeof Created === "string" ? { Created } : {}) };
  } catch {
    // Somebody else's annotation: without it, less is known.
    return {};
  }
}
