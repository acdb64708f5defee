import type { DeepReadonly, Job, Pod } from "../../resources/index.ts";
import { lastSeen } from "../event-times.ts";
import { latestOf, type Since } from "../since.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { claimTrouble, unschedulablePods } from "../unschedulable-pods.ts";
import { command, cut, nameOf, quoted } from "../words.ts";
import type { World } from "../world.ts";

export const podUnschedulable: StuckKind<Job> = {
  id: "S11",
  name: "pod-unschedulable",
  sees: "a pod is Pending and its PodScheduled condition is False with reason Unschedulable",
  lookAlike:
    "reason SchedulingGated, which is deliberate; an autoscaler that has begun to add a node (event TriggeredScaleUp): the age counts from there",
  means:
    "No node fits the pod: too little free CPU or memory, a selector, a taint, a limit on pods. It waits until a node fits. A pod that has not started never counts against backoffLimit, so without a deadline the Job neither fails nor ends.",
  remedy: [
    "Read the scheduler's message: it counts the nodes by what speaks against each.",
    "Free or add nodes, or correct the requests, selectors or tolerations in what makes the Job.",
    "If an autoscaler should have added a node, read its events and status.",
  ],
  limits: { warningMs: 15 * 60_000, criticalMs: 60 * 60_000 },
  source: [
    "https://github.com/kubernetes-monitoring/kubernetes-mixin/blob/master/alerts/apps_alerts.libsonnet",
    "https://github.com/openshift/cluster-monitoring-operator/pull/72",
  ],
  reasons: ["Unschedulable"],
  look(job, world) {
    const waiting = unschedulablePods(job, world).filter(({ condition }) => !claimTrouble(condition));
    const [first] = waiting;
    if (!first) return undefined;
    const since = latestOf(first, scaleUpSince(first.pod, world)) ?? first;
    const { namespace = "" } = job.metadata;
    return {
      reason: "Unschedulable",
      sinceMs: since.sinceMs,
      sinceSource: since.sinceSource,
      message: `No node fits ${nameOf("Pod", first.pod)}: ${quoted(first.condition.message)}`,
      evidence: cut(
        waiting.map(({ pod, condition }) => `${nameOf("Pod", pod)}: PodScheduled=False ${quoted(condition.message)}`),
      ),
      next: [command`kubectl -n ${namespace} describe pod ${first.pod.metadata.name}`, "kubectl describe nodes"],
    };
  },
};

/** An autoscaler that has just found a node to add needs its time; the pod's own condition does not change meanwhile. */
function scaleUpSince(pod: DeepReadonly<Pod>, world: World): Since | undefined {
  const begun = world.eventsAbout(pod)?.filter(({ reason }) => reason === "TriggeredScaleUp");
  return latestOf(...(begun ?? []).map(lastSeen));
}
