import type { Pod } from "../../../src/resources/index.ts";
import { job, waitingPod } from "../objects.ts";
import type { KindCase } from "./kind-case.ts";
import { condition, eventAbout, podOf, type Scene, time } from "./scene.ts";

function unscheduled(reason: string, message: string): Pod {
  const { metadata, spec } = podOf();
  const { nodeName: _, ...unplaced } = spec;
  return {
    metadata,
    spec: unplaced,
    status: { phase: "Pending", conditions: [condition("PodScheduled", 5, { status: "False", reason, message })] },
  };
}

function initRunning(restartPolicy: string | undefined): Pod {
  return podOf({
    spec: {
      initContainers: [{ name: "wait-for-db", ...(restartPolicy === undefined ? {} : { restartPolicy }) }],
      containers: [{ name: "main" }],
      restartPolicy: "Never",
    },
    status: {
      phase: restartPolicy === undefined ? "Pending" : "Running",
      initContainerStatuses: [{ name: "wait-for-db", state: { running: { startedAt: time(10) } } }],
      containerStatuses: [
        {
          name: "main",
          state:
            restartPolicy === undefined
              ? { waiting: { reason: "PodInitializing" } }
              : { running: { startedAt: time(12) } },
        },
      ],
    },
  });
}

const creating = waitingPod("ContainerCreating");
const noMount = eventAbout("export-1-x", "FailedMount", {
  message: 'MountVolume.SetUp failed for volume "data" : mount failed: exit status 32',
  first: 30,
  last: 6 * 3_600,
  count: 20,
});

const tooLittle = "0/5 nodes are available: 5 Insufficient cpu.";
const unboundClaim = "0/5 nodes are available: pod has unbound immediate PersistentVolumeClaims.";

const withPod = (pod: Pod, more: Partial<Scene> = {}): Scene => ({ job: job(), pods: [pod], events: [], ...more });

export const casesStarting: readonly KindCase[] = [
  {
    id: "S11",
    scene: withPod(unscheduled("Unschedulable", tooLittle)),
    reason: "Unschedulable",
    since: 5,
    twin: { but: "it is gated on purpose", scene: withPod(unscheduled("SchedulingGated", tooLittle)) },
  },
  {
    id: "S12",
    case: "a mount fails",
    scene: withPod(creating, { events: [noMount] }),
    reason: "FailedMount",
    since: 30,
    twin: {
      but: "no event tells of a failure",
      scene: withPod(creating, { events: [{ ...noMount, reason: "Scheduled" }] }),
    },
  },
  {
    id: "S12",
    case: "a claim is not bound",
    scene: withPod(unscheduled("Unschedulable", unboundClaim)),
    reason: "ClaimUnbound",
    since: 5,
    twin: { but: "it is gated on purpose", scene: withPod(unscheduled("SchedulingGated", unboundClaim)) },
  },
  {
    id: "S13",
    scene: withPod(waitingPod("ImagePullBackOff")),
    reason: "ImagePullBackOff",
    since: 0,
    twin: { but: "the first pull goes on", scene: withPod(creating) },
  },
  {
    id: "S14",
    scene: withPod(waitingPod("CreateContainerConfigError")),
    reason: "CreateContainerConfigError",
    since: 0,
    twin: { but: "the container is being created", scene: withPod(creating) },
  },
  {
    id: "S15",
    scene: withPod(initRunning(undefined)),
    reason: "InitRunning",
    since: 10,
    twin: { but: "it is a native sidecar", scene: withPod(initRunning("Always")) },
  },
];
