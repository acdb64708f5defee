import { containerStatus, ended, type Place, podStatus, running, transitionOf, unplaced, waiting } from "./place.ts";
import type { Scenario } from "./scenario.ts";

const proxy = { name: "proxy", image: "registry.example.com/proxy:1" };

/** There is a pod, and it does not start, or does not end. */
export const waitingPods: readonly Scenario[] = [
  {
    name: "unschedulable",
    kind: "S11",
    reason: "Unschedulable",
    since: whenUnplaced,
    async make(place) {
      await place.createJob();
      await place.report(await place.podMade(), unplaced("0/2 nodes are available: 2 Insufficient cpu."));
    },
  },
  {
    name: "claim-unbound",
    kind: "S12",
    reason: "ClaimUnbound",
    since: whenUnplaced,
    async make(place) {
      await place.createJob();
      const message = "0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.";
      await place.report(await place.podMade(), unplaced(message));
    },
  },
  {
    name: "image-pull",
    kind: "S13",
    reason: "ImagePullBackOff",
    owner: "CronJob/cronjob",
    since: whenPodStarted,
    // As `kubectl create job --from` does, so that it has an owner.
    async make(place) {
      const { metadata } = await place.createCronJob({ schedule: "0 3 * * *", suspend: true });
      const owner = { apiVersion: "batch/v1", kind: "CronJob", name: "cronjob", uid: metadata.uid, controller: true };
      await place.createJob({}, { metadata: { ownerReferences: [owner] } });
      const pod = await place.podMade();
      await place.bind(pod);
      await place.report(pod, podStatus("Pending", { main: waiting("ErrImagePull", "not found") }));
      const { startTime } = await statusOf(place);
      const waits = podStatus("Pending", { main: waiting("ImagePullBackOff", "Back-off pulling image") });
      await place.report(pod, { ...waits, startTime });
    },
  },
  {
    name: "config-error",
    kind: "S14",
    reason: "CreateContainerConfigError",
    since: whenPodStarted,
    async make(place) {
      await place.createJob();
      const pod = await place.podMade();
      await place.bind(pod);
      const main = waiting("CreateContainerConfigError", 'secret "exporter" not found');
      await place.report(pod, podStatus("Pending", { main }));
    },
  },
  {
    name: "init-container-crashes",
    kind: "S15",
    reason: "InitCrashLoop",
    since: whenPodStarted,
    async make(place) {
      const initContainers = [{ ...proxy, name: "prepare" }];
      await place.createJob(
        { backoffLimit: 1_000 },
        { template: { spec: { restartPolicy: "OnFailure", initContainers } } },
      );
      const pod = await place.podMade();
      await place.bind(pod);
      const prepare = { restartCount: 7, lastState: ended(1).state, ...waiting("CrashLoopBackOff", "back-off") };
      const initContainerStatuses = [containerStatus(["prepare", prepare])];
      const status = podStatus("Pending", { main: waiting("PodInitializing", "") });
      await place.report(pod, { ...status, initContainerStatuses });
    },
  },
  {
    name: "sidecar-never-exits",
    kind: "S16",
    reason: "SidecarRunning",
    since: whenMainEnded,
    async make(place) {
      const main = { name: "main", image: "registry.example.com/main:1" };
      await place.createJob({}, { template: { spec: { containers: [main, proxy] } } });
      const pod = await place.podMade();
      await place.bind(pod);
      await place.report(pod, podStatus("Running", { main: running(), proxy: running() }));
      await place.report(pod, podStatus("Running", { main: ended(0), proxy: running() }));
    },
  },
  {
    name: "crash-loop",
    kind: "S17",
    reason: "CrashLoop",
    since: whenPodStarted,
    async make(place) {
      await place.createJob({ backoffLimit: 1_000 }, { template: { spec: { restartPolicy: "OnFailure" } } });
      const pod = await place.podMade();
      await place.bind(pod);
      const main = { restartCount: 7, lastState: ended(1).state, ...waiting("CrashLoopBackOff", "back-off") };
      await place.report(pod, podStatus("Running", { main }));
    },
  },
];

async function statusOf(place: Place): Promise<{ startTime: string; containerStatuses: Record<string, never>[] }> {
  const [pod] = await place.pods();
  return pod?.["status"];
}

async function whenPodStarted(place: Place): Promise<string> {
  return (await statusOf(place)).startTime;
}

async function whenUnplaced(place: Place): Promise<string> {
  return transitionOf(await place.podMade(), "PodScheduled");
}

async function whenMainEnded(place: Place): Promise<string> {
  const { containerStatuses } = (await place.podMade())["status"];
  return containerStatuses[0].state.terminated.finishedAt;
}
