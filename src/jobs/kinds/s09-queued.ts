import { oneLine } from "../../base/index.ts";
import type { Condition, DeepReadonly, Job } from "../../resources/index.ts";
import type { Workload } from "../evidence-kinds.ts";
import { conditionOf, suspendedSince } from "../job-state.ts";
import { queueOf, workloadOf } from "../kueue.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, nameOf, quoted } from "../words.ts";

export const queued: StuckKind<Job> = {
  id: "S09",
  name: "queued",
  sees: "a suspended Job with a Kueue queue label, or with a Workload that is not admitted",
  lookAlike: "this is one itself: it waits by design, is listed as queued and never counted as stuck",
  means:
    "The Job waits in a queue for quota. It will be started when its turn comes; if the queue does not move, the queue is what to look at, not the Job.",
  remedy: [
    "Read why the Workload has no quota yet in its QuotaReserved condition.",
    "If it waits for longer than usual, see what holds the quota of the ClusterQueue.",
  ],
  limits: { infoMs: 0, warningMs: Number.POSITIVE_INFINITY, criticalMs: Number.POSITIVE_INFINITY },
  source: ["https://kueue.sigs.k8s.io/docs/concepts/workload/"],
  reasons: ["Queued"],
  look(job, world, now) {
    const workload = workloadOf(job, world, now);
    const queue = workload?.spec.queueName ?? queueOf(job);
    const since = suspendedSince(job);
    if (!since || (!workload && queue === undefined)) return undefined;
    const { namespace = "" } = job.metadata;
    const where = queue === undefined ? "Kueue" : `LocalQueue ${oneLine(queue)}`;
    return {
      reason: "Queued",
      ...since,
      message: `${nameOf("Job", job)} waits in ${where} for ${workload ? awaited(workload) : "quota"}`,
      evidence: [
        workload ? workloadLine(workload) : `${nameOf("Job", job)}: spec.suspend true, queue ${oneLine(queue ?? "")}`,
      ],
      next: [
        workload
          ? command`kubectl -n ${namespace} describe workload ${workload.metadata.name}`
          : command`kubectl -n ${namespace} get workloads`,
        ...(queue === undefined ? [] : [command`kubectl -n ${namespace} describe localqueue ${queue}`]),
      ],
      queued: true,
    };
  },
};

function reservedIn({ status }: DeepReadonly<Workload>): DeepReadonly<Condition> | undefined {
  return status.conditions?.find(({ type }) => type === "QuotaReserved");
}

function awaited(workload: DeepReadonly<Workload>): string {
  const reserved = reservedIn(workload);
  if (reserved?.status === "True") return "its admission checks";
  return reserved?.message ? `quota: ${quoted(reserved.message)}` : "quota";
}

function workloadLine(workload: DeepReadonly<Workload>): string {
  const { status = "absent", reason = "" } = reservedIn(workload) ?? {};
  const evicted = conditionOf(workload, "Evicted") ? ", evicted" : "";
  return `${nameOf("Workload", workload)}: QuotaReserved=${oneLine(status)} ${oneLine(reason)}`.trimEnd() + evicted;
}
