import { job, meta } from "../objects.ts";
import type { Workload } from "../../../src/jobs/index.ts";
import type { KindCase } from "./kind-case.ts";
import { condition, type Scene, time, workloadOf } from "./scene.ts";

const suspended = job({ spec: { suspend: true }, status: { conditions: [condition("Suspended", 2)] } });
const inQueue = { ...suspended, metadata: meta("export-1", { labels: { "kueue.x-k8s.io/queue-name": "nightly" } }) };

const admitted = {
  admission: { clusterQueue: "batch" },
  conditions: [condition("QuotaReserved", 600), condition("Admitted", 600)],
};
const notReserved = {
  conditions: [
    condition("QuotaReserved", 5, { status: "False", reason: "Pending", message: "insufficient quota for cpu" }),
  ],
};

const ghost: Scene = {
  subject: "workload",
  job: job({ status: { conditions: [condition("Complete", 100)] } }),
  workloads: [workloadOf({ admission: { clusterQueue: "batch" }, conditions: [condition("QuotaReserved", 10)] })],
};

function dispatch(message: string): Workload["status"] {
  return {
    conditions: [condition("QuotaReserved", 600)],
    admissionChecks: [{ name: "multikueue", state: "Pending", message, lastTransitionTime: time(600) }],
  };
}

const remote = { ...inQueue, spec: { ...inQueue.spec, managedBy: "kueue.x-k8s.io/multikueue" } };
const outOfSync = { conditions: [condition("Finished", 600, { reason: "OutOfSync" })] };

export const casesSuspended: readonly KindCase[] = [
  {
    id: "S07",
    scene: { job: suspended },
    reason: "Suspended",
    since: 2,
    twin: { but: "it waits in a queue", scene: { job: inQueue } },
  },
  {
    id: "S08",
    scene: { job: inQueue, workloads: [workloadOf(admitted)] },
    reason: "AdmittedNotStarted",
    since: 600,
    twin: { but: "its Workload has no quota yet", scene: { job: inQueue, workloads: [workloadOf(notReserved)] } },
  },
  {
    id: "S09",
    scene: { job: inQueue, workloads: [workloadOf(notReserved)] },
    reason: "Queued",
    since: 2,
    twin: { but: "it is in no queue", scene: { job: suspended, workloads: [] } },
  },
  {
    id: "S10",
    case: "the Job has finished",
    scene: ghost,
    reason: "JobFinished",
    since: 100,
    cause: "clusterqueue batch",
    twin: {
      but: "the Workload is Finished",
      scene: {
        ...ghost,
        workloads: [workloadOf({ conditions: [condition("QuotaReserved", 10), condition("Finished", 101)] })],
      },
    },
  },
  {
    id: "S10",
    case: "the Job is gone",
    scene: {
      subject: "workload",
      workloads: [
        workloadOf(admitted, {
          deletionTimestamp: "2026-01-02T03:04:35Z",
          finalizers: ["kueue.x-k8s.io/resource-in-use"],
        }),
      ],
    },
    reason: "JobGone",
    since: 30,
    cause: "clusterqueue batch",
    twin: {
      but: "the Job is there",
      scene: {
        subject: "workload",
        job: job(),
        workloads: [
          workloadOf(admitted, {
            deletionTimestamp: "2026-01-02T03:04:35Z",
            finalizers: ["kueue.x-k8s.io/resource-in-use"],
          }),
        ],
      },
    },
  },
  {
    id: "S41",
    case: "the outcome is not copied back",
    scene: { job: remote, workloads: [workloadOf(outOfSync)] },
    reason: "FinishedNotMirrored",
    since: 600,
    twin: {
      but: "the check was set back to Retry",
      scene: {
        job: remote,
        workloads: [
          workloadOf({ admissionChecks: [{ name: "multikueue", state: "Retry", lastTransitionTime: time(600) }] }),
        ],
      },
    },
  },
  {
    id: "S41",
    case: "it is never sent",
    scene: { job: remote, workloads: [workloadOf(dispatch(""))] },
    reason: "DispatchPending",
    since: 600,
    twin: {
      but: "a worker cluster has taken it",
      scene: { job: remote, workloads: [workloadOf(dispatch('The workload got reservation on "worker-1"'))] },
    },
  },
];
