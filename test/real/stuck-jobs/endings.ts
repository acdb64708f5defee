import { eventually, type Json } from "../harness/index.ts";
import { LOST_WORKER, type Place, transitionOf } from "./place.ts";
import { observed, type Scenario } from "./scenario.ts";

/** Something has come to its end, or is to go, and does not. */
export const endings: readonly Scenario[] = [
  {
    name: "terminating-past-grace",
    kind: "S20",
    reason: "TerminatingPastGrace",
    since: graceEnd,
    async make(place) {
      await place.createJob();
      await startAndEvict(place);
    },
  },
  {
    name: "node-lost",
    kind: "S20",
    reason: "NodeLost",
    since: graceEnd,
    async make(place) {
      await place.createJob();
      await startAndEvict(place, LOST_WORKER);
    },
  },
  {
    name: "replacement-waits",
    kind: "S21",
    reason: "TerminatingPastGrace",
    since: graceEnd,
    async make(place) {
      await place.createJob({ podReplacementPolicy: "Failed" });
      await startAndEvict(place);
      await place.untilJob("the pod counts as terminating", ({ status }) => status.terminating === 1);
    },
  },
  {
    name: "failure-never-written",
    kind: "S22",
    reason: "PodsTerminating",
    since: graceEnd,
    async make(place) {
      await place.createJob({ activeDeadlineSeconds: 3 });
      await place.start(await place.podMade());
      await place.untilJob("its deadline has passed", (job) => transitionOf(job, "FailureTarget"));
    },
  },
  {
    name: "success-never-written",
    kind: "S23",
    reason: "PodsUncounted",
    since: async (place) => transitionOf(await place.job(), "SuccessCriteriaMet"),
    async make(place, webhooks) {
      await place.createJob();
      const pod = await place.podMade();
      await place.start(pod);
      await webhooks.denyChangesOf(place, pod.metadata.name);
      await place.end(pod);
      await place.untilJob("it is decided", (job) => transitionOf(job, "SuccessCriteriaMet"));
    },
  },
  {
    name: "uncounted-pods",
    kind: "S24",
    reason: "Uncounted",
    since: observed,
    async make(place, webhooks) {
      await place.createJob({ completions: 2, parallelism: 2 });
      const [first, second] = (await place.podsMade(2)) as [Json, Json];
      await place.start(first);
      await place.start(second);
      await webhooks.denyChangesOf(place, first.metadata.name);
      await place.end(first);
      await place.untilJob("a pod is uncounted", ({ status }) => status.uncountedTerminatedPods?.succeeded?.length);
    },
  },
  {
    name: "orphan-tracking-finalizer",
    kind: "S26",
    reason: "JobGone",
    object: "Pod/job-",
    owner: "Job/job",
    since: graceEnd,
    async make(place, webhooks) {
      await place.createJob();
      const pod = await place.podMade();
      await webhooks.denyChangesOf(place, pod.metadata.name);
      await place.deleteJob("Background");
      await podDeleted(place);
    },
  },
  {
    name: "foreground-deletion-hangs",
    kind: "S27",
    reason: "ForegroundDeletion",
    since: graceEnd,
    async make(place) {
      await place.createJob({}, { template: { metadata: { finalizers: ["example.com/keep"] } } });
      await place.podMade();
      await place.deleteJob("Foreground");
      await podDeleted(place);
    },
  },
  {
    name: "orphan-finalizer",
    kind: "S28",
    reason: "OrphanFinalizer",
    since: async (place) => (await place.job()).metadata.deletionTimestamp ?? "",
    async make(place, webhooks) {
      await place.createJob();
      const pod = await place.podMade();
      await place.start(pod);
      await webhooks.denyChangesOf(place, pod.metadata.name);
      await place.deleteJob("Orphan");
    },
  },
  {
    name: "ttl-passed",
    kind: "S29",
    reason: "TtlPassed",
    since: async (place) => secondsAfter(transitionOf(await place.job(), "Complete"), 2),
    async make(place) {
      await place.createJob({ ttlSecondsAfterFinished: 2 });
      const pod = await place.podMade();
      await place.start(pod);
      await place.end(pod);
      await place.untilJob("it is Complete", (job) => transitionOf(job, "Complete"));
    },
  },
];

async function startAndEvict(place: Place, node?: string): Promise<void> {
  const pod = await place.podMade();
  await place.start(pod, node);
  await place.evict(pod);
}

async function podDeleted(place: Place): Promise<void> {
  await eventually(`a pod of ${place.namespace} is to go`, async () => (await graceEnd(place)) !== "");
}

/** What a deleted pod has as its deletionTimestamp. */
async function graceEnd(place: Place): Promise<string> {
  const [first] = await place.pods();
  return first?.metadata.deletionTimestamp ?? "";
}

export function secondsAfter(time: string, seconds: number): string {
  return new Date(Date.parse(time) + seconds * 1_000).toISOString();
}
