import type { ExpectedFinding, FieldCase } from "../field-case.ts";
import { HOUR, MINUTE } from "../time.ts";
import { changed, complete, ended, job, pod, waiting, type Wire } from "../wire.ts";

const IMAGE = "Back-off pulling image registry.example/main:v1";

/** Jobs that have waited for their image for half an hour, with their pods. */
function pulling(count: number): { readonly jobs: readonly Wire[]; readonly pods: readonly Wire[] } {
  const jobs = Array.from({ length: count }, (_, index) => job(`import-${index}`, -30 * MINUTE));
  return { jobs, pods: jobs.map((of) => pod(of, -30 * MINUTE, { status: waiting("ImagePullBackOff", IMAGE) })) };
}

function pullFindings(indexes: readonly number[]): readonly ExpectedFinding[] {
  return indexes.map((index) => ({
    kind: "S13",
    object: `Job/import-${index}`,
    since: -30 * MINUTE,
    severity: "critical",
  }));
}

function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

export const cacheCases: readonly FieldCase[] = [
  {
    id: "B13",
    url: "https://github.com/kubernetes/kube-state-metrics/issues/694",
    symptom: "After a long outage of the API server an exporter goes on serving what was there before it.",
    twin: "The Jobs that are deleted meanwhile had been well.",
    tell(tape, healthy) {
      const { jobs, pods } = pulling(10);
      const done = jobs.map((one) => changed(one, { status: complete(-30 * MINUTE, -20 * MINUTE) }));
      const ends = pods.map((one) => changed(one, { status: ended(-20 * MINUTE) }));
      const back = 30 * MINUTE;
      tape.list(0, "batch/v1", "Job", healthy ? done : jobs);
      tape.list(0, "v1", "Pod", healthy ? ends : pods);
      tape.watchEnded(60, "batch/v1", "Job", "connection refused");
      tape.watchEnded(60, "v1", "Pod", "connection refused");
      tape.list(back, "batch/v1", "Job", []);
      tape.list(back + 1, "v1", "Pod", []);
    },
    end: HOUR,
    restartAt: 10 * MINUTE,
    verdicts: [
      // Nobody can know better during the outage; how old this is, the state of the cache says.
      { at: 20 * MINUTE, findings: pullFindings(upTo(10)) },
      { at: 30 * MINUTE + 5, findings: [] },
    ],
  },
  {
    id: "B16",
    url: "https://github.com/kubernetes/kube-state-metrics/issues/813",
    symptom: "Alerts go on for a Job that does not exist any more: its deletion was never seen.",
    twin: "The deletion is seen.",
    tell(tape, healthy) {
      const { jobs, pods } = pulling(1);
      const done = jobs.map((one) => changed(one, { status: complete(-30 * MINUTE, -20 * MINUTE) }));
      tape.list(0, "batch/v1", "Job", healthy ? done : jobs);
      tape.list(0, "v1", "Pod", healthy ? [] : pods);
      if (healthy) tape.remove(30, ...done);
      tape.watchEnded(31, "batch/v1", "Job", "410 Gone");
      tape.list(90, "batch/v1", "Job", []);
    },
    end: HOUR,
    restartAt: 2 * MINUTE,
    verdicts: [
      { at: 60, findings: pullFindings([0]) },
      { at: 95, findings: [] },
      { at: HOUR, findings: [] },
    ],
  },
  {
    id: "B21",
    url: "https://github.com/kubernetes-client/javascript/issues/494",
    symptom: "What is deleted around a reconnect never leaves the cache, which grows.",
    twin: "The Jobs that are deleted had been well.",
    retold: "20 Jobs instead of 100, of which 5 stay.",
    tell(tape, healthy) {
      const { jobs, pods } = pulling(20);
      const done = jobs.map((one) => changed(one, { status: complete(-30 * MINUTE, -20 * MINUTE) }));
      const ends = pods.map((one) => changed(one, { status: ended(-20 * MINUTE) }));
      tape.list(0, "batch/v1", "Job", healthy ? done : jobs);
      tape.list(0, "v1", "Pod", healthy ? ends : pods);
      tape.watchEnded(60, "batch/v1", "Job", "connection reset");
      tape.watchEnded(60, "v1", "Pod", "connection reset");
      tape.list(62, "batch/v1", "Job", (healthy ? done : jobs).slice(0, 5));
      tape.list(62, "v1", "Pod", (healthy ? ends : pods).slice(0, 5));
    },
    end: 10 * MINUTE,
    restartAt: 61,
    verdicts: [
      { at: 60, findings: pullFindings(upTo(20)) },
      { at: 65, findings: pullFindings(upTo(5)) },
    ],
  },
];
