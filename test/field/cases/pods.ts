import type { ExpectedFinding, FieldCase } from "../field-case.ts";
import { DAY, HOUR, iso, MINUTE } from "../time.ts";
import { changed, complete, condition, ended, job, node, pod, running, waiting, type Wire } from "../wire.ts";

const IMAGE = "rpc error: code = NotFound desc = registry.example/main:v1: not found";

function restarts(count: number, at: number): object {
  return {
    phase: "Running",
    containerStatuses: [
      {
        name: "main",
        ready: false,
        restartCount: count,
        state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 5m0s restarting failed container" } },
        lastState: { terminated: { exitCode: 1, reason: "Error", startedAt: iso(at - 10), finishedAt: iso(at) } },
      },
    ],
  };
}

/** The container main beside one that is called proxy. */
function pair(main: object, proxy: object): readonly object[] {
  return [
    { name: "main", ready: false, restartCount: 0, state: main },
    { name: "proxy", ready: true, restartCount: 0, state: proxy },
  ];
}

/** Pods of Jobs that were deleted, all on one node. */
const lostJobs = Array.from({ length: 12 }, (_, index) => job(`check-${index}`, -HOUR));

function unkillable(of: Wire, deletionTimestamp?: string): Wire {
  const metadata = deletionTimestamp === undefined ? {} : { deletionTimestamp, deletionGracePeriodSeconds: 30 };
  return pod(of, -HOUR, { metadata, spec: { nodeName: "worker-7" }, status: running(-HOUR) });
}

