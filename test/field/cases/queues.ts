import type { ExpectedFinding, FieldCase } from "../field-case.ts";
import { HOUR, iso, MINUTE } from "../time.ts";
import { changed, condition, job, ownerReferences, pod, running, wire, type Wire } from "../wire.ts";

const QUEUE = { "kueue.x-k8s.io/queue-name": "nightly" };
const SUSPENDED = { conditions: [condition("Suspended", 1, { reason: "JobSuspended" })] };

function waiting(spec: object = {}): Wire {
  return job("train-1", 0, { metadata: { labels: QUEUE }, spec: { suspend: true, ...spec }, status: SUSPENDED });
}

function workload(of: Wire, status: object): Wire {
  return wire("kueue.x-k8s.io/v1beta1", "Workload", "job-train-1-4f1c2", 1, {
    metadata: { labels: { "kueue.x-k8s.io/job-uid": of.metadata.uid }, ownerReferences: ownerReferences(of) },
    spec: { queueName: "nightly" },
    status,
  });
}

const RESERVED = condition("QuotaReserved", 10, { reason: "QuotaReserved" });
const UNRESERVED = condition("QuotaReserved", 10, { status: "False", reason: "Pending", message: "no quota left" });
const REMOTE = { managedBy: "kueue.x-k8s.io/multikueue" };

/** The state of the check that sends a Job to a worker cluster. */
function check(state: string, since: number, message: string): object {
  return { admissionChecks: [{ name: "multikueue", state, lastTransitionTime: iso(since), message }] };
}

export const queueCases: readonly FieldCase[] = [
  {
    id: "A32",
    url: "https://github.com/kubernetes-sigs/kueue/issues/1726",
    symptom: "The queue has admitted the Job, and the Job stays suspended.",
    twin: "The Job is started three seconds after its admission.",
    tell(tape, healthy) {
      const work = waiting();
      const admitted = { conditions: [RESERVED, condition("Admitted", 10, { reason: "Admitted" })] };
      tape.add(0, work);
      tape.add(1, workload(work, { conditions: [UNRESERVED] }));
      tape.change(10, workload(work, { ...admitted, admission: { clusterQueue: "gpus" } }));
      if (!healthy) return;
      const started = changed(work, { spec: { suspend: false }, status: { startTime: iso(13), active: 1, ready: 1 } });
      tape.change(13, { ...started, status: { startTime: iso(13), active: 1, ready: 1 } });
      tape.add(14, pod(work, 14, { status: running(15) }));
    },
    end: 30 * MINUTE,
    restartAt: 12 * MINUTE,
    verdicts: [
      { at: 6 * MINUTE, findings: [{ kind: "S08", object: "Job/train-1", since: 10, severity: "warning" }] },
      { at: 30 * MINUTE, findings: [{ kind: "S08", object: "Job/train-1", since: 10, severity: "critical" }] },
    ],
  },
  {
    id: "A33",
    url: "https://github.com/kubernetes-sigs/kueue/issues/1787",
    symptom: "Jobs of a cluster that hands them to others stay suspended: the check that sends them stays Pending.",
    twin: "There is no quota yet, so nothing is to be sent.",
    tell(tape, healthy) {
      const work = waiting(REMOTE);
      const message = "The workload is not yet created in any worker cluster";
      tape.add(0, work);
      tape.add(
        1,
        workload(
          work,
          healthy ? { conditions: [UNRESERVED] } : { conditions: [RESERVED], ...check("Pending", 10, message) },
        ),
      );
    },
    end: HOUR,
    restartAt: 20 * MINUTE,
    verdicts: [
      { at: 6 * MINUTE, findings: [mirrorFinding(10, "warning")] },
      { at: HOUR, findings: [mirrorFinding(10, "critical")] },
    ],
  },
  {
    id: "A35",
    url: "https://github.com/kubernetes-sigs/kueue/pull/13087",
    symptom:
      "A remote Job that is out of step is taken for finished, and the Job in the manager cluster is left behind.",
    twin: "The check is set back to Retry and the Job is queued again.",
    tell(tape, healthy) {
      const work = waiting(REMOTE);
      tape.add(0, work);
      tape.add(1, workload(work, { conditions: [RESERVED], ...check("Ready", 20, "Sent to a worker cluster") }));
      const finished = condition("Finished", 120, { reason: "OutOfSync", message: "The remote job is out of sync" });
      const status = healthy
        ? { conditions: [UNRESERVED], ...check("Retry", 120, "The remote job is out of sync") }
        : { conditions: [RESERVED, finished], ...check("Ready", 20, "Sent to a worker cluster") };
      tape.change(120, workload(work, status));
    },
    end: HOUR,
    restartAt: 20 * MINUTE,
    verdicts: [
      { at: 8 * MINUTE, findings: [mirrorFinding(120, "warning")] },
      { at: HOUR, findings: [mirrorFinding(120, "critical")] },
    ],
  },
  {
    id: "A36",
    url: "https://github.com/kubernetes-sigs/kueue/pull/11877",
    symptom: "A Job of the same name in the worker cluster stands in the way, and the manager's Job waits for ever.",
    twin: "The Job there carries the label of this cluster, so that it is taken for the copy.",
    retold: "Only the manager cluster is watched: the obstacle shows as the message of the check.",
    tell(tape, healthy) {
      const work = waiting(REMOTE);
      tape.add(0, work);
      const status = healthy
        ? check("Pending", 15, 'The workload got reservation on "worker-1"')
        : check("Pending", 15, 'jobs.batch "train-1" already exists and is not owned by this cluster');
      tape.add(1, workload(work, { conditions: [RESERVED], ...check("Pending", 10, "") }));
      tape.change(15, workload(work, { conditions: [RESERVED], ...status }));
    },
    end: HOUR,
    restartAt: 20 * MINUTE,
    verdicts: [
      { at: 7 * MINUTE, findings: [mirrorFinding(15, "warning")] },
      { at: HOUR, findings: [mirrorFinding(15, "critical")] },
    ],
  },
];

function mirrorFinding(since: number, severity: "warning" | "critical"): ExpectedFinding {
  return { kind: "S41", object: "Job/train-1", since, severity };
}
