import * as fc from "fast-check";
import type { Node, Workload } from "../../../src/jobs/index.ts";
import type { Condition, ContainerStatus, Event, Job, ObjectMeta, Pod } from "../../../src/resources/index.ts";
import { meta } from "../objects.ts";
import { nodeNamed, podOf, type Scene, time, workloadOf } from "./scene.ts";

/** Names and texts as nobody should write them. */
const hostile: fc.Arbitrary<string> = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom(
    "x\u001b[2J",
    "a'b\"c",
    "$(reboot)",
    "--all",
    "",
    "__proto__",
    "constructor",
    "\u2028",
    "exceeded quota: q",
  ),
);

/** Times before and after the one at which is judged, and some that are none. */
const when: fc.Arbitrary<string> = fc.oneof(
  { weight: 20, arbitrary: fc.integer({ min: -90_000, max: 200_000 }).map(time) },
  { weight: 1, arbitrary: fc.constantFrom("", "yesterday", "2026-13-45T00:00:00Z", "2026-01-02 (\u001b[2J)") },
);

/** Each field is there or not. */
function some<T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<Partial<T>> {
  return fc.record(model, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>;
}

function conditions(...types: string[]): fc.Arbitrary<Condition[]> {
  const one = fc.record({
    type: fc.constantFrom(...types),
    status: fc.constantFrom("True", "False", "Unknown"),
    lastTransitionTime: when,
    reason: fc.oneof(fc.constantFrom("Unschedulable", "SchedulingGated"), hostile),
    message: hostile,
  });
  return fc.array(one, { maxLength: 3 });
}

const metadata: fc.Arbitrary<Partial<ObjectMeta>> = some({
  name: hostile,
  deletionTimestamp: when,
  creationTimestamp: when,
  labels: fc.constantFrom({}, { "kueue.x-k8s.io/queue-name": "nightly" }) as fc.Arbitrary<Record<string, string>>,
  finalizers: fc.subarray(["batch.kubernetes.io/job-tracking", "foregroundDeletion", "orphan", "evil\u001b[1m"]),
}) as fc.Arbitrary<Partial<ObjectMeta>>;

const count = fc.integer({ min: 0, max: 9 });

const job: fc.Arbitrary<Job> = fc
  .record({
    metadata,
    spec: some<Required<Job["spec"]>>({
      parallelism: count,
      completions: count,
      activeDeadlineSeconds: fc.integer({ min: 1, max: 9_000 }),
      backoffLimit: fc.constantFrom(0, 6, 2_147_483_647),
      backoffLimitPerIndex: count,
      maxFailedIndexes: count,
      ttlSecondsAfterFinished: fc.integer({ min: 0, max: 9_000 }),
      completionMode: fc.constantFrom("Indexed", "NonIndexed"),
      suspend: fc.boolean(),
      podReplacementPolicy: fc.constantFrom("Failed", "TerminatingOrFailed"),
      managedBy: fc.constantFrom("kubernetes.io/job-controller", "kueue.x-k8s.io/multikueue", "nobody\u001b[2J"),
      podFailurePolicy: fc.constant({}),
    }),
    status: some<Required<Job["status"]>>({
      conditions: conditions("Complete", "Failed", "FailureTarget", "SuccessCriteriaMet", "Suspended"),
      startTime: when,
      completionTime: when,
      active: count,
      succeeded: count,
      failed: count,
      terminating: count,
      ready: count,
      completedIndexes: hostile,
      failedIndexes: hostile,
      uncountedTerminatedPods: some<{ succeeded: string[]; failed: string[] }>({
        succeeded: fc.array(fc.constantFrom("uid-of-p0", "uid-of-p1", "uid\u001b"), { maxLength: 3 }),
        failed: fc.array(hostile, { maxLength: 2 }),
      }),
    }),
  })
  .map(({ metadata: more, spec, status }) => ({ metadata: { ...meta("export-1"), ...more }, spec, status }));

const containerState = some<Required<NonNullable<ContainerStatus["state"]>>>({
  waiting: fc.record({
    reason: fc.oneof(
      fc.constantFrom(
        "ErrImagePull",
        "CrashLoopBackOff",
        "ContainerCreating",
        "PodInitializing",
        "CreateContainerError",
      ),
      hostile,
    ),
    message: hostile,
  }),
  running: fc.record({ startedAt: when }),
  terminated: fc.record({ exitCode: fc.constantFrom(0, 1, 137), finishedAt: when, reason: hostile }),
});

const containers: fc.Arbitrary<ContainerStatus[]> = fc.array(
  fc.record({
    name: fc.oneof(fc.constantFrom("main", "proxy"), hostile),
    state: containerState,
    lastState: containerState,
    restartCount: fc.integer({ min: 0, max: 40 }),
  }) as fc.Arbitrary<ContainerStatus>,
  { maxLength: 3 },
);

const pod = fc.record({
  metadata,
  nodeName: fc.constantFrom("worker-1", "worker-2", ""),
  restartPolicy: fc.constantFrom("Never", "OnFailure"),
  sidecars: fc.boolean(),
  status: some<Required<Pod["status"]>>({
    phase: fc.constantFrom("Pending", "Running", "Succeeded", "Failed", "Unknown"),
    conditions: conditions("PodScheduled", "Ready", "DisruptionTarget"),
    message: hostile,
    reason: fc.constantFrom("NodeLost", "Evicted"),
    startTime: when,
    initContainerStatuses: containers,
    containerStatuses: containers,
  }),
});

function podNumber(
  index: number,
  { metadata: more, nodeName, restartPolicy, sidecars, status }: typeof pod extends fc.Arbitrary<infer P> ? P : never,
): Pod {
  const initContainers = [{ name: "proxy", ...(sidecars ? { restartPolicy: "Always" } : {}) }];
  return podOf({
    metadata: { ...more, uid: `uid-of-p${index}`, name: `${more.name ?? "p"}-${index}` },
    spec: { containers: [{ name: "main" }], initContainers, restartPolicy, nodeName },
    status,
  });
}

const event: fc.Arbitrary<Omit<Event, "metadata"> & { about: string }> = fc.record(
  {
    about: fc.constantFrom("export-1", "p0", "p1"),
    reason: fc.constantFrom(
      "FailedCreate",
      "SuccessfulCreate",
      "FailedMount",
      "FailedAttachVolume",
      "TriggeredScaleUp",
    ),
    message: fc.oneof(
      hostile,
      hostile.map((name) => `Error creating: exceeded quota: ${name}, used`),
      hostile.map((name) => `failed calling webhook "${name}"`),
      hostile.map((name) => `error looking up service account shop/${name}: not found`),
    ),
    firstTimestamp: when,
    lastTimestamp: when,
    eventTime: when,
    count,
  },
  { requiredKeys: ["about", "reason"] },
) as fc.Arbitrary<Omit<Event, "metadata"> & { about: string }>;

const workload: fc.Arbitrary<Workload> = fc
  .record({ status: conditions("QuotaReserved", "Admitted", "Finished", "Evicted"), metadata })
  .map(({ status, metadata: more }) => {
    const { labels: _, name: __, ...rest } = more;
    return workloadOf({ conditions: status }, rest);
  });

const nodes: fc.Arbitrary<Node[]> = fc
  .subarray(["True", "False", "Unknown"], { maxLength: 1 })
  .map((ready) => ready.map((status) => nodeNamed("worker-1", status)));

/** A Job with whatever may be around it, the probable and the absurd. */
export const randomScene: fc.Arbitrary<Scene> = fc
  .record({
    job,
    pods: fc.array(pod, { maxLength: 4 }),
    events: fc.option(fc.array(event, { maxLength: 5 }), { nil: undefined }),
    nodes: fc.option(nodes, { nil: undefined }),
    workloads: fc.option(fc.array(workload, { maxLength: 1 }), { nil: undefined }),
  })
  .map(({ job: one, pods, events, nodes: known, workloads }) => ({
    job: one,
    pods: pods.map((each, index) => podNumber(index, each)),
    ...(events
      ? {
          events: events.map(({ about, ...rest }, index) => ({
            ...rest,
            metadata: meta(`event-${index}`),
            involvedObject: { uid: `uid-of-${about}` },
          })),
        }
      : {}),
    ...(known ? { nodes: known } : {}),
    ...(workloads ? { workloads } : {}),
  }));