export const podCases: readonly FieldCase[] = [
  {
    id: "A08",
    url: "https://github.com/kubernetes/kubernetes/issues/66756",
    symptom: "The image cannot be pulled for two days; the Job neither fails nor ends.",
    twin: "ContainerCreating for four minutes, then the pod runs.",
    retold: "The two reasons alternate every five minutes for an hour and every six hours after.",
    tell(tape, healthy) {
      const work = job("import-1", 0);
      tape.add(0, work);
      if (healthy) {
        const creating = pod(work, 1, { status: waiting("ContainerCreating", "") });
        tape.add(1, creating);
        tape.change(241, changed(creating, { status: running(241) }));
        tape.change(242, changed(work, { status: { ready: 1 } }));
        return;
      }
      const pulling = pod(work, 1, { status: waiting("ErrImagePull", IMAGE) });
      tape.add(1, pulling);
      const times = [
        ...Array.from({ length: 12 }, (_, index) => (index + 1) * 5 * MINUTE),
        ...Array.from({ length: 8 }, (_, index) => (index + 1) * 6 * HOUR),
      ];
      for (const [index, at] of times.entries()) {
        const reason = index % 2 === 0 ? "ImagePullBackOff" : "ErrImagePull";
        tape.change(at, changed(pulling, { status: waiting(reason, IMAGE) }));
      }
    },
    end: 2 * DAY,
    restartAt: DAY,
    verdicts: [
      { at: 9 * MINUTE, findings: [] },
      { at: 11 * MINUTE, findings: [{ kind: "S13", object: "Job/import-1", since: 1, severity: "warning" }] },
      { at: 2 * DAY, findings: [{ kind: "S13", object: "Job/import-1", since: 1, severity: "critical" }] },
    ],
  },
  {
    id: "A11",
    url: "https://github.com/kubernetes/kubernetes/issues/103643",
    symptom: "A Secret or ConfigMap does not exist, the container cannot be made, and the Job waits for ever.",
    twin: "The Secret is made 30 s later.",
    tell(tape, healthy) {
      const work = job("import-1", 0);
      const wrong = pod(work, 1, {
        status: waiting("CreateContainerConfigError", 'secret "import-credentials" not found'),
      });
      tape.add(0, work);
      tape.add(1, wrong);
      if (healthy) tape.change(31, changed(wrong, { status: running(31) }));
    },
    end: HOUR,
    restartAt: 30 * MINUTE,
    verdicts: [
      { at: 4 * MINUTE, findings: [] },
      { at: 6 * MINUTE, findings: [{ kind: "S14", object: "Job/import-1", since: 1, severity: "warning" }] },
      { at: HOUR, findings: [{ kind: "S14", object: "Job/import-1", since: 1, severity: "critical" }] },
    ],
  },
  {
    id: "A13",
    url: "https://github.com/istio/istio/issues/6324",
    symptom: "The work is done, and the proxy of a service mesh keeps the pod running.",
    twin: "The proxy is an init container with restartPolicy Always, which does not keep the pod.",
    tell(tape, healthy) {
      const work = job("import-1", 0, { status: { startTime: iso(0), active: 1, ready: 1 } });
      const proxy = { name: "proxy", image: "registry.example/proxy:v1" };
      const main = { name: "main", image: "registry.example/main:v1" };
      const runs = { running: { startedAt: iso(2) } };
      const done = { terminated: { exitCode: 0, reason: "Completed", finishedAt: iso(60) } };
      tape.add(0, work);
      if (healthy) {
        const [mainRuns, proxyRuns] = pair(runs, runs);
        const native = pod(work, 1, {
          spec: { initContainers: [{ ...proxy, restartPolicy: "Always" }], containers: [main] },
          status: { phase: "Running", initContainerStatuses: [proxyRuns], containerStatuses: [mainRuns] },
        });
        tape.add(1, native);
        tape.change(60, changed(native, { status: { containerStatuses: pair(done, runs).slice(0, 1) } }));
        const gone = { terminated: { exitCode: 0, reason: "Completed", finishedAt: iso(65) } };
        const [mainDone, proxyDone] = pair(done, gone);
        const over = { phase: "Succeeded", initContainerStatuses: [proxyDone], containerStatuses: [mainDone] };
        tape.change(65, changed(native, { status: over }));
        tape.change(66, changed(work, { status: complete(0, 66) }));
        return;
      }
      const kept = pod(work, 1, {
        spec: { containers: [main, proxy] },
        status: { phase: "Running", containerStatuses: pair(runs, runs) },
      });
      tape.add(1, kept);
      tape.change(60, changed(kept, { status: { containerStatuses: pair(done, runs) } }));
    },
    end: HOUR,
    restartAt: 30 * MINUTE,
    verdicts: [
      { at: 60 + 4 * MINUTE, findings: [] },
      { at: 60 + 6 * MINUTE, findings: [{ kind: "S16", object: "Job/import-1", since: 60, severity: "warning" }] },
      { at: HOUR, findings: [{ kind: "S16", object: "Job/import-1", since: 60, severity: "critical" }] },
    ],
  },
  {
    id: "A14",
    url: "https://github.com/kubernetes/kubernetes/issues/54870",
    symptom:
      "With restartPolicy OnFailure a container crashes and is restarted 60 times in five hours, and the Job does not fail.",
    twin: "Two restarts, then success.",
    tell(tape, healthy) {
      const work = job("import-1", 0);
      const crashing = pod(work, 1, { spec: { restartPolicy: "OnFailure" }, status: running(2) });
      tape.add(0, work);
      tape.add(1, crashing);
      for (let count = 1; count <= (healthy ? 2 : 60); count += 1) {
        tape.change(count * 5 * MINUTE, changed(crashing, { status: restarts(count, count * 5 * MINUTE) }));
      }
      if (!healthy) return;
      tape.change(15 * MINUTE, changed(crashing, { status: ended(15 * MINUTE) }));
      tape.change(15 * MINUTE + 1, changed(work, { status: complete(0, 15 * MINUTE) }));
    },
    end: 5 * HOUR,
    restartAt: 150 * MINUTE,
    verdicts: [
      { at: 26 * MINUTE, findings: [] },
      { at: 32 * MINUTE, findings: [{ kind: "S17", object: "Job/import-1", since: 1, severity: "warning" }] },
      { at: 5 * HOUR, findings: [{ kind: "S17", object: "Job/import-1", since: 1, severity: "critical" }] },
    ],
  },
  {
    id: "A45",
    url: "https://github.com/kubevirt/project-infra/issues/5070",
    symptom:
      "Pods of Jobs are Terminating for 7 to 50 days on a node that is Ready: a process in them cannot be killed.",
    twin: "A grace period of an hour, in which the pods end.",
    tell(tape, healthy) {
      tape.list(0, "batch/v1", "Job", lostJobs);
      tape.list(0, "v1", "Node", [node("worker-7", -DAY, condition("Ready", -DAY))]);
      tape.list(
        0,
        "v1",
        "Pod",
        lostJobs.map((of) => unkillable(of)),
      );
      tape.remove(61, ...lostJobs);
      const grace = healthy ? HOUR : 30;
      const late = lostJobs.map((of) => unkillable(of, iso(60 + grace)));
      tape.change(60, ...late);
      if (healthy) tape.remove(50 * MINUTE, ...late);
    },
    end: 7 * DAY,
    restartAt: 3 * DAY,
    verdicts: [
      { at: 5 * MINUTE, findings: [] },
      { at: 10 * MINUTE, findings: lateFindings("S20", "warning") },
      { at: 2 * HOUR, findings: lateFindings("S20", "critical") },
      { at: 7 * DAY, findings: lateFindings("S42", "critical") },
    ],
  },
  {
    id: "A47",
    url: "https://github.com/kubernetes/kubernetes/issues/72226",
    symptom: "A node is lost: its pod stays, and the Job starts no other.",
    twin: "The node is back after 90 s.",
    tell(tape, healthy) {
      const work = job("import-1", -HOUR, { status: { startTime: iso(-HOUR), active: 1, ready: 1 } });
      const runs = pod(work, -HOUR, { status: { ...running(-HOUR), conditions: [condition("Ready", -HOUR)] } });
      const notReady = { status: { conditions: [condition("Ready", 0, { status: "False" })] } };
      const unknown = condition("Ready", 0, { status: "Unknown", reason: "NodeStatusUnknown" });
      const worker = node("worker-1", -DAY, condition("Ready", -DAY));
      tape.list(-1, "batch/v1", "Job", [work]);
      tape.list(-1, "v1", "Node", [worker]);
      tape.list(-1, "v1", "Pod", [runs]);
      tape.change(0, changed(worker, { status: { conditions: [unknown] } }), changed(runs, notReady));
      if (healthy) {
        tape.change(90, changed(worker, { status: { conditions: [condition("Ready", 90)] } }));
        tape.change(91, changed(runs, { status: { conditions: [condition("Ready", 91)] } }));
        return;
      }
      const evicted = { deletionTimestamp: iso(330), deletionGracePeriodSeconds: 30 };
      tape.change(300, changed(runs, { ...notReady, metadata: evicted }));
    },
    end: HOUR,
    restartAt: 15 * MINUTE,
    verdicts: [
      { at: 10 * MINUTE, findings: [] },
      // Evicted after 5 min, with 30 s of grace.
      {
        at: 12 * MINUTE,
        findings: [{ kind: "S20", reason: "NodeLost", object: "Job/import-1", since: 330, severity: "warning" }],
      },
      {
        at: HOUR,
        findings: [{ kind: "S20", reason: "NodeLost", object: "Job/import-1", since: 330, severity: "critical" }],
      },
    ],
  },
  {
    id: "A51",
    url: "https://github.com/kubernetes/kubernetes/issues/27997",
    symptom: "One Job makes 84 000 pods.",
    twin: "As many pods, all of which its parallelism asks for.",
    retold: "100 pods, one a second, of a Job that may have no more than 1 + 6.",
    tell(tape, healthy) {
      const pods = 100;
      const work = job("import-1", 0, { spec: healthy ? { parallelism: pods, completions: pods } : {} });
      tape.add(0, work);
      for (let index = 0; index < pods; index += 1) {
        const status = healthy ? running(index + 2) : { phase: "Failed", reason: "OutOfcpu" };
        tape.add(index + 1, pod(work, index + 1, { status }, `p${String(index).padStart(4, "0")}`));
      }
      if (healthy) tape.change(pods + 2, changed(work, { status: { active: pods, ready: pods } }));
    },
    end: 20 * MINUTE,
    restartAt: 5 * MINUTE,
    verdicts: [
      // Ten times 1 + 6 is 70: the 71st pod is one too many.
      { at: 120, findings: [] },
      { at: 3 * MINUTE, findings: [{ kind: "R", object: "Job/import-1", since: 71, severity: "warning" }] },
      { at: 12 * MINUTE, findings: [{ kind: "R", object: "Job/import-1", since: 71, severity: "critical" }] },
    ],
  },
];

function lateFindings(kind: string, severity: "warning" | "critical"): readonly ExpectedFinding[] {
  return lostJobs.map(({ metadata: { name } }) => ({
    kind,
    object: `Pod/${name}-k7w2p`,
    owner: `Job/${name}`,
    since: 90,
    severity,
  }));
}
