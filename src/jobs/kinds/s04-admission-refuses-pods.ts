import { oneLine } from "../../base/index.ts";
import type { DeepReadonly, Job } from "../../resources/index.ts";
import type { AgeLimits, Symptom } from "../finding.ts";
import { type Refusal, refusalOf, refusalStartsAt, type Refuser } from "../refused-pods.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, nameOf, quoted } from "../words.ts";

interface Said {
  readonly reason: string;
  /** Who refuses, in a sentence. */
  readonly who: (name: string, namespace: string) => string;
  readonly cause?: (name: string, namespace: string) => string;
  readonly next: (name: string, namespace: string) => string;
}

const SAID: Partial<Record<Refuser, Said>> = {
  webhookFailed: {
    reason: "WebhookFailed",
    who: (name) => `admission webhook "${name}" does not answer, so`,
    cause: (name) => `webhook ${name}`,
    next: () => "kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o wide",
  },
  webhookDenied: {
    reason: "WebhookDenied",
    who: (name) => `admission webhook "${name}" denies them, so`,
    cause: (name) => `webhook ${name}`,
    next: () => "kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o wide",
  },
  policy: {
    reason: "PolicyDenied",
    who: (name) => `admission policy "${name}" denies them, so`,
    cause: (name) => `policy ${name}`,
    next: (name) => command`kubectl get validatingadmissionpolicy ${name} -o yaml`,
  },
  podSecurity: {
    reason: "PodSecurityDenied",
    who: (name, namespace) => `they violate Pod Security "${name}" of namespace ${namespace}, so`,
    cause: (_, namespace) => `pod security of namespace ${namespace}`,
    next: (_, namespace) => command`kubectl get namespace ${namespace} --show-labels`,
  },
  limitRange: {
    reason: "LimitRangeDenied",
    who: (name, namespace) => `they break a limit per ${name} of namespace ${namespace}, so`,
    next: (_, namespace) => command`kubectl -n ${namespace} describe limitrange`,
  },
  other: {
    reason: "PodRefused",
    who: () => "the API server refuses them, so",
    next: (_, namespace) =>
      command`kubectl -n ${namespace} get events --field-selector reason=FailedCreate --sort-by=.lastTimestamp`,
  },
};

/** One Job that is denied is one wrong spec, and no matter for a pager until it has been so for hours; a webhook that is down stops everybody. */
const DENIED: AgeLimits = { infoMs: 3 * 60_000, warningMs: 30 * 60_000, criticalMs: 4 * 60 * 60_000 };

export const admissionRefusesPods: StuckKind<Job> = {
  id: "S04",
  name: "admission-refuses-pods",
  sees: "no pods and none active, while FailedCreate events name a webhook, a policy or another rule of admission",
  lookAlike:
    "one wrong spec that is denied: only one owner is affected, so it is info for its first 30 minutes and a warning after",
  means:
    "The API server refuses the Job's pods. Where a webhook does not answer, everything that it must admit stands still; where one denies, it is this Job alone. The Job controller tries again for ever, and refused pods never count against backoffLimit.",
  remedy: [
    "Where a webhook does not answer: see whether its service has endpoints and its certificate is valid; the group of findings shows everybody it holds up.",
    "Where the pod is denied: read the text of the event and correct what makes the Job.",
    "Delete the Job if its owner makes a new one; a Job's own template cannot be changed.",
  ],
  limits: { warningMs: 3 * 60_000, criticalMs: 10 * 60_000 },
  source: [
    "https://github.com/kubernetes/kubernetes/issues/93783",
    "https://github.com/kubernetes-sigs/jobset/issues/361",
    "https://github.com/cloudnative-pg/cloudnative-pg/issues/4147",
    "https://github.com/hjacobs/kube-job-cleaner/pull/9",
  ],
  reasons: Object.values(SAID).map(({ reason }) => reason),
  startsAt: refusalStartsAt,
  look(job, world, now) {
    const refusal = refusalOf(job, world, now);
    const said = refusal && SAID[refusal.by];
    return said && symptom(job, refusal, said);
  },
};

function symptom(job: DeepReadonly<Job>, refusal: Refusal, { reason, who, cause, next }: Said): Symptom {
  const { namespace = "", name } = job.metadata;
  const [refuser, where] = [oneLine(refusal.name), oneLine(namespace)];
  return {
    reason,
    sinceMs: refusal.sinceMs,
    sinceSource: refusal.sinceSource,
    message: `The pods of ${nameOf("Job", job)} are not created: ${who(refuser, where)} it has none, and refusals never make a Job fail`,
    evidence: [`Event FailedCreate (${refusal.times} times): ${quoted(refusal.text)}`],
    next: [next(refusal.name, namespace), command`kubectl -n ${namespace} describe job ${name}`],
    ...(reason === "WebhookFailed" ? {} : { limits: DENIED }),
    ...(cause ? { cause: cause(refuser, where) } : {}),
  };
}
