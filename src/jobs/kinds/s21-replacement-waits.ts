import type { Job } from "../../resources/index.ts";
import { isSuspended } from "../job-state.ts";
import { lateLine, lateNext, latePods, nextLateAt, nodeCause, nodeClause, nodeOf } from "../late-pods.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { cut, nameOf } from "../words.ts";

export const replacementWaits: StuckKind<Job> = {
  id: "S21",
  name: "replacement-waits",
  sees: "status.terminating above zero and active zero, with podReplacementPolicy Failed or a podFailurePolicy, and a pod past its grace period",
  lookAlike: "the same while the pod is within its grace period",
  means:
    "The Job makes a new pod only when the old one has ended (podReplacementPolicy Failed, which a podFailurePolicy implies). The old one has not, although its grace period is over, so nothing of the Job runs.",
  remedy: [
    "Find out why the old pod does not end: its node first.",
    "If the node is gone for good, delete the Node object or taint it out-of-service.",
    "Force the pod's deletion only when nothing of it can still run: the policy is there to prevent two at once.",
  ],
  limits: { warningMs: 5 * 60_000, criticalMs: 30 * 60_000 },
  source: [
    "https://github.com/kubernetes/kubernetes/pull/117015",
    "https://github.com/kubernetes/enhancements/tree/master/keps/sig-apps/3939-allow-replacement-when-fully-terminated",
    "https://github.com/kubernetes-sigs/jobset/issues/576",
  ],
  reasons: ["TerminatingPastGrace", "NodeLost"],
  startsAt: (job, world, now) => nextLateAt(world.podsOf(job.metadata.uid), now),
  look(job, world, now) {
    const { terminating = 0, active = 0 } = job.status;
    const { podReplacementPolicy, podFailurePolicy } = job.spec;
    const waits = podReplacementPolicy === "Failed" || podFailurePolicy !== undefined;
    if (!waits || terminating === 0 || active > 0 || isSuspended(job)) return undefined;
    const late = latePods(world.podsOf(job.metadata.uid), now);
    const [first] = late;
    if (!first) return undefined;
    const node = nodeOf(first.pod, world);
    return {
      reason: node?.lost ? "NodeLost" : "TerminatingPastGrace",
      sinceMs: first.sinceMs,
      sinceSource: first.sinceSource,
      message: `${nameOf("Job", job)} waits with nothing running until ${nameOf("Pod", first.pod)} has ended, whose grace period is over${nodeClause(node)}`,
      evidence: [
        `${nameOf("Job", job)}: active 0, terminating ${terminating}, podReplacementPolicy ${podReplacementPolicy === "Failed" ? "Failed" : "Failed by podFailurePolicy"}`,
        ...cut(late.map(lateLine)),
      ],
      next: lateNext(first),
      ...nodeCause(first.pod),
    };
  },
};
