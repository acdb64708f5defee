import {
  type Condition,
  controllerOf,
  isFinishedJob,
  type Job,
  type JobStatus,
  keyOf,
  type Pod,
  resources,
} from "../../resources/index.ts";
import type { EmbeddedCluster } from "../embedded-cluster.ts";
import { timestamp } from "../storage/timestamp.ts";
import {
  countPods,
  deadlineLeftMs,
  decide,
  type Decision,
  failureBackoffMs,
  type PodCount,
  TRACKING_FINALIZER,
  wantedActive,
} from "./job-decision.ts";
import type { PodFate } from "./pod-fate.ts";
import { recordEvent } from "./record-event.ts";

const CONTROLLER = "kubernetes.io/job-controller";

/**
 * One pass of the Job controller over one Job: count finished pods, decide, create or delete pods, write the status. Returns after
 * how many milliseconds to look again, if nothing happens before.
 */
export function syncJob(cluster: EmbeddedCluster, key: string, fateOf: (job: Job) => PodFate): number {
  const job = cluster.objects.get(resources.jobs, key);
  if (!job || job.metadata.deletionTimestamp || (job.spec.managedBy ?? CONTROLLER) !== CONTROLLER) return NEVER;
  const pods = podsOf(cluster, job);
  const now = cluster.clock.now();
  if (isFinishedJob(job)) {
    for (const pod of pods) releasePod(cluster, pod);
    return NEVER;
  }
  const started = start(cluster, job, now);
  const count = countPods(pods);
  const counted = countFinished(cluster, started, count);
  const decision = decide(counted, count.active.length, now);
  if (decision) return end(cluster, counted, count, decision);
  return managePods(cluster, counted, count, fateOf(counted));
}

const NEVER = Number.POSITIVE_INFINITY;

function hasCondition({ conditions = [] }: JobStatus, type: string, wanted = "True"): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === wanted);
}

function podsOf(cluster: EmbeddedCluster, { metadata: { uid } }: Job): Pod[] {
  return cluster.objects.where(resources.pods, (pod) => controllerOf(pod)?.uid === uid);
}

/** The start time, and the Suspended condition both ways. */
function start(cluster: EmbeddedCluster, job: Job, now: number): Job {
  const { suspend = false } = job.spec;
  const isSuspended = hasCondition(job.status, "Suspended");
  if (suspend && !isSuspended) {
    recordEvent(cluster, "job-controller", "Job", job, {
      type: "Normal",
      reason: "Suspended",
      message: "Job suspended",
    });
    const conditions = withCondition(job.status, ["Suspended", "True", "JobSuspended", "Job suspended"], now);
    return setStatus(cluster, job, { conditions, startTime: null });
  }
  if (!suspend && isSuspended) {
    recordEvent(cluster, "job-controller", "Job", job, { type: "Normal", reason: "Resumed", message: "Job resumed" });
    const conditions = withCondition(job.status, ["Suspended", "False", "JobResumed", "Job resumed"], now);
    return setStatus(cluster, job, { conditions, startTime: timestamp(now) });
  }
  if (suspend || job.status.startTime) return job;
  return setStatus(cluster, job, { startTime: timestamp(now) });
}

/** Names finished pods in the status, lets go of them, and then counts them: a crash in between counts none twice. */
function countFinished(cluster: EmbeddedCluster, job: Job, { uncounted }: PodCount): Job {
  if (uncounted.length === 0) return job;
  // Who was stopped by a suspension did not fail.
  const judged = uncounted.filter((pod) => !(job.spec.suspend && pod.metadata.deletionTimestamp));
  const uids = (phase: string): string[] =>
    judged.filter((pod) => pod.status.phase === phase).map((pod) => pod.metadata.uid);
  const [succeeded, failed] = [uids("Succeeded"), uids("Failed")];
  const named = setStatus(cluster, job, { uncountedTerminatedPods: { succeeded, failed } });
  for (const pod of uncounted) releasePod(cluster, pod);
  return setStatus(cluster, named, {
    uncountedTerminatedPods: { succeeded: null, failed: null },
    ...(succeeded.length > 0 && { succeeded: (job.status.succeeded ?? 0) + succeeded.length }),
    ...(failed.length > 0 && { failed: (job.status.failed ?? 0) + failed.length }),
  });
}

/** Takes the tracking finalizer off a pod that may be gone already. */
export function releasePod(cluster: EmbeddedCluster, pod: Pod): void {
  const current = cluster.objects.get(resources.pods, pod.metadata);
  const finalizers = current?.metadata.finalizers ?? [];
  if (!finalizers.includes(TRACKING_FINALIZER)) return;
  const kept = finalizers.filter((finalizer) => finalizer !== TRACKING_FINALIZER);
  cluster.objects.patch(resources.pods, pod.metadata, { metadata: { finalizers: kept } });
}

