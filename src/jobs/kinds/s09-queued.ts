import { oneLine } from "../../base/index.ts";
import type { Condition, DeepReadonly, Job } from "../../resources/index.ts";
import type { Workload } from "../evidence-kinds.ts";
import { conditionOf, suspendedSince } from "../job-state.ts";
import { queueOf, workloadOf } from "../kueue.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, nameOf, quoted } from "../words.ts";
import { queuedPage } from "./s09-page.ts";

export const queued: StuckKind<Job> = {
  ...queuedPage,
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
