import { compareText, oneLine } from "../../base/index.ts";
import { type DeepReadonly, isFinishedPod, type Job, type Pod } from "../../resources/index.ts";
import { isDeleting } from "../job-state.ts";
import { bySince, latestOf, type Since, sinceOf } from "../since.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, cut, nameOf } from "../words.ts";

interface Kept extends Since {
  readonly pod: DeepReadonly<Pod>;
  readonly ended: readonly string[];
  readonly running: readonly string[];
}

export const sidecarNeverExits: StuckKind<Job> = {
  id: "S16",
  name: "sidecar-never-exits",
  sees: "one container of a pod has ended with 0 and another goes on running",
  lookAlike:
    "a native sidecar (an init container with restartPolicy Always), which does not keep the pod; a log shipper that sends its last lines",
  means:
    "A pod has succeeded only when all its containers have ended. The work is done, but a proxy or an agent beside it runs on, so the pod, and with it the Job, never ends.",
  remedy: [
    "Make the sidecar a native one: an init container with restartPolicy Always.",
    "Or tell it to quit when the work is done (service meshes have a quit endpoint).",
    "Deleting the pod makes the Job run its work again: end the sidecar's process instead.",
  ],
  limits: { warningMs: 5 * 60_000, criticalMs: 15 * 60_000 },
  source: [
    "https://github.com/istio/istio/issues/6324",
    "https://github.com/istio/istio/issues/11045",
    "https://github.com/istio/istio/issues/51883",
  ],
  reasons: ["SidecarRunning"],
  look(job, world) {
    const kept = world
      .podsOf(job.metadata.uid)
      .flatMap((pod) => keptRunning(pod) ?? [])
      .toSorted((a, b) => bySince(a, b) || compareText(a.pod.metadata.name, b.pod.metadata.name));
    const [first] = kept;
    if (!first) return undefined;
    const { namespace = "" } = job.metadata;
    const [sidecar = ""] = first.running;
    return {
      reason: "SidecarRunning",
      sinceMs: first.sinceMs,
      sinceSource: first.sinceSource,
      message: `Container ${oneLine(first.ended.join(", "))} of ${nameOf("Pod", first.pod)} has ended with 0 and ${oneLine(first.running.join(", "))} goes on running, so the Job does not end`,
      evidence: cut(
        kept.map(
          ({ pod, ended, running }) =>
            `${nameOf("Pod", pod)}: ended ${oneLine(ended.join(", "))}; running ${oneLine(running.join(", "))}`,
        ),
      ),
      next: [
        command`kubectl -n ${namespace} logs ${first.pod.metadata.name} -c ${sidecar} --tail=50`,
        command`kubectl -n ${namespace} exec ${first.pod.metadata.name} -c ${sidecar} -- kill 1`,
      ],
    };
  },
};

function keptRunning(pod: DeepReadonly<Pod>): Kept | undefined {
  const { containerStatuses = [] } = pod.status;
  if (containerStatuses.length < 2 || isDeleting(pod) || isFinishedPod(pod)) return undefined;
  const ended = containerStatuses.filter(({ state }) => state?.terminated && (state.terminated.exitCode ?? 0) === 0);
  const running = containerStatuses.filter(({ state }) => state?.running);
  const since = latestOf(
    ...ended.map(({ state }) =>
      sinceOf(state?.terminated?.finishedAt, "pod status: end of the last container that ended"),
    ),
  );
  if (!since || running.length === 0) return undefined;
  return { pod, ended: ended.map(({ name }) => name), running: running.map(({ name }) => name), ...since };
}