/** The interim condition comes first, the final one when no pod is left that could still change something. */
function end(cluster: EmbeddedCluster, job: Job, count: PodCount, decision: Decision): number {
  const now = cluster.clock.now();
  const { interim, final, reason, message } = decision;
  for (const pod of count.active) deletePod(cluster, job, pod);
  const terminating = count.terminating + count.active.length;
  if (!hasCondition(job.status, interim) || terminating > 0) {
    const conditions = withCondition(job.status, [interim, "True", reason, message], now);
    setStatus(cluster, job, { conditions, active: null, ready: 0, terminating });
    return terminating > 0 ? NEVER : 0;
  }
  const conditions = withCondition(job.status, [final, "True", reason, message], now);
  const completionTime = final === "Complete" ? { completionTime: timestamp(now) } : {};
  setStatus(cluster, job, { conditions, ...completionTime, active: null, ready: 0, terminating: 0 });
  const event =
    final === "Complete" ? { type: "Normal" as const, reason: "Completed", message: "Job completed" } : undefined;
  recordEvent(cluster, "job-controller", "Job", job, event ?? { type: "Warning", reason, message });
  return NEVER;
}

/** Creates or deletes pods until as many are active as the Job wants now. */
function managePods(cluster: EmbeddedCluster, job: Job, count: PodCount, fate: PodFate): number {
  const now = cluster.clock.now();
  const { active, ready, terminating } = count;
  const missing = wantedActive(job) - active.length;
  const surplus = missing < 0 ? active.slice(missing) : [];
  for (const pod of surplus) deletePod(cluster, job, pod);
  const waitMs = failureBackoffMs(job.status.failed ?? 0) - (now - lastFailure(cluster, job));
  const refused = missing > 0 && waitMs <= 0 && fate.end === "over-quota";
  if (refused) refusePod(cluster, job);
  const made = refused || waitMs > 0 ? 0 : Math.max(missing, 0);
  for (let index = 0; index < made; index += 1) createPod(cluster, job);
  setStatus(cluster, job, {
    active: active.length + made - surplus.length || null,
    ready,
    terminating: terminating + surplus.length,
    uncountedTerminatedPods: {},
  });
  const again = refused ? QUOTA_RETRY_MS : missing > 0 && waitMs > 0 ? waitMs : NEVER;
  return Math.min(again, deadlineLeftMs(job, now));
}

const QUOTA_RETRY_MS = 60_000;

function refusePod(cluster: EmbeddedCluster, job: Job): void {
  const quota = "exceeded quota: compute, requested: pods=1, used: pods=10, limited: pods=10";
  const message = `Error creating: pods "${job.metadata.name}-" is forbidden: ${quota}`;
  recordEvent(cluster, "job-controller", "Job", job, { type: "Warning", reason: "FailedCreate", message });
}

/** When the last pod failed; long ago if none did. */
function lastFailure(cluster: EmbeddedCluster, job: Job): number {
  const ends = podsOf(cluster, job)
    .filter((pod) => pod.status.phase === "Failed")
    .map((pod) => Date.parse(pod.status.containerStatuses?.[0]?.state?.terminated?.finishedAt ?? ""));
  return Math.max(0, ...ends.filter((end) => !Number.isNaN(end)));
}

function createPod(cluster: EmbeddedCluster, job: Job): void {
  const template = (job.spec as { template?: { metadata?: object; spec?: object } }).template ?? {};
  const { name, namespace = "default", uid } = job.metadata;
  const owner = { apiVersion: "batch/v1", kind: "Job", name, uid, controller: true, blockOwnerDeletion: true };
  const pod = cluster.objects.create(resources.pods, {
    metadata: {
      ...template.metadata,
      generateName: `${name}-`,
      namespace,
      finalizers: [TRACKING_FINALIZER],
      ownerReferences: [owner],
    },
    spec: template.spec,
  });
  const message = `Created pod: ${pod.metadata.name}`;
  recordEvent(cluster, "job-controller", "Job", job, { type: "Normal", reason: "SuccessfulCreate", message });
}

function deletePod(cluster: EmbeddedCluster, job: Job, pod: Pod): void {
  cluster.objects.delete(resources.pods, pod.metadata);
  const message = `Deleted pod: ${pod.metadata.name}`;
  recordEvent(cluster, "job-controller", "Job", job, { type: "Normal", reason: "SuccessfulDelete", message });
}

type NewCondition = readonly [type: string, status: string, reason: string, message: string];

function withCondition(
  { conditions = [] }: JobStatus,
  [type, status, reason, message]: NewCondition,
  now: number,
): Condition[] {
  if (conditions.some((condition) => condition.type === type && condition.status === status)) return conditions;
  const at = timestamp(now);
  const added = { type, status, lastProbeTime: at, lastTransitionTime: at, reason, message };
  return [...conditions.filter((condition) => condition.type !== type), added];
}

/** Null removes a field. A status that stays the same is not written. */
function setStatus(cluster: EmbeddedCluster, job: Job, status: Record<string, unknown>): Job {
  return cluster.objects.patch(resources.jobs, keyOf(job.metadata), { status });
}
