import { oneLine } from "../../base/index.ts";
import type { ContainerStatus, DeepReadonly, Job, Pod } from "../../resources/index.ts";
import { isDeleting } from "../job-state.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, cut, nameOf } from "../words.ts";

/**
 * Why a container waits, and the reason told for it. The kubelet alternates between ErrImagePull (a try failed) and ImagePullBackOff
 * (it waits to try again): one and the same trouble, so one reason (https://kubernetes.io/docs/concepts/containers/images/#imagepullbackoff).
 */
const REASONS: Readonly<Record<string, string>> = {
  ErrImagePull: "ImagePullBackOff",
  ImagePullBackOff: "ImagePullBackOff",
  InvalidImageName: "InvalidImageName",
  ErrImageNeverPull: "ErrImageNeverPull",
};

/** A registry may answer with a page of HTML. */
const LONGEST_WHY = 300;

interface Waiting {
  readonly pod: DeepReadonly<Pod>;
  readonly container: string;
  readonly image: string;
  readonly waits: string;
  readonly why: string;
  readonly reason: string;
  readonly sinceMs: number;
  readonly sinceSource: string;
}

export const imageCannotBePulled: StuckKind<Job> = {
  id: "S13",
  name: "image-cannot-be-pulled",
  sees: "a container waits with ErrImagePull, ImagePullBackOff, InvalidImageName or ErrImageNeverPull",
  lookAlike: "a large first pull: the container waits with ContainerCreating",
  means:
    "The kubelet cannot pull the image of a container and tries again for ever. A pod that has not started never counts against backoffLimit, so without a deadline the Job neither fails nor ends.",
  remedy: [
    "Read the pull error of the pod: a name that does not exist, no right to pull, or a registry that does not answer.",
    "Correct the image or its pull secret in what makes the Job; a Job's own template cannot be changed.",
    "Delete the Job if its owner makes a new one.",
  ],
  limits: { warningMs: 10 * 60_000, criticalMs: 30 * 60_000 },
  source: [
    "https://github.com/kubernetes/kubernetes/issues/66756",
    "https://github.com/kubernetes/kubernetes/issues/101584",
    "https://github.com/kubernetes/kubernetes/issues/122300",
  ],
  reasons: [...new Set(Object.values(REASONS))],
  look(job, world) {
    const pods = world.podsOf(job.metadata.uid);
    const waiting = pods.filter((pod) => !isDeleting(pod)).flatMap(waitingIn);
    const [first] = waiting.toSorted((a, b) => a.sinceMs - b.sinceMs);
    if (!first) return undefined;
    const { namespace = "" } = job.metadata;
    const forever =
      job.spec.activeDeadlineSeconds === undefined
        ? "a pod that has not started never counts against backoffLimit and there is no activeDeadlineSeconds, so the Job will not fail by itself"
        : `the Job fails only at its activeDeadlineSeconds of ${job.spec.activeDeadlineSeconds}`;
    return {
      reason: first.reason,
      sinceMs: first.sinceMs,
      sinceSource: first.sinceSource,
      message: `Image "${first.image}" of container ${first.container} in ${nameOf("Pod", first.pod)} cannot be pulled; ${forever}`,
      evidence: cut(
        waiting.map(({ pod, container, waits, why }) => {
          return `${nameOf("Pod", pod)}: container ${container} waiting ${waits}${why ? `: ${why}` : ""}`;
        }),
      ),
      next: [
        command`kubectl -n ${namespace} describe pod ${first.pod.metadata.name}`,
        command`kubectl -n ${namespace} get pod ${first.pod.metadata.name} -o jsonpath={.spec.imagePullSecrets}`,
      ],
    };
  },
};

function waitingIn(pod: DeepReadonly<Pod>): readonly Waiting[] {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status;
  const images = new Map(
    [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])].map((c) => [c.name, c.image]),
  );
  return [...initContainerStatuses, ...containerStatuses].flatMap((status) => {
    const waits = status.state?.waiting?.reason ?? "";
    const reason = REASONS[waits];
    if (reason === undefined) return [];
    return {
      pod,
      container: oneLine(status.name),
      image: oneLine(images.get(status.name) ?? ""),
      waits,
      why: oneLine(status.state?.waiting?.message ?? "").slice(0, LONGEST_WHY),
      reason,
      ...pullableSince(pod, status),
    };
  });
}

/**
 * The latest API time before which this pull cannot have begun: a waiting container carries no time of its own. That is the pod's
 * start, or the end of what had to end first: an init container, or this container's own last run. The alternation of the two
 * reasons changes none of them.
 */
function pullableSince(
  pod: DeepReadonly<Pod>,
  status: DeepReadonly<ContainerStatus>,
): { sinceMs: number; sinceSource: string } {
  const { startTime, initContainerStatuses = [] } = pod.status;
  const started = startTime
    ? { at: startTime, source: "pod status.startTime" }
    : { at: pod.metadata.creationTimestamp ?? "", source: "pod metadata.creationTimestamp" };
  const ended = [...initContainerStatuses.map(({ state }) => state?.terminated), status.lastState?.terminated].flatMap(
    (terminated) =>
      terminated?.finishedAt ? { at: terminated.finishedAt, source: "pod status: end of the container before it" } : [],
  );
  const latest = [started, ...ended].reduce((a, b) => (Date.parse(b.at) > Date.parse(a.at) ? b : a));
  return { sinceMs: Date.parse(latest.at), sinceSource: latest.source };
}
