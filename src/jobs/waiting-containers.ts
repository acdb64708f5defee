import { compareText, oneLine } from "../base/index.ts";
import type { ContainerStatus, DeepReadonly, Pod } from "../resources/index.ts";
import { isDeleting } from "./job-state.ts";
import { bySince, latestOf, type Since, sinceOf } from "./since.ts";
import { nameOf, quoted } from "./words.ts";

/** A container that waits for one of the reasons asked for. Its texts are safe to print. */
export interface WaitingContainer extends Since {
  readonly pod: DeepReadonly<Pod>;
  readonly container: string;
  readonly image: string;
  /** What the kubelet says it waits for, and the reason that is told for it. */
  readonly waits: string;
  readonly reason: string;
  readonly why: string;
}

/** The oldest first. `reasons` gives for what the kubelet says the reason to tell, where the two differ. */
export function waitingContainers(
  pods: readonly DeepReadonly<Pod>[],
  reasons: Readonly<Record<string, string>>,
): readonly WaitingContainer[] {
  const waiting = pods.filter((pod) => !isDeleting(pod)).flatMap((pod) => waitingIn(pod, reasons));
  return waiting.toSorted(
    (a, b) =>
      bySince(a, b) || compareText(a.pod.metadata.name, b.pod.metadata.name) || compareText(a.container, b.container),
  );
}

/** A line of evidence. */
export function waitingLine({ pod, container, waits, why }: WaitingContainer): string {
  return `${nameOf("Pod", pod)}: container ${container} waiting ${waits}${why ? `: ${why}` : ""}`;
}

function waitingIn(pod: DeepReadonly<Pod>, reasons: Readonly<Record<string, string>>): readonly WaitingContainer[] {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status;
  const containers = [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])];
  return [...initContainerStatuses, ...containerStatuses].flatMap((status) => {
    const waits = status.state?.waiting?.reason ?? "";
    const reason = Object.hasOwn(reasons, waits) ? reasons[waits] : undefined;
    const since = notBefore(pod, status);
    if (reason === undefined || !since) return [];
    const image = containers.find(({ name }) => name === status.name)?.image ?? "";
    return {
      pod,
      container: oneLine(status.name),
      image: oneLine(image),
      waits,
      reason,
      why: quoted(status.state?.waiting?.message),
      ...since,
    };
  });
}

/**
 * The latest API time before which a container cannot have begun to wait: a waiting one carries no time of its own. That is the pod's
 * start, or the end of what had to end first: an init container, or this container's own last run.
 */
function notBefore(pod: DeepReadonly<Pod>, { lastState }: DeepReadonly<ContainerStatus>): Since | undefined {
  const { initContainerStatuses = [] } = pod.status;
  const ended = [...initContainerStatuses.map(({ state }) => state?.terminated), lastState?.terminated];
  return latestOf(
    podStart(pod),
    ...ended.map((terminated) => sinceOf(terminated?.finishedAt, "pod status: end of the container before it")),
  );
}

/** When the kubelet took the pod, or else when it was created. */
export function podStart({ status, metadata }: DeepReadonly<Pod>): Since | undefined {
  return (
    sinceOf(status.startTime, "pod status.startTime") ??
    sinceOf(metadata.creationTimestamp, "pod metadata.creationTimestamp")
  );
}
