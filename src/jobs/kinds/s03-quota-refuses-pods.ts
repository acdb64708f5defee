import type { Job } from "../../resources/index.ts";
import { oneLine } from "../../base/index.ts";
import { refusalOf, refusalStartsAt } from "../refused-pods.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, nameOf, quoted } from "../words.ts";

export const quotaRefusesPods: StuckKind<Job> = {
  id: "S03",
  name: "quota-refuses-pods",
  sees: "no pods and none active, while FailedCreate events name a ResourceQuota",
  lookAlike: "a short contention for quota: the events have stopped and active has risen",
  means:
    "A ResourceQuota of the namespace refuses the Job's pods. The Job controller tries again for ever and writes no condition that says so; refused pods never count against backoffLimit.",
  remedy: [
    "Compare what the quota allows with what is used, and see who uses it.",
    "Delete what is finished or no longer wanted, or raise the quota.",
    "If the quota demands requests or limits that the pod does not set, correct what makes the Job.",
  ],
  limits: { warningMs: 5 * 60_000, criticalMs: 30 * 60_000 },
  source: [
    "https://github.com/kubernetes/kubernetes/issues/90124",
    "https://github.com/kubernetes/kubernetes/issues/45213",
  ],
  reasons: ["QuotaRefused"],
  startsAt: refusalStartsAt,
  look(job, world, now) {
    const refusal = refusalOf(job, world, now);
    if (refusal?.by !== "quota") return undefined;
    const { namespace = "", name } = job.metadata;
    const quota = refusal.name ? ` "${oneLine(refusal.name)}"` : "";
    return {
      reason: "QuotaRefused",
      sinceMs: refusal.sinceMs,
      sinceSource: refusal.sinceSource,
      message: `ResourceQuota${quota} in namespace ${oneLine(namespace)} refuses the pods of ${nameOf("Job", job)}; it has none, and refusals never make a Job fail`,
      evidence: [`Event FailedCreate (${refusal.times} times): ${quoted(refusal.text)}`],
      next: [
        refusal.name
          ? command`kubectl -n ${namespace} describe resourcequota ${refusal.name}`
          : command`kubectl -n ${namespace} describe resourcequota`,
        command`kubectl -n ${namespace} describe job ${name}`,
      ],
      ...(refusal.name ? { cause: `quota ${oneLine(namespace)}/${oneLine(refusal.name)}` } : {}),
    };
  },
};
