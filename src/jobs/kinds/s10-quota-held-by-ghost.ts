import { oneLine } from "../../base/index.ts";
import {
  controllerOf,
  type DeepReadonly,
  isFinishedJob,
  type Job,
  keyOf,
  type OwnerReference,
  resources,
} from "../../resources/index.ts";
import type { Workload } from "../evidence-kinds.ts";
import type { Symptom } from "../finding.ts";
import { conditionOf, finishedSince } from "../job-state.ts";
import { latestOf, type Since, sinceOf } from "../since.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, nameOf } from "../words.ts";
import type { World } from "../world.ts";

type Ghost = DeepReadonly<Workload>;

export const quotaHeldByGhost: StuckKind<Workload> = {
  id: "S10",
  name: "quota-held-by-ghost",
  sees: "a Kueue Workload has quota and is not Finished, while the Job that it was made for has finished or is gone",
  lookAlike:
    "a Job that has just been admitted or has just ended; a Workload of something else than a Job is left alone",
  means:
    "Quota is taken by something that will never run again, so others wait for nothing. Kueue did not see the Job end, or a finalizer keeps the Workload.",
  remedy: [
    "Delete the Workload: its quota comes back at once.",
    "If it stays, see which finalizer it has and whether Kueue's controller-manager runs.",
  ],
  limits: { warningMs: 15 * 60_000, criticalMs: 60 * 60_000 },
  source: [
    "https://github.com/kubernetes-sigs/kueue/issues/10407",
    "https://github.com/kubernetes-sigs/kueue/issues/14811",
  ],
  reasons: ["JobFinished", "JobGone"],
  look(workload, world, now) {
    const owner = controllerOf(workload);
    const job = owner?.kind === "Job" ? jobOf(workload, owner, world) : undefined;
    if (job === undefined || !owner || conditionOf(workload, "Finished")) return undefined;
    return job === null ? jobGone(workload, owner, world, now) : jobFinished(workload, job);
  },
};

/** null: the Job that it was made for is gone, whatever has its name now. */
function jobOf(
  workload: Ghost,
  owner: DeepReadonly<OwnerReference>,
  world: World,
): DeepReadonly<Job> | null | undefined {
  const { namespace = "" } = workload.metadata;
  const job = world.find(resources.jobs, { namespace, name: owner.name });
  return job && job.metadata.uid !== owner.uid ? null : job;
}

function jobFinished(workload: Ghost, job: DeepReadonly<Job>): Symptom | undefined {
  const since = latestOf(reservedSince(workload), finishedSince(job));
  if (!since || !reservedSince(workload) || !isFinishedJob(job)) return undefined;
  const finished = conditionOf(job, "Complete", "Failed")?.type;
  return {
    reason: "JobFinished",
    ...since,
    message: `${holdsQuota(workload)} for ${nameOf("Job", job)}, which has finished`,
    evidence: [workloadLine(workload), `${nameOf("Job", job)}: condition ${finished}`],
    ...common(workload),
  };
}

function jobGone(workload: Ghost, owner: DeepReadonly<OwnerReference>, world: World, now: number): Symptom | undefined {
  if (!reservedSince(workload)) return undefined;
  const job = oneLine(keyOf({ namespace: workload.metadata.namespace, name: owner.name }));
  return {
    reason: "JobGone",
    ...goneSince(workload, owner.uid, world, now),
    message: `${holdsQuota(workload)} for Job ${job}, which is gone`,
    evidence: [workloadLine(workload), `Job ${job}: none with uid ${oneLine(owner.uid)}`],
    ...common(workload),
  };
}

function reservedSince(workload: Ghost): Since | undefined {
  return sinceOf(conditionOf(workload, "QuotaReserved")?.lastTransitionTime, "Workload condition QuotaReserved");
}

/** The garbage collector deletes the Workload of a Job that is gone; when it does not, nothing says since when the Job has been gone. */
function goneSince(workload: Ghost, jobUid: string, world: World, now: number): Since {
  return (
    sinceOf(workload.metadata.deletionTimestamp, "Workload metadata.deletionTimestamp") ?? {
      sinceMs: world.unchangedSince(workload, "Job gone", jobUid, now),
      sinceSource: "observed",
    }
  );
}

function holdsQuota(workload: Ghost): string {
  const queue = clusterQueueOf(workload);
  return `${nameOf("Workload", workload)} holds quota${queue && ` of ClusterQueue ${queue}`}`;
}

function workloadLine(workload: Ghost): string {
  const { finalizers = [] } = workload.metadata;
  return `${nameOf("Workload", workload)}: QuotaReserved=True, finalizers ${oneLine(finalizers.join(" ")) || "none"}`;
}

function clusterQueueOf({ status }: Ghost): string {
  return oneLine(status.admission?.clusterQueue ?? "");
}

function common(workload: Ghost): Pick<Symptom, "next" | "cause"> {
  const { namespace = "", name } = workload.metadata;
  const queue = clusterQueueOf(workload);
  return {
    next: [
      command`kubectl -n ${namespace} describe workload ${name}`,
      command`kubectl -n ${namespace} delete workload ${name}`,
    ],
    ...(queue ? { cause: `clusterqueue ${queue}` } : {}),
  };
}
