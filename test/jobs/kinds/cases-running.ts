import type { ContainerStatus, Job, Pod } from "../../../src/resources/index.ts";
import { CREATED, job, meta } from "../objects.ts";
import type { KindCase } from "./kind-case.ts";
import { condition, endedPod, podOf, type Scene, time } from "./scene.ts";

const appEnded: ContainerStatus = { name: "main", state: { terminated: { exitCode: 0, finishedAt: time(60) } } };
const proxyRuns: ContainerStatus = { name: "proxy", state: { running: { startedAt: time(1) } } };

const crashing = (restartCount: number): Scene => ({
  job: job({ spec: { backoffLimit: 100 } }),
  pods: [
    podOf({
      spec: { containers: [{ name: "main" }], restartPolicy: "OnFailure", nodeName: "worker-1" },
      status: {
        phase: "Running",
        startTime: CREATED,
        containerStatuses: [
          {
            name: "main",
            restartCount,
            state: { waiting: { reason: "CrashLoopBackOff" } },
            lastState: { terminated: { exitCode: 1, reason: "Error" } },
          },
        ],
      },
    }),
  ],
});

const nightly = [{ apiVersion: "batch/v1", kind: "CronJob", name: "nightly", uid: "uid-of-nightly", controller: true }];

function earlierRun(index: number): Job {
  const end = time(600 - 86_400 * index);
  return {
    metadata: meta(`nightly-${index}`, { ownerReferences: nightly }),
    spec: {},
    status: {
      startTime: time(-86_400 * index),
      completionTime: end,
      conditions: [{ type: "Complete", status: "True", lastTransitionTime: end }],
    },
  };
}

const longRun = (runs: number): Scene => ({
  job: job({ metadata: { ownerReferences: nightly }, status: { startTime: CREATED, active: 1, ready: 1 } }),
  pods: [podOf()],
  jobs: Array.from({ length: runs }, (_, index) => earlierRun(index + 1)),
});

const manyPods = (parallelism: number): Scene => ({
  job: job({ spec: { parallelism } }),
  pods: Array.from({ length: 71 }, (_, index): Pod => {
    return podOf({
      metadata: {
        ...meta(`export-1-${index}`),
        ownerReferences: podOf().metadata.ownerReferences ?? [],
        creationTimestamp: time(10 * index),
      },
    });
  }),
});

const uncounted = (uids: string[]): Scene => ({
  job: job({
    status: { startTime: CREATED, succeeded: 1 - uids.length, uncountedTerminatedPods: { succeeded: uids } },
  }),
  pods: [endedPod(60)],
});

const tracked = { finalizers: ["batch.kubernetes.io/job-tracking"] };

export const casesRunning: readonly KindCase[] = [
  {
    id: "S16",
    scene: { job: job(), pods: [podOf({ status: { phase: "Running", containerStatuses: [appEnded, proxyRuns] } })] },
    reason: "SidecarRunning",
    since: 60,
    twin: {
      but: "the proxy is a native sidecar",
      scene: {
        job: job(),
        pods: [
          podOf({
            spec: { initContainers: [{ name: "proxy", restartPolicy: "Always" }], containers: [{ name: "main" }] },
            status: { phase: "Running", initContainerStatuses: [proxyRuns], containerStatuses: [appEnded] },
          }),
        ],
      },
    },
  },
  {
    id: "S17",
    case: "one container is restarted again and again",
    scene: crashing(6),
    reason: "CrashLoop",
    since: 0,
    twin: { but: "it was restarted twice", scene: crashing(2) },
  },
  {
    id: "S17",
    case: "pods fail without end",
    scene: {
      job: job({ spec: { backoffLimit: 2_147_483_647 }, status: { startTime: CREATED, active: 1, failed: 6 } }),
      pods: [podOf()],
    },
    reason: "PodsFail",
    since: 0,
    twin: {
      but: "backoffLimit will end it",
      scene: {
        job: job({ spec: { backoffLimit: 8 }, status: { startTime: CREATED, active: 1, failed: 6 } }),
        pods: [podOf()],
      },
    },
  },
  {
    id: "S18",
    scene: longRun(3),
    reason: "LongerThanHistory",
    since: 0,
    limits: { warningMs: 30 * 60_000, criticalMs: 100 * 60_000 },
    twin: { but: "there are two earlier runs only", scene: longRun(2) },
  },
  {
    id: "S19",
    scene: { job: job({ spec: { activeDeadlineSeconds: 30 } }), pods: [podOf()] },
    reason: "DeadlinePassed",
    since: 30,
    cause: "Job controller",
    twin: { but: "it has no deadline", scene: { job: job(), pods: [podOf()] } },
  },
  {
    id: "S24",
    scene: uncounted(["uid-of-export-1-x"]),
    reason: "Uncounted",
    since: 0,
    cause: "Job controller",
    twin: { but: "the pod is counted", scene: uncounted([]) },
  },
  {
    id: "S25",
    case: "pods have ended",
    scene: { job: job(), pods: [endedPod(60, { metadata: tracked })] },
    reason: "PodsEnded",
    since: 60,
    cause: "Job controller",
    twin: { but: "the pod runs", scene: { job: job(), pods: [podOf({ metadata: tracked })] } },
  },
  {
    id: "S25",
    case: "pods are gone",
    scene: { job: job(), pods: [] },
    reason: "PodsGone",
    since: 0,
    cause: "Job controller",
    twin: { but: "the pod is there", scene: { job: job(), pods: [podOf()] } },
  },
  {
    id: "S25",
    case: "terminating pods are gone",
    scene: { job: job({ status: { startTime: CREATED, active: 1, terminating: 1 } }), pods: [podOf()] },
    reason: "TerminatingPodsGone",
    since: 0,
    cause: "Job controller",
    twin: {
      but: "none is counted",
      scene: { job: job({ status: { startTime: CREATED, active: 1 } }), pods: [podOf()] },
    },
  },
  {
    id: "R",
    scene: manyPods(1),
    reason: "TooManyPods",
    since: 700,
    twin: { but: "it wants ten at once", scene: manyPods(10) },
  },
  {
    id: "S22",
    scene: { job: job({ status: { startTime: CREATED, conditions: [condition("FailureTarget", 10)] } }), pods: [] },
    reason: "NotWritten",
    since: 10,
    cause: "Job controller",
    twin: {
      but: "it is Failed",
      scene: {
        job: job({
          status: { startTime: CREATED, conditions: [condition("FailureTarget", 10), condition("Failed", 12)] },
        }),
        pods: [],
      },
    },
  },
  {
    id: "S23",
    scene: {
      job: job({ status: { startTime: CREATED, conditions: [condition("SuccessCriteriaMet", 10)] } }),
      pods: [],
    },
    reason: "NotWritten",
    since: 10,
    cause: "Job controller",
    twin: {
      but: "it is Complete",
      scene: {
        job: job({
          status: { startTime: CREATED, conditions: [condition("SuccessCriteriaMet", 10), condition("Complete", 12)] },
        }),
        pods: [],
      },
    },
  },
];
