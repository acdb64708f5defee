import type { Job } from "../../resources/index.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { waitingContainers, waitingLine } from "../waiting-containers.ts";
import { command, cut, nameOf } from "../words.ts";

/** What the kubelet says when it cannot make a container from what the pod refers to. */
const REASONS: Readonly<Record<string, string>> = {
  CreateContainerConfigError: "CreateContainerConfigError",
  CreateContainerError: "CreateContainerError",
};

export const configError: StuckKind<Job> = {
  id: "S14",
  name: "config-error",
  sees: "a container waits with CreateContainerConfigError or CreateContainerError",
  lookAlike: "a ConfigMap or Secret that is created seconds after the pod",
  means:
    "The kubelet cannot make the container: a ConfigMap, Secret or key that it refers to does not exist, or the container runtime refuses its settings. A pod that has not started never counts against backoffLimit, so without a deadline the Job neither fails nor ends.",
  remedy: [
    "Read the message: it names what is missing.",
    "Create it in the pod's namespace; the kubelet tries again by itself.",
    "If the name is wrong, correct what makes the Job and delete this one: a Job's own template cannot be changed.",
  ],
  limits: { warningMs: 5 * 60_000, criticalMs: 20 * 60_000 },
  source: [
    "https://github.com/kubernetes/kubernetes/issues/103643",
    "https://github.com/kubernetes/kubernetes/issues/62816",
  ],
  reasons: Object.values(REASONS),
  look(job, world) {
    const waiting = waitingContainers(world.podsOf(job.metadata.uid), REASONS);
    const [first] = waiting;
    if (!first) return undefined;
    const { namespace = "" } = job.metadata;
    return {
      reason: first.reason,
      sinceMs: first.sinceMs,
      sinceSource: first.sinceSource,
      message: `Container ${first.container} in ${nameOf("Pod", first.pod)} cannot be created${first.why && `: ${first.why}`}`,
      evidence: cut(waiting.map(waitingLine)),
      next: [
        command`kubectl -n ${namespace} describe pod ${first.pod.metadata.name}`,
        command`kubectl -n ${namespace} get configmaps`,
      ],
    };
  },
};
