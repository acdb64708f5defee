import type { Job, Pod } from "../../resources/index.ts";
import type { Symptom } from "../finding.ts";
import { lateLine, lateNext, type LatePod, latePods, nodeCause, nodeOf } from "../late-pods.ts";
import type { KindPage, StuckKind } from "../stuck-kind.ts";
import { cut, nameOf } from "../words.ts";
import type { World } from "../world.ts";

/** No kubelet that answers needs a day to end a pod that can be ended. */
const UNKILLABLE_AFTER_MS = 24 * 60 * 60_000;

const page: KindPage = {
  id: "S42",
  name: "unkillable-process",
  sees: "a pod's grace period ended a day ago or earlier, and its node is Ready",
  lookAlike: "the same for less than a day, or on a node that is lost: that is S20",
  means:
    "The kubelet works and cannot end the pod for days: a process hangs in the kernel (state D, most often on a dead network file system), and no signal reaches it. Only a repair of what it waits for, or a restart of the node, ends it.",
  remedy: [
    "Look on the node for processes of the pod in state D, and for what they wait for (a mount, a device).",
    "Repair the mount or detach it by force.",
    "Drain and restart the node: nothing else ends such a process.",
  ],
  limits: { warningMs: 5 * 60_000, criticalMs: 30 * 60_000 },
  source: ["https://github.com/kubevirt/project-infra/issues/5070"],
  reasons: ["UnkillableProcess"],
};

/** Seen from the Job that the pod belongs to. */
export const unkillableProcess: StuckKind<Job> = {
  ...page,
  startsAt: (job, world, now) => daysPastGrace(latePods(world.podsOf(job.metadata.uid), now)),
  look: (job, world, now) => symptomOf(latePods(world.podsOf(job.metadata.uid), now), world, now),
};

/** Seen from a pod whose Job is gone. */
export const orphanUnkillableProcess: StuckKind<Pod> = {
  ...page,
  startsAt: (pod, _, now) => daysPastGrace(latePods([pod], now)),
  look: (pod, world, now) => symptomOf(latePods([pod], now), world, now),
};

function daysPastGrace([first]: readonly LatePod[]): number | undefined {
  return first && first.sinceMs + UNKILLABLE_AFTER_MS;
}

function symptomOf(late: readonly LatePod[], world: World, now: number): Symptom | undefined {
  const [first] = late;
  if (!first || now - first.sinceMs < UNKILLABLE_AFTER_MS) return undefined;
  const node = nodeOf(first.pod, world);
  if (!node || node.lost) return undefined;
  return {
    reason: "UnkillableProcess",
    sinceMs: first.sinceMs,
    sinceSource: first.sinceSource,
    message: `${nameOf("Pod", first.pod)} should have ended more than a day ago; node ${node.name} is Ready and cannot end it, so a process of it hangs in the kernel`,
    evidence: cut(late.map(lateLine)),
    next: lateNext(first),
    ...nodeCause(first.pod),
  };
}
