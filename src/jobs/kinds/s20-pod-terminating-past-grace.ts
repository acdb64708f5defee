import type { DeepReadonly, Job, Pod } from "../../resources/index.ts";
import type { Symptom } from "../finding.ts";
import { lateLine, lateNext, type LatePod, latePods, nextLateAt, nodeCause, nodeClause, nodeOf } from "../late-pods.ts";
import type { KindPage, StuckKind } from "../stuck-kind.ts";
import { cut, nameOf } from "../words.ts";
import type { World } from "../world.ts";

const page: KindPage = {
  id: "S20",
  name: "pod-terminating-past-grace",
  sees: "a pod's grace period is over and it has not ended; or its phase is Unknown because its node is lost",
  lookAlike:
    "a pod within its grace period, which may be hours long: deletionTimestamp is the end of it, not its beginning",
  means:
    "The kubelet was told to end the pod and has not said that it did. Either the node is lost, and nobody can say what runs there, or something on it does not let go: a process, a mount, the container runtime. The Job waits for this pod or runs beside it.",
  remedy: [
    "See whether the node is Ready and its kubelet runs.",
    "If the node is gone for good, delete the Node object or taint it out-of-service: its pods are then removed.",
    "If the node is up, read the kubelet's log for the pod; force the deletion only when nothing of it can still run.",
  ],
  limits: { warningMs: 5 * 60_000, criticalMs: 30 * 60_000 },
  source: [
    "https://github.com/kubernetes/kubernetes/issues/72226",
    "https://github.com/kubernetes/kubernetes/issues/118286",
    "https://github.com/kubernetes/enhancements/tree/master/keps/sig-storage/2268-non-graceful-shutdown",
    "https://github.com/kubevirt/project-infra/issues/5070",
    "https://github.com/DataBiosphere/toil/issues/4246",
  ],
  reasons: ["TerminatingPastGrace", "NodeLost"],
};

/** Seen from the Job that the pod belongs to. */
export const podTerminatingPastGrace: StuckKind<Job> = {
  ...page,
  startsAt: (job, world, now) => nextLateAt(world.podsOf(job.metadata.uid), now),
  look: (job, world, now) => symptomOf(latePods(world.podsOf(job.metadata.uid), now), world),
};

/** Seen from a pod whose Job is gone. */
export const orphanTerminatingPastGrace: StuckKind<Pod> = {
  ...page,
  startsAt: (pod, _, now) => nextLateAt([pod], now),
  look: (pod, world, now) => symptomOf(latePods([pod], now), world),
};

function symptomOf(late: readonly LatePod[], world: World): Symptom | undefined {
  const [first] = late;
  if (!first) return undefined;
  const node = nodeOf(first.pod, world);
  const lost = node ? node.lost !== undefined : isDisowned(first.pod);
  return {
    reason: lost ? "NodeLost" : "TerminatingPastGrace",
    sinceMs: first.sinceMs,
    sinceSource: first.sinceSource,
    message: `${nameOf("Pod", first.pod)} should have ended and has not${nodeClause(node)}`,
    evidence: cut(late.map(lateLine)),
    next: lateNext(first),
    ...nodeCause(first.pod),
  };
}

function isDisowned({ status }: DeepReadonly<Pod>): boolean {
  return status.phase === "Unknown" || status.reason === "NodeLost";
}
