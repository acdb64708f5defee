import { compareText, oneLine } from "../base/index.ts";
import type { DeepReadonly, Pod } from "../resources/index.ts";
import { evidenceKinds } from "./evidence-kinds.ts";
import { graceEndOf, isTerminating } from "./pod-state.ts";
import { bySince, type Since, sinceOf } from "./since.ts";
import { command, nameOf } from "./words.ts";
import type { World } from "./world.ts";

/** A pod that should be gone: its grace period is over, or nobody knows any more what its node does with it. */
export interface LatePod extends Since {
  readonly pod: DeepReadonly<Pod>;
}

/** What is known of a late pod's node. */
export interface NodeState {
  /** Safe to print. */
  readonly name: string;
  /** Undefined: the node is there and answers. */
  readonly lost: string | undefined;
}

/** The oldest first. */
export function latePods(pods: readonly DeepReadonly<Pod>[], now: number): readonly LatePod[] {
  return pods
    .flatMap((pod) => {
      const since = lateSince(pod);
      return since && !(isTerminating(pod) && since.sinceMs > now) ? { pod, ...since } : [];
    })
    .toSorted((a, b) => bySince(a, b) || compareText(a.pod.metadata.name, b.pod.metadata.name));
}

/** When the next pod will be late, unless it ends in time. */
export function nextLateAt(pods: readonly DeepReadonly<Pod>[], now: number): number | undefined {
  const ends = pods.filter(isTerminating).flatMap((pod) => graceEndOf(pod)?.sinceMs ?? []);
  const ahead = ends.filter((at) => at > now);
  return ahead.length > 0 ? Math.min(...ahead) : undefined;
}

function lateSince(pod: DeepReadonly<Pod>): Since | undefined {
  if (isTerminating(pod)) return graceEndOf(pod);
  if (pod.status.phase !== "Unknown" && pod.status.reason !== "NodeLost") return undefined;
  const ready = pod.status.conditions?.find(({ type }) => type === "Ready");
  return sinceOf(ready?.lastTransitionTime, "pod condition Ready");
}

/** Undefined: the pod has no node, or nothing is known of it. Costs a read. */
export function nodeOf({ spec }: DeepReadonly<Pod>, world: World): NodeState | undefined {
  if (!spec.nodeName) return undefined;
  const node = world.find(evidenceKinds.nodes, { name: spec.nodeName });
  if (node === undefined) return undefined;
  const name = oneLine(spec.nodeName);
  if (node === null) return { name, lost: "does not exist any more" };
  const ready = node.status.conditions?.find(({ type }) => type === "Ready");
  return { name, lost: ready?.status === "True" ? undefined : `has Ready=${oneLine(ready?.status ?? "absent")}` };
}

/** A line of evidence. */
export function lateLine({ pod }: LatePod): string {
  const { deletionTimestamp, finalizers = [] } = pod.metadata;
  const where = pod.spec.nodeName ? ` on node ${oneLine(pod.spec.nodeName)}` : "";
  const disrupted = pod.status.conditions?.find(({ type }) => type === "DisruptionTarget")?.reason;
  return [
    `${nameOf("Pod", pod)}${where}: phase ${oneLine(pod.status.phase ?? "absent")}`,
    deletionTimestamp === undefined ? "not deleted" : `grace ended ${oneLine(deletionTimestamp)}`,
    ...(disrupted ? [oneLine(disrupted)] : []),
    ...(finalizers.length > 0 ? [`finalizers ${oneLine(finalizers.join(" "))}`] : []),
  ].join(", ");
}

/** What to type next about it. */
export function lateNext({ pod }: LatePod): readonly string[] {
  const { namespace = "", name } = pod.metadata;
  return [
    ...(pod.spec.nodeName ? [command`kubectl describe node ${pod.spec.nodeName}`] : []),
    command`kubectl -n ${namespace} get pod ${name} -o yaml`,
  ];
}

/** What is said of the node, after "Pod …": empty where nothing is known. */
export function nodeClause(node: NodeState | undefined): string {
  if (!node) return "";
  return node.lost ? `; node ${node.name} ${node.lost}` : `; node ${node.name} is Ready`;
}

export function nodeCause(pod: DeepReadonly<Pod>): { cause?: string } {
  return pod.spec.nodeName ? { cause: `node ${oneLine(pod.spec.nodeName)}` } : {};
}
