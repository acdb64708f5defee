import { oneLine } from "../../base/index.ts";
import { isFinishedPod, type Job } from "../../resources/index.ts";
import { nodeCause } from "../late-pods.ts";
import { byName, graceEndOf, inGraceUntil, isTerminating } from "../pod-state.ts";
import { latestOf, sinceOf } from "../since.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, cut, nameOf } from "../words.ts";

/** What a deletion with propagationPolicy Foreground leaves, until the garbage collector has removed the children. */
const FOREGROUND = "foregroundDeletion";

export const jobDeletionHangs: StuckKind<Job> = {
  id: "S27",
  name: "job-deletion-hangs",
  sees: "the Job has a deletionTimestamp and a finalizer (foregroundDeletion or one of somebody's own), and no pod within its grace period",
  lookAlike: "children that are still within their grace period",
  means:
    "The Job is deleted and stays: the garbage collector cannot remove a child of it or is refused, or whoever put a finalizer on the Job does not take it away. Its name stays taken, and its namespace cannot be deleted.",
  remedy: [
    "With foregroundDeletion: find the child that stays (a pod with a finalizer, a pod on a lost node), or the webhook or policy that refuses the garbage collector.",
    "With another finalizer: see whether the controller that it belongs to still runs.",
    "Remove the finalizer by hand only when its controller is gone for good.",
  ],
  limits: { warningMs: 10 * 60_000, criticalMs: 60 * 60_000 },
  source: [
    "https://github.com/k8up-io/k8up/issues/689",
    "https://github.com/k8up-io/k8up/issues/554",
    "https://github.com/dc-tec/openbao-operator/pull/53",
    "https://github.com/chaos-mesh/chaos-mesh/issues/5079",
    "https://github.com/kubernetes/kubernetes/issues/61175",
    "https://github.com/kubernetes/kubernetes/issues/77081",
  ],
  reasons: ["ForegroundDeletion", "CustomFinalizer"],
  startsAt: (job, world, now) => inGraceUntil(world.podsOf(job.metadata.uid), now),
  look(job, world, now) {
    const { finalizers = [], deletionTimestamp, namespace = "", name } = job.metadata;
    const pods = world.podsOf(job.metadata.uid);
    if (finalizers.length === 0 || inGraceUntil(pods, now) !== undefined) return undefined;
    const since = latestOf(
      sinceOf(deletionTimestamp, "Job metadata.deletionTimestamp"),
      ...pods.filter(isTerminating).map(graceEndOf),
    );
    if (!since) return undefined;
    const others = finalizers.filter((finalizer) => finalizer !== FOREGROUND).toSorted();
    const [first] = pods.filter((pod) => !isFinishedPod(pod)).toSorted(byName);
    const held = oneLine(others[0] ?? FOREGROUND);
    return {
      reason: others.length > 0 ? "CustomFinalizer" : "ForegroundDeletion",
      ...since,
      message: `${nameOf("Job", job)} is deleted and finalizer ${held} keeps it, with ${pods.length} pods left`,
      evidence: [
        `${nameOf("Job", job)}: deletionTimestamp ${oneLine(deletionTimestamp ?? "")}, finalizers ${oneLine(finalizers.join(" "))}`,
        ...cut(
          pods.toSorted(byName).map((pod) => {
            const { finalizers: kept = [] } = pod.metadata;
            return `${nameOf("Pod", pod)}: phase ${oneLine(pod.status.phase ?? "absent")}, finalizers ${oneLine(kept.join(" ")) || "none"}`;
          }),
        ),
      ],
      next: [
        command`kubectl -n ${namespace} get job ${name} -o jsonpath={.metadata.finalizers}`,
        command`kubectl -n ${namespace} get pods -l ${`batch.kubernetes.io/job-name=${name}`}`,
      ],
      ...(others.length > 0 ? { cause: `finalizer ${held}` } : first ? nodeCause(first) : {}),
    };
  },
};
