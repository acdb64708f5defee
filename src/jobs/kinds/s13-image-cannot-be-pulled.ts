import type { Job } from "../../resources/index.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { waitingContainers, waitingLine } from "../waiting-containers.ts";
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
    const waiting = waitingContainers(world.podsOf(job.metadata.uid), REASONS);
    const [first] = waiting;
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
      evidence: cut(waiting.map(waitingLine)),
      next: [
        command`kubectl -n ${namespace} describe pod ${first.pod.metadata.name}`,
        command`kubectl -n ${namespace} get pod ${first.pod.metadata.name} -o jsonpath={.spec.imagePullSecrets}`,
      ],
    };
  },
};
