import type { DeepReadonly, Job } from "../../resources/index.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, nameOf, quoted } from "../words.ts";

export const indexesBlocked: StuckKind<Job> = {
  id: "S40",
  name: "indexes-blocked",
  sees: "an Indexed Job has failed indexes and indexes left to do, no pod works on them, and neither list changes",
  lookAlike: "failed indexes while pods of others run: the Job goes on, and fails or ends when all indexes are done",
  means:
    "Some indexes have used up backoffLimitPerIndex, and the controller starts no pod for the others nor ends the Job. Limits that contradict each other (maxFailedIndexes, completions, parallelism) or a status that it cannot write keep it there.",
  remedy: [
    "Compare status.failedIndexes with spec.maxFailedIndexes, and spec.parallelism with what is left.",
    "Read the log of kube-controller-manager for this Job.",
    "Start the indexes that are left in a new Job; a Job's limits cannot be changed.",
  ],
  limits: { warningMs: 3_600_000, criticalMs: 4 * 3_600_000 },
  source: [
    "https://github.com/kubernetes/kubernetes/issues/118085",
    "https://github.com/kubernetes/kubernetes/issues/109712",
  ],
  reasons: ["MaxFailedIndexesPassed", "NoPodForIndex"],
  look(job, world, now) {
    const { completionMode, completions = 0, maxFailedIndexes = Number.POSITIVE_INFINITY } = job.spec;
    const { completedIndexes = "", failedIndexes = "", active = 0 } = job.status;
    const failed = countIndexes(failedIndexes);
    const left = completions - failed - countIndexes(completedIndexes);
    if (completionMode !== "Indexed" || failed === 0 || left <= 0 || active > 0) return undefined;
    const { namespace = "", name } = job.metadata;
    const tooMany = failed > maxFailedIndexes;
    return {
      reason: tooMany ? "MaxFailedIndexesPassed" : "NoPodForIndex",
      sinceMs: world.unchangedSince(job, "indexes", `${completedIndexes} ${failedIndexes}`, now),
      sinceSource: "observed",
      message: `${nameOf("Job", job)} has ${left} indexes left and ${failed} failed ones, and no pod works on any${tooMany ? `; maxFailedIndexes ${maxFailedIndexes} is passed` : ""}`,
      evidence: [
        `${nameOf("Job", job)}: completedIndexes "${quoted(completedIndexes)}", failedIndexes "${quoted(failedIndexes)}"`,
        limitsIn(job),
      ],
      next: [
        command`kubectl -n ${namespace} get job ${name} -o yaml`,
        command`kubectl -n ${namespace} describe job ${name}`,
      ],
    };
  },
};

function limitsIn({ spec }: DeepReadonly<Job>): string {
  const { completions = 0, parallelism = 0, backoffLimitPerIndex, maxFailedIndexes } = spec;
  const perIndex = backoffLimitPerIndex ?? "not set";
  return `completions ${completions}, parallelism ${parallelism}, backoffLimitPerIndex ${perIndex}, maxFailedIndexes ${maxFailedIndexes ?? "not set"}`;
}

/** `1,3-5,7` are five. What is no number counts as none. */
function countIndexes(text: string): number {
  let count = 0;
  for (const part of text.split(",")) {
    const [, from, to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part) ?? [];
    if (from !== undefined) count += Math.max(0, Number(to) - Number(from) + 1);
  }
  return count;
}
