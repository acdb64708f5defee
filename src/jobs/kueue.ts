import type { DeepReadonly, Job, KubeObject } from "../resources/index.ts";
import { evidenceKinds, type Workload } from "./evidence-kinds.ts";
import { suspendedSince } from "./job-state.ts";
import type { World } from "./world.ts";

/** Kueue takes care of a Job that names its LocalQueue here. */
const QUEUE_LABEL = "kueue.x-k8s.io/queue-name";

/** What Kueue writes on a Workload: the uid of the Job that it was made for. */
const JOB_UID_LABEL = "kueue.x-k8s.io/job-uid";

/** The value of spec.managedBy that hands a Job to a worker cluster. */
export const MULTIKUEUE = "kueue.x-k8s.io/multikueue";

/** Kueue starts an admitted Job within seconds, so a younger one is not worth a read. */
const ASK_AFTER_MS = 5 * 60_000;

/** Kueue can be told to manage Jobs without the label too. It is not worth a read before such a Job would be listed as forgotten. */
const ASK_UNLABELLED_AFTER_MS = 24 * 60 * 60_000;

/** The LocalQueue, as far as the Job itself says so. */
export function queueOf({ metadata }: DeepReadonly<KubeObject>): string | undefined {
  return metadata.labels?.[QUEUE_LABEL];
}

/** From when on it is worth asking for the Workload of a suspended Job. */
export function workloadAskedFrom(job: DeepReadonly<Job>): number | undefined {
  const since = suspendedSince(job)?.sinceMs;
  const isKueues = queueOf(job) !== undefined || job.spec.managedBy === MULTIKUEUE;
  return since && since + (isKueues ? ASK_AFTER_MS : ASK_UNLABELLED_AFTER_MS);
}

/** The Workload of a suspended Job. null: it has none. Undefined: not known, or not worth asking yet. */
export function workloadOf(
  job: DeepReadonly<Job>,
  world: World,
  now: number,
): DeepReadonly<Workload> | null | undefined {
  const from = workloadAskedFrom(job);
  if (from === undefined || now < from) return undefined;
  const { namespace = "", uid } = job.metadata;
  const workloads = world.byLabel(evidenceKinds.workloads, namespace, JOB_UID_LABEL, uid);
  return workloads && (workloads.toSorted(newestFirst)[0] ?? null);
}

/** After a Job's spec has changed there are two for a while. */
function newestFirst({ metadata: a }: DeepReadonly<Workload>, { metadata: b }: DeepReadonly<Workload>): number {
  const key = ({ creationTimestamp = "", name }: typeof a): string => `${creationTimestamp} ${name}`;
  return key(a) < key(b) ? 1 : -1;
}
