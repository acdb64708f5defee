import { compareText, oneLine } from "../../base/index.ts";
import { type ContainerStatus, type DeepReadonly, isFinishedPod, type Job, type Pod } from "../../resources/index.ts";
import type { Symptom } from "../finding.ts";
import { isDeleting, startedSince } from "../job-state.ts";
import { bySince, sinceOf } from "../since.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { podStart } from "../waiting-containers.ts";
import { command, cut, nameOf } from "../words.ts";

/** More than this many is no accident. */
const RESTARTS = 5;

/** A limit that nobody lives to see reached. */
const ENDLESS = 1_000_000;

/** The kubelet forgets its back-off for a container that has run for this long: it has recovered. */
const RECOVERED_AFTER_MS = 10 * 60_000;

export const endlessCrashLoop: StuckKind<Job> = {
  id: "S17",
  name: "endless-crash-loop",
  sees: "a container has been restarted more than 5 times and crashes still; or pods fail one after another under a backoffLimit that is never reached",
  lookAlike: "a few restarts and then success; a container that has run for ten minutes since its last crash",
  means:
    "The work fails each time and is started again. With restartPolicy OnFailure restarts count against backoffLimit, but a large limit, and a pod that is replaced, let it go on for hours or for ever.",
  remedy: [
    "Read the log of the last crash.",
    "Correct what makes the Job, and delete this one.",
    "Give it a backoffLimit and an activeDeadlineSeconds that end it.",
  ],
  limits: { warningMs: 30 * 60_000, criticalMs: 2 * 60 * 60_000 },
  source: [
    "https://github.com/kubernetes/kubernetes/issues/54870",
    "https://github.com/kubevela/terraform-controller/pull/94",
  ],
  reasons: ["CrashLoop", "PodsFail"],
  look(job, world, now) {
    return crashLoop(job, world.podsOf(job.metadata.uid), now) ?? podsFail(job);
  },
};

function crashLoop(job: DeepReadonly<Job>, pods: readonly DeepReadonly<Pod>[], now: number): Symptom | undefined {
  const crashing = pods
    .filter((pod) => pod.spec.restartPolicy === "OnFailure" && !isDeleting(pod) && !isFinishedPod(pod))
    .flatMap((pod) => {
      const since = podStart(pod);
      const status = pod.status.containerStatuses?.filter(isCrashing).toSorted(mostRestartsFirst)[0];
      return since && status && now < recoveredAt(status) ? { pod, status, ...since } : [];
    })
    .toSorted((a, b) => bySince(a, b) || compareText(a.pod.metadata.name, b.pod.metadata.name));
  const [first] = crashing;
  if (!first) return undefined;
  const { namespace = "" } = job.metadata;
  return {
    reason: "CrashLoop",
    sinceMs: first.sinceMs,
    sinceSource: first.sinceSource,
    untilMs: Math.min(...crashing.map(({ status }) => recoveredAt(status))),
    message: `Container ${oneLine(first.status.name)} of ${nameOf("Pod", first.pod)} crashes and is restarted, more than ${RESTARTS} times by now; backoffLimit is ${job.spec.backoffLimit ?? "not set"}`,
    evidence: cut(
      crashing.map(({ pod, status: { name, restartCount, lastState } }) => {
        const { exitCode = 0, reason = "" } = lastState?.terminated ?? {};
        return `${nameOf("Pod", pod)}: container ${oneLine(name)}, ${restartCount} restarts, last exit code ${exitCode} ${oneLine(reason)}`;
      }),
    ),
    next: [
      command`kubectl -n ${namespace} logs ${first.pod.metadata.name} -c ${first.status.name} --previous`,
      command`kubectl -n ${namespace} describe pod ${first.pod.metadata.name}`,
    ],
  };
}

function podsFail(job: DeepReadonly<Job>): Symptom | undefined {
  const { backoffLimit = 0, backoffLimitPerIndex } = job.spec;
  const { failed = 0, succeeded = 0 } = job.status;
  const since = startedSince(job);
  const endless = backoffLimit >= ENDLESS && backoffLimitPerIndex === undefined;
  if (!endless || failed <= RESTARTS || succeeded > 0 || !since) return undefined;
  const { namespace = "", name } = job.metadata;
  return {
    reason: "PodsFail",
    ...since,
    message: `Pods of ${nameOf("Job", job)} fail one after another, none has succeeded, and its backoffLimit of ${backoffLimit} will not end that`,
    evidence: [`${nameOf("Job", job)}: failed ${failed}, succeeded 0`],
    next: [
      command`kubectl -n ${namespace} logs ${`job/${name}`} --tail=50`,
      command`kubectl -n ${namespace} describe job ${name}`,
    ],
  };
}

function isCrashing({ restartCount = 0, state, lastState }: DeepReadonly<ContainerStatus>): boolean {
  const crashed = (lastState?.terminated?.exitCode ?? 0) !== 0 || state?.waiting?.reason === "CrashLoopBackOff";
  return restartCount > RESTARTS && crashed;
}

function recoveredAt({ state }: DeepReadonly<ContainerStatus>): number {
  const started = sinceOf(state?.running?.startedAt, "pod status: start of the container");
  return started ? started.sinceMs + RECOVERED_AFTER_MS : Number.POSITIVE_INFINITY;
}

function mostRestartsFirst(a: DeepReadonly<ContainerStatus>, b: DeepReadonly<ContainerStatus>): number {
  return (b.restartCount ?? 0) - (a.restartCount ?? 0) || compareText(a.name, b.name);
}
