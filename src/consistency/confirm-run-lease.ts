import { isNotFound, type LiveReader } from "../kube/index.ts";
import {
  type DeepReadonly,
  isFinishedPod,
  type Job,
  JOB_NAME_LABEL,
  type Lease,
  type ObjectRef,
  resources,
  type RunLeaseRules,
  runLeaseState,
  type RunLeaseState,
} from "../resources/index.ts";

/** What the API server says about a run lease. */
export interface ConfirmedRunLease {
  readonly state: Exclude<RunLeaseState, { live: "unknown" }>;
  /** The Job that holds it, as far as it mattered and there is one. */
  readonly job: Job | undefined;
}

export interface ConfirmRunLeaseOptions {
  /** Wall time in milliseconds. */
  readonly now: number;
  readonly rules?: RunLeaseRules | undefined;
}

/**
 * Whether a run lease is held (`runLeaseState`), with as many live reads as that takes: none, its holder, or its holder and that
 * one's pods. `lease` itself must come from a live read too: a cached one may be somebody else's by now. Errors: those of the reads.
 */
export async function confirmRunLease(
  live: Pick<LiveReader, "get" | "list">,
  lease: DeepReadonly<Lease>,
  { now, rules }: ConfirmRunLeaseOptions,
): Promise<ConfirmedRunLease> {
  const { namespace } = lease.metadata;
  let job: Job | null | undefined;
  let podRuns: boolean | undefined;
  for (;;) {
    const state = runLeaseState(lease, { job, podRuns }, now, rules);
    if (state.live !== "unknown") return { state, job: job ?? undefined };
    const holder: ObjectRef = { ...(namespace && { namespace }), name: state.holder };
    if (state.needs === "job") job = (await readJob(live, holder)) ?? null;
    else podRuns = await anyPodRuns(live, holder);
  }
}

/** Undefined when there is none. A name that no Job can have, as garbage in a lease, is not asked for. */
export async function readJob(live: Pick<LiveReader, "get">, ref: ObjectRef): Promise<Job | undefined> {
  if (!isJobName(ref.name)) return undefined;
  try {
    return await live.get(resources.jobs, ref);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function anyPodRuns(live: Pick<LiveReader, "list">, job: ObjectRef): Promise<boolean> {
  if (!isJobName(job.name)) return false;
  const scope = { ...(job.namespace && { namespace: job.namespace }), labelSelector: `${JOB_NAME_LABEL}=${job.name}` };
  for await (const { items, opaque = [] } of live.list(resources.pods, scope)) {
    if (opaque.length > 0 || items.some((pod) => !isFinishedPod(pod))) return true;
  }
  return false;
}

/** A Job's name is a label of its pods, so it is no longer than one: https://kubernetes.io/docs/concepts/workloads/controllers/job/#writing-a-job-spec */
function isJobName(name: string): boolean {
  return /^[a-z0-9](?:[-.a-z0-9]{0,61}[a-z0-9])?$/.test(name);
}
