import { compareText, oneLine } from "../../base/index.ts";
import type { ContainerStatus, DeepReadonly, Event, Job, Pod } from "../../resources/index.ts";
import { firstSeen, lastSeen } from "../event-times.ts";
import type { Symptom } from "../finding.ts";
import { isDeleting } from "../job-state.ts";
import { bySince, latestOf, sinceOf } from "../since.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { claimTrouble, unschedulablePods } from "../unschedulable-pods.ts";
import { podStart } from "../waiting-containers.ts";
import { command, cut, nameOf, quoted } from "../words.ts";
import type { World } from "../world.ts";

/** Most pods are through with their volumes by then; before, their events are not worth a read. */
const ASK_AFTER_MS = 2 * 60_000;

/** The kubelet tries again every two minutes, and tells of no more than one try in five minutes once it has told of 25. */
const STILL_TOLD_MS = 15 * 60_000;

const TROUBLE: ReadonlySet<string> = new Set(["FailedMount", "FailedAttachVolume"]);

export const volumeNotMounted: StuckKind<Job> = {
  id: "S12",
  name: "volume-not-mounted",
  sees: "no container of a pod has started while FailedMount or FailedAttachVolume events are told of it; or the scheduler waits for a volume claim",
  lookAlike:
    "a volume that is detached by force from a lost node, which takes 6 to 10 minutes; a claim that waits for its first consumer",
  means:
    "The pod's volume is not there: the claim is not bound, the disk is still attached to another node, or what is to be mounted (a ConfigMap, a Secret, an NFS export) does not exist or does not answer. A pod that has not started never counts against backoffLimit.",
  remedy: [
    "Read the event: it names the volume and the error.",
    "For a claim that is not bound: see its events, its storage class and whether the provisioner runs.",
    "For a disk that is attached elsewhere: see whether the other node is gone, and taint it out-of-service if it is.",
  ],
  limits: { warningMs: 15 * 60_000, criticalMs: 45 * 60_000 },
  source: [
    "https://github.com/kubernetes/kubernetes/issues/62816",
    "https://github.com/kubernetes/kubernetes/issues/53059",
    "https://github.com/tektoncd/pipeline/issues/4303",
  ],
  reasons: ["ClaimUnbound", "ClaimMissing", ...TROUBLE],
  startsAt(job, world) {
    const starts = startingPods(job, world).map(startingSince);
    return starts.length > 0 ? Math.min(...starts) + ASK_AFTER_MS : undefined;
  },
  look(job, world, now) {
    return claimSymptom(job, world) ?? mountSymptom(job, world, now);
  },
};

function claimSymptom(job: DeepReadonly<Job>, world: World): Symptom | undefined {
  const first = unschedulablePods(job, world).find(({ condition }) => claimTrouble(condition));
  const reason = first && claimTrouble(first.condition);
  if (!reason) return undefined;
  const { namespace = "" } = job.metadata;
  const said = quoted(first.condition.message);
  return {
    reason,
    sinceMs: first.sinceMs,
    sinceSource: first.sinceSource,
    message: `${nameOf("Pod", first.pod)} waits for a volume claim: ${said}`,
    evidence: [`${nameOf("Pod", first.pod)}: PodScheduled=False ${said}`],
    next: [
      command`kubectl -n ${namespace} get persistentvolumeclaims`,
      command`kubectl -n ${namespace} describe pod ${first.pod.metadata.name}`,
    ],
  };
}

function mountSymptom(job: DeepReadonly<Job>, world: World, now: number): Symptom | undefined {
  const [oldest] = startingPods(job, world);
  if (!oldest || now < startingSince(oldest) + ASK_AFTER_MS) return undefined;
  const events = (world.eventsAbout(oldest) ?? []).filter(({ reason }) => TROUBLE.has(reason ?? ""));
  const [latest] = events.toSorted(latestFirst);
  const last = latest && lastSeen(latest);
  if (!latest || !last || now - last.sinceMs > STILL_TOLD_MS) return undefined;
  const [first] = events.flatMap((event) => firstSeen(event) ?? []).toSorted(bySince);
  const since = latestOf(first, podStart(oldest));
  if (!since) return undefined;
  const { namespace = "" } = job.metadata;
  const disk = /(?:Multi-Attach error|Attach failed) for volume "([^"]+)"/.exec(latest.message ?? "")?.[1];
  return {
    reason: latest.reason ?? "",
    ...since,
    message: `A volume of ${nameOf("Pod", oldest)} cannot be ${latest.reason === "FailedMount" ? "mounted" : "attached"}: ${quoted(latest.message)}`,
    evidence: cut(events.toSorted(latestFirst).map(({ reason, message }) => `Event ${reason}: ${quoted(message)}`)),
    next: [
      command`kubectl -n ${namespace} describe pod ${oldest.metadata.name}`,
      command`kubectl -n ${namespace} get persistentvolumeclaims`,
    ],
    ...(disk === undefined ? {} : { cause: `volume ${oneLine(disk)}` }),
  };
}

/** Pods on a node of which no container has started, the oldest first. */
function startingPods(job: DeepReadonly<Job>, world: World): readonly DeepReadonly<Pod>[] {
  return world
    .podsOf(job.metadata.uid)
    .filter((pod) => pod.status.phase === "Pending" && !isDeleting(pod) && isPlaced(pod) && nothingStarted(pod))
    .toSorted((a, b) => startingSince(a) - startingSince(b) || compareText(a.metadata.name, b.metadata.name));
}

function isPlaced({ spec, status }: DeepReadonly<Pod>): boolean {
  return spec.nodeName !== undefined || status.startTime !== undefined;
}

function nothingStarted({ status }: DeepReadonly<Pod>): boolean {
  return [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].every(isCreating);
}

function isCreating({ state, lastState }: DeepReadonly<ContainerStatus>): boolean {
  const waits = state?.waiting?.reason ?? "ContainerCreating";
  const fresh = state?.running === undefined && state?.terminated === undefined && lastState?.terminated === undefined;
  return fresh && (waits === "ContainerCreating" || waits === "PodInitializing");
}

/** When it was placed on its node. */
function startingSince(pod: DeepReadonly<Pod>): number {
  const placed = pod.status.conditions?.find(({ type, status }) => type === "PodScheduled" && status === "True");
  return (sinceOf(placed?.lastTransitionTime, "pod condition PodScheduled") ?? podStart(pod))?.sinceMs ?? 0;
}

function latestFirst(a: DeepReadonly<Event>, b: DeepReadonly<Event>): number {
  return (lastSeen(b)?.sinceMs ?? 0) - (lastSeen(a)?.sinceMs ?? 0) || compareText(a.message ?? "", b.message ?? "");
}
