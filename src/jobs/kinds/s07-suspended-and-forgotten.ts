import type { Job } from "../../resources/index.ts";
import { conditionOf, suspendedSince } from "../job-state.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, nameOf, quoted } from "../words.ts";

export const suspendedAndForgotten: StuckKind<Job> = {
  id: "S07",
  name: "suspended-and-forgotten",
  sees: "spec.suspend is true for a day or longer, and nothing says that a queue will start the Job",
  lookAlike: "a Job that waits in Kueue: it has a queue label or a Workload, and is listed as queued",
  means:
    "Somebody suspended the Job, or created it suspended, and nobody has resumed it. That is not wrong in itself, so it is never more than info.",
  remedy: ["Ask its owner whether it is still wanted.", "Resume it by setting spec.suspend to false, or delete it."],
  limits: {
    infoMs: 24 * 60 * 60_000,
    warningMs: Number.POSITIVE_INFINITY,
    criticalMs: Number.POSITIVE_INFINITY,
  },
  source: [
    "https://github.com/kubernetes/kube-state-metrics/issues/2511",
    "https://github.com/giantswarm/prometheus-rules",
  ],
  reasons: ["Suspended"],
  look(job) {
    const since = suspendedSince(job);
    if (!since) return undefined;
    const { namespace = "", name } = job.metadata;
    const condition = conditionOf(job, "Suspended");
    const said = condition ? `condition Suspended=True: ${quoted(condition.message)}` : "no condition Suspended";
    return {
      reason: "Suspended",
      ...since,
      message: `${nameOf("Job", job)} is suspended and has no queue that would resume it`,
      evidence: [`${nameOf("Job", job)}: spec.suspend true, ${said}`],
      next: [
        command`kubectl -n ${namespace} get job ${name} -o yaml`,
        command`kubectl -n ${namespace} patch job ${name} --type=merge -p ${'{"spec":{"suspend":false}}'}`,
      ],
    };
  },
};
