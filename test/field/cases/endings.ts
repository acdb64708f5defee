import type { ExpectedFinding, FieldCase } from "../field-case.ts";
import { DAY, HOUR, iso, MINUTE } from "../time.ts";
import { changed, complete, condition, ended, failed, job, pod, running } from "../wire.ts";

const TRACKED = { finalizers: ["batch.kubernetes.io/job-tracking"] };
const FOREGROUND = { finalizers: ["foregroundDeletion"] };

const orphaned = Array.from({ length: 20 }, (_, index) =>
  job(`old-${index}`, -HOUR, { status: complete(-HOUR, -50 * MINUTE) }),
);

function uncounted(uid: string): object {
  return { uncountedTerminatedPods: { succeeded: [uid] } };
}

export const endingCases: readonly FieldCase[] = [
  {
    id: "A15",
    url: "https://github.com/kubernetes/kubernetes/issues/32149",
    symptom: "A passed deadline is noticed only at the next periodic resync, some ten minutes later.",
    twin: "The Job has failed one second after its deadline.",
    tell(tape, healthy) {
      const work = job("import-1", 0, { spec: { activeDeadlineSeconds: 30 } });
      const runs = pod(work, 1, { status: running(2) });
      const at = healthy ? 31 : 600;
      tape.add(0, work);
      tape.add(1, runs);
      tape.remove(at, runs);
      tape.change(at, changed(work, { status: failed(0, at, "DeadlineExceeded") }));
    },
    end: 15 * MINUTE,
    restartAt: 5 * MINUTE,
    verdicts: [
      { at: 140, findings: [] },
      { at: 9 * MINUTE, findings: [{ kind: "S19", object: "Job/import-1", since: 30, severity: "warning" }] },
      { at: 10 * MINUTE + 5, findings: [] },
    ],
  },
  {
    id: "A17",
    url: "https://github.com/kubernetes/kubernetes/issues/110239",
    symptom: "A version of Kubernetes does not enforce deadlines at all.",
    twin: "The Job is suspended, so that its clock stands.",
    tell(tape, healthy) {
      const deadline = { activeDeadlineSeconds: 30 };
      if (healthy) {
        const suspended = { conditions: [condition("Suspended", 1)] };
        tape.add(0, job("import-1", 0, { spec: { ...deadline, suspend: true }, status: suspended }));
        return;
      }
      const work = job("import-1", 0, { spec: deadline });
      tape.add(0, work);
      tape.add(1, pod(work, 1, { status: running(2) }));
    },
    end: HOUR,
    restartAt: 30 * MINUTE,
    verdicts: [
      { at: 140, findings: [] },
      { at: 5 * MINUTE, findings: [{ kind: "S19", object: "Job/import-1", since: 30, severity: "warning" }] },
      { at: HOUR, findings: [{ kind: "S19", object: "Job/import-1", since: 30, severity: "critical" }] },
    ],
  },
  {
    id: "A18",
    url: "https://github.com/kubernetes/kubernetes/issues/109429",
    symptom: "About one pod in a thousand keeps the tracking finalizer after its Job is gone.",
    twin: "The finalizer goes three seconds after the Job.",
    retold: "One pod in twenty.",
    tell(tape, healthy) {
      const work = job("import-1", 0, { spec: { parallelism: 20, completions: 20 }, status: complete(0, 60) });
      const pods = Array.from({ length: 20 }, (_, index) => {
        const metadata = index === 13 ? TRACKED : {};
        return pod(work, 1, { metadata, status: ended(50) }, `p${index}`);
      });
      tape.list(90, "batch/v1", "Job", [work]);
      tape.list(90, "v1", "Pod", pods);
      tape.remove(100, work);
      tape.remove(101, ...pods.filter((_, index) => index !== 13));
      const left = pods.slice(13, 14).map((one) => changed(one, { metadata: { deletionTimestamp: iso(101) } }));
      tape.change(101, ...left);
      if (healthy) tape.remove(103, ...left);
    },
    end: HOUR,
    restartAt: 10 * MINUTE,
    verdicts: [
      { at: 6 * MINUTE, findings: [] },
      { at: 8 * MINUTE, findings: [orphanFinding("warning")] },
      { at: HOUR, findings: [orphanFinding("critical")] },
    ],
  },
  {
    id: "A19",
    url: "https://github.com/k8up-io/k8up/issues/689",
    symptom: "A Job is Terminating for days with foregroundDeletion, and its pods keep a finalizer.",
    twin: "The pod needs the ten minutes of its grace period.",
    tell(tape, healthy) {
      const work = job("backup-1", 0);
      tape.add(0, work);
      const deleted = changed(work, { metadata: { ...FOREGROUND, deletionTimestamp: iso(60) } });
      if (healthy) {
        const runs = pod(work, 1, { spec: { terminationGracePeriodSeconds: 600 }, status: running(2) });
        const ending = changed(runs, { metadata: { deletionTimestamp: iso(660), deletionGracePeriodSeconds: 600 } });
        tape.add(1, runs);
        tape.change(60, deleted, ending);
        tape.remove(655, ending);
        tape.remove(656, deleted);
        return;
      }
      const done = pod(work, 1, { metadata: TRACKED, status: ended(50) });
      tape.add(1, done);
      tape.change(60, deleted);
      tape.change(61, changed(done, { metadata: { deletionTimestamp: iso(61) } }));
    },
    end: 3 * DAY,
    restartAt: DAY,
    verdicts: [
      { at: 10 * MINUTE, findings: [] },
      { at: 12 * MINUTE, findings: [{ kind: "S27", object: "Job/backup-1", since: 60, severity: "warning" }] },
      { at: 3 * DAY, findings: [{ kind: "S27", object: "Job/backup-1", since: 60, severity: "critical" }] },
    ],
  },
  {
    id: "A20",
    url: "https://github.com/dc-tec/openbao-operator/pull/53",
    symptom: "An admission policy refuses the garbage collector, so Jobs that their TTL has deleted stay.",
    twin: "The Job is gone two seconds later.",
    tell(tape, healthy) {
      const done = job("backup-1", 0, { spec: { ttlSecondsAfterFinished: 240 }, status: complete(0, 60) });
      const left = pod(done, 1, { status: ended(58) });
      const deleted = changed(done, { metadata: { ...FOREGROUND, deletionTimestamp: iso(300) } });
      tape.list(90, "batch/v1", "Job", [done]);
      tape.list(90, "v1", "Pod", [left]);
      tape.change(300, deleted);
      tape.remove(301, left);
      if (healthy) tape.remove(302, deleted);
    },
    end: 2 * HOUR,
    restartAt: 30 * MINUTE,
    verdicts: [
      { at: 14 * MINUTE, findings: [] },
      { at: 16 * MINUTE, findings: [{ kind: "S27", object: "Job/backup-1", since: 300, severity: "warning" }] },
      { at: 2 * HOUR, findings: [{ kind: "S27", object: "Job/backup-1", since: 300, severity: "critical" }] },
    ],
  },
  {
    id: "A22",
    url: "https://github.com/kubernetes/kubernetes/issues/109164",
    symptom: "The pod has succeeded and the Job has not: the uid of the pod stays in the list of what is uncounted.",
    twin: "The list of a large Job is never empty and changes every few seconds.",
    retold: "The list changes every 5 s instead of every second.",
    tell(tape, healthy) {
      const work = job("import-1", 0, healthy ? { spec: { parallelism: 100, completions: 1_000 } } : {});
      const runs = pod(work, 1, { metadata: TRACKED, status: running(2) });
      tape.add(0, work);
      tape.add(1, runs);
      if (healthy) {
        tape.change(1, changed(work, { status: { active: 100, ready: 100 } }));
        for (let count = 0; count < 60; count += 1) {
          const status = { active: 100, ready: 100, succeeded: count, ...uncounted(`pod-import-1-p${count}`) };
          tape.change(5 + count * 5, changed(work, { status }));
        }
        return;
      }
      tape.change(60, changed(runs, { status: ended(60) }));
      tape.change(61, changed(work, { status: { active: 0, ...uncounted(runs.metadata.uid) } }));
    },
    end: 5 * MINUTE,
    restartAt: 2 * MINUTE,
    verdicts: [
      { at: 150, findings: [] },
      {
        at: 5 * MINUTE,
        findings: [{ kind: "S24", object: "Job/import-1", since: 61, observed: true, severity: "warning" }],
      },
    ],
  },
  {
    id: "A24",
    url: "https://github.com/kubernetes/kubernetes/issues/59676",
    symptom: "Deleted Jobs pile up with the finalizer orphan.",
    twin: "The finalizer goes after five seconds.",
    retold: "20 Jobs instead of 500.",
    tell(tape, healthy) {
      tape.list(0, "batch/v1", "Job", orphaned);
      const metadata = { finalizers: ["orphan"], deletionTimestamp: iso(10) };
      const deleted = orphaned.map((one) => changed(one, { metadata }));
      tape.change(10, ...deleted);
      if (healthy) tape.remove(15, ...deleted);
    },
    end: 2 * HOUR,
    restartAt: 30 * MINUTE,
    verdicts: [
      { at: 9 * MINUTE, findings: [] },
      { at: 15 * MINUTE, findings: pileFindings("warning") },
      { at: 2 * HOUR, findings: pileFindings("critical") },
    ],
  },
  {
    id: "A48",
    url: "https://github.com/kubernetes/kubernetes/issues/125089",
    symptom: "The status still counts a pod as terminating most of a minute after it is gone.",
    twin: "The status follows after a second.",
    retold: "Most of a minute is less than what is a warning by default: judged with a limit of 30 s.",
    limits: [{ kind: "S25", ages: { warningMs: 30_000 } }],
    tell(tape, healthy) {
      const work = job("import-1", 0, { status: { startTime: iso(0), active: 1, ready: 1 } });
      const first = pod(work, 1, { status: running(2) }, "first");
      const second = pod(work, 301, { status: running(303) }, "second");
      tape.add(0, work);
      tape.add(1, first);
      tape.change(300, changed(first, { metadata: { deletionTimestamp: iso(330), deletionGracePeriodSeconds: 30 } }));
      tape.add(301, second);
      tape.change(302, changed(work, { status: { active: 1, ready: 1, terminating: 1 } }));
      tape.remove(305, first);
      const at = healthy ? 306 : 360;
      tape.change(at, changed(work, { status: { active: 1, ready: 1, terminating: 0 } }));
    },
    end: 10 * MINUTE,
    restartAt: 310,
    verdicts: [
      { at: 330, findings: [] },
      {
        at: 355,
        findings: [{ kind: "S25", object: "Job/import-1", since: 305, observed: true, severity: "warning" }],
      },
      { at: 365, findings: [] },
    ],
  },
];

function orphanFinding(severity: "warning" | "critical"): ExpectedFinding {
  return { kind: "S26", object: "Pod/import-1-p13", owner: "Job/import-1", since: 101, severity };
}

function pileFindings(severity: "warning" | "critical"): readonly ExpectedFinding[] {
  return orphaned.map(({ metadata: { name } }) => ({ kind: "S28", object: `Job/${name}`, since: 10, severity }));
}
