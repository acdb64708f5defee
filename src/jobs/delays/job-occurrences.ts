import { controllerOf, type DeepReadonly, isFinishedPod, type Job, type Pod } from "../../resources/index.ts";
import { endOf } from "../pod-state.ts";
import { latestOf } from "../since.ts";
import { type Occurrence, occurrence } from "./delay-bounds.ts";

/** When the run was due, as kube-controller-manager writes it on the Jobs of CronJobs since 1.28. */
const SCHEDULED_AT = "batch.kubernetes.io/cronjob-scheduled-timestamp";
/** On a Job that `kubectl create job --from` made: it was never due. */
const BY_HAND = "cronjob.kubernetes.io/instantiate";
const MINUTE_MS = 60_000;
const BUILT_IN = "kubernetes.io/job-controller";

/** From its creation to status.startTime. A Job that was ever suspended waited by design, and its startTime moves. */
export function startOf({ metadata, spec, status }: DeepReadonly<Job>): Occurrence | undefined {
  const wasSuspended = spec.suspend === true || status.conditions?.some(({ type }) => type === "Suspended");
  const isForeign = spec.managedBy !== undefined && spec.managedBy !== BUILT_IN;
  if (wasSuspended || isForeign) return undefined;
  return occurrence(Date.parse(metadata.creationTimestamp ?? ""), status.startTime);
}

/** From when its CronJob was due to its creation. */
export function dueOf(job: DeepReadonly<Job>): Occurrence | undefined {
  const { name, annotations, creationTimestamp } = job.metadata;
  const owner = controllerOf(job);
  if (owner?.kind !== "CronJob" || annotations?.[BY_HAND] !== undefined) return undefined;
  const written = Date.parse(annotations?.[SCHEDULED_AT] ?? "");
  if (!Number.isNaN(written)) return occurrence(written, creationTimestamp, true);
  // Older clusters say it in the name alone, in whole minutes of the Unix epoch.
  const minute = /^\d{1,10}$/.exec(name.startsWith(`${owner.name}-`) ? name.slice(owner.name.length + 1) : "");
  const cut = minute && occurrence(Number(minute[0]) * MINUTE_MS, creationTimestamp, true);
  return cut ? { ...cut, minMs: Math.max(0, cut.minMs - MINUTE_MS) } : undefined;
}

export function isComplete({ status }: DeepReadonly<Job>): boolean {
  return status.conditions?.some(({ type, status: is }) => type === "Complete" && is === "True") ?? false;
}

/** Since when it has been Complete, as an API timestamp. */
export function completeSince({ status }: DeepReadonly<Job>): string | undefined {
  return status.conditions?.find(({ type }) => type === "Complete")?.lastTransitionTime ?? status.completionTime;
}

/**
 * From the end of the last of its pods until it was Complete. Undefined while the pods are not known to be all there and ended: the
 * cache of the pods may be behind.
 */
export function completionOf(job: DeepReadonly<Job>, pods: readonly DeepReadonly<Pod>[]): Occurrence | undefined {
  const succeeded = pods.filter(({ status: { phase } }) => phase === "Succeeded").length;
  if (succeeded < (job.status.succeeded ?? 0) || !pods.every(isFinishedPod)) return undefined;
  const end = latestOf(...pods.map(endOf));
  return end && occurrence(end.sinceMs, completeSince(job));
}
