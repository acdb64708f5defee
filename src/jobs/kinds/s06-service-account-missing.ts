import { oneLine } from "../../base/index.ts";
import type { Job } from "../../resources/index.ts";
import { refusalOf, refusalStartsAt } from "../refused-pods.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, nameOf, quoted } from "../words.ts";

export const serviceAccountMissing: StuckKind<Job> = {
  id: "S06",
  name: "service-account-missing",
  sees: "no pods and none active, while FailedCreate events say that the ServiceAccount cannot be found; older versions leave status empty",
  lookAlike: "a race at the start: the ServiceAccount is created seconds later and the pods appear",
  means:
    "The pod template names a ServiceAccount that does not exist, so the API server refuses every pod. The Job controller tries again for ever, and refused pods never count against backoffLimit.",
  remedy: [
    "Create the ServiceAccount, or correct its name in what makes the Job.",
    "If it should have come with a chart or an operator, see why that has not been applied.",
  ],
  limits: { warningMs: 2 * 60_000, criticalMs: 10 * 60_000 },
  source: ["https://github.com/kubernetes/kubernetes/issues/100726"],
  reasons: ["ServiceAccountMissing"],
  startsAt: refusalStartsAt,
  look(job, world, now) {
    const refusal = refusalOf(job, world, now);
    if (refusal?.by !== "serviceAccount") return undefined;
    const { namespace = "", name } = job.metadata;
    const account = oneLine(`${namespace}/${refusal.name}`);
    return {
      reason: "ServiceAccountMissing",
      sinceMs: refusal.sinceMs,
      sinceSource: refusal.sinceSource,
      message: `ServiceAccount ${account} cannot be found, so ${nameOf("Job", job)} gets no pods; refusals never make a Job fail`,
      evidence: [`Event FailedCreate (${refusal.times} times): ${quoted(refusal.text)}`],
      next: [
        command`kubectl -n ${namespace} get serviceaccount ${refusal.name}`,
        command`kubectl -n ${namespace} describe job ${name}`,
      ],
      cause: `serviceaccount ${account}`,
    };
  },
};
