import { expect, test } from "vitest";
import { type Job, resources } from "../../src/resources/index.ts";
import { EmbeddedCluster, FATE_ANNOTATION, simulateJobs } from "../../src/testing/index.ts";

const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox:1" }] } };

interface JobOptions {
  fate?: string;
  spec?: object;
}

function addJob(cluster: EmbeddedCluster, name: string, { fate, spec }: JobOptions = {}): void {
  const annotations = fate === undefined ? {} : { [FATE_ANNOTATION]: fate };
  cluster.objects.create(resources.jobs, { metadata: { name, annotations }, spec: { template, ...spec } });
}

function job(cluster: EmbeddedCluster, name: string): Job {
  const found = cluster.objects.get(resources.jobs, name);
  if (!found) throw new Error(`no Job ${name}`);
  return found;
}

const conditionsOf = ({ status }: Job): string[] =>
  (status.conditions ?? []).map(({ type, status: value, reason }) => `${type}=${value} ${reason}`);
const reasonsOf = (cluster: EmbeddedCluster, name: string): string[] =>
  cluster.objects
    .list(resources.events)
    .filter((event) => event.involvedObject?.name === name)
    .map((event) => event.reason ?? "");

test("a Job's pods run, succeed, and are counted before it is Complete", async () => {
  await using cluster = await EmbeddedCluster.start();
  simulateJobs(cluster);
  addJob(cluster, "a", { fate: "succeeds 3s", spec: { parallelism: 2, completions: 3 } });
  await cluster.settle({ advance: 2_000 });
  expect(job(cluster, "a").status).toMatchObject({ active: 2, ready: 2, startTime: "2026-01-01T00:00:00Z" });
  await cluster.settle({ advance: 60_000 });
  const done = job(cluster, "a");
  expect(conditionsOf(done)).toEqual([
    "SuccessCriteriaMet=True CompletionsReached",
    "Complete=True CompletionsReached",
  ]);
  expect(done.status).toMatchObject({ succeeded: 3, terminating: 0, ready: 0, uncountedTerminatedPods: {} });
  expect(done.status.active).toBeUndefined();
  expect(done.status.completionTime).toBeDefined();
  expect(cluster.objects.list(resources.pods).map(({ metadata }) => metadata.finalizers)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(reasonsOf(cluster, "a").sort()).toEqual([
    "Completed",
    "SuccessfulCreate",
    "SuccessfulCreate",
    "SuccessfulCreate",
  ]);
});

test("a Job whose pods fail waits longer each time and ends Failed", async () => {
  await using cluster = await EmbeddedCluster.start();
  simulateJobs(cluster);
  addJob(cluster, "a", { fate: "fails 1s", spec: { backoffLimit: 2 } });
  await cluster.settle({ advance: 15_000 });
  expect(job(cluster, "a").status.failed).toBe(2);
  await cluster.settle({ advance: 9_000 });
  expect(conditionsOf(job(cluster, "a"))).toEqual([]);
  await cluster.settle({ advance: 60_000 });
  expect(conditionsOf(job(cluster, "a"))).toEqual([
    "FailureTarget=True BackoffLimitExceeded",
    "Failed=True BackoffLimitExceeded",
  ]);
  expect(job(cluster, "a").status.failed).toBe(3);
});

test("a deadline stops the pods before the Job is Failed", async () => {
  await using cluster = await EmbeddedCluster.start();
  simulateJobs(cluster);
  addJob(cluster, "a", { fate: "runs-on", spec: { activeDeadlineSeconds: 30 } });
  await cluster.settle({ advance: 29_000 });
  expect(job(cluster, "a").status.active).toBe(1);
  await cluster.settle({ advance: 1_000 });
  expect(conditionsOf(job(cluster, "a"))).toEqual(["FailureTarget=True DeadlineExceeded"]);
  await cluster.settle({ advance: 5_000 });
  expect(conditionsOf(job(cluster, "a"))).toEqual([
    "FailureTarget=True DeadlineExceeded",
    "Failed=True DeadlineExceeded",
  ]);
});

test.each([
  ["image-pull-fails", "ImagePullBackOff"],
  ["unschedulable", "Unschedulable"],
])("%s: the pod stays Pending and says %s", async (fate, reason) => {
  await using cluster = await EmbeddedCluster.start();
  simulateJobs(cluster);
  addJob(cluster, "a", { fate });
  await cluster.settle({ advance: 15_000 });
  const [pod] = cluster.objects.list(resources.pods);
  expect(pod?.status.phase).toBe("Pending");
  expect(JSON.stringify(pod?.status)).toContain(reason);
  expect(job(cluster, "a").status.active).toBe(1);
});

test("a pod starts at the next try once its image is there", async () => {
  await using cluster = await EmbeddedCluster.start();
  simulateJobs(cluster);
  addJob(cluster, "a", { fate: "image-pull-fails" });
  await cluster.settle({ advance: 5_000 });
  cluster.objects.patch(resources.jobs, "a", { metadata: { annotations: { [FATE_ANNOTATION]: "runs-on" } } });
  await cluster.settle({ advance: 5_000 });
  expect(cluster.objects.list(resources.pods)[0]?.status.phase).toBe("Pending");
  await cluster.settle({ advance: 2_000 });
  expect(cluster.objects.list(resources.pods)[0]?.status.phase).toBe("Running");
});

test("over quota: no pod, and a FailedCreate event whose count grows", async () => {
  await using cluster = await EmbeddedCluster.start();
  simulateJobs(cluster);
  addJob(cluster, "a", { fate: "over-quota" });
  await cluster.settle({ advance: 200_000 });
  expect(cluster.objects.list(resources.pods)).toEqual([]);
  const event = cluster.objects.list(resources.events).find(({ reason }) => reason === "FailedCreate");
  expect(event?.count).toBeGreaterThan(2);
});

test("suspending stops the pods, resuming starts the clock again", async () => {
  await using cluster = await EmbeddedCluster.start();
  simulateJobs(cluster);
  addJob(cluster, "a", { fate: "runs-on" });
  await cluster.settle({ advance: 5_000 });
  cluster.objects.patch(resources.jobs, "a", { spec: { suspend: true } });
  await cluster.settle({ advance: 5_000 });
  expect(cluster.objects.list(resources.pods)).toEqual([]);
  expect(conditionsOf(job(cluster, "a"))).toEqual(["Suspended=True JobSuspended"]);
  expect(job(cluster, "a").status.startTime).toBeUndefined();
  cluster.objects.patch(resources.jobs, "a", { spec: { suspend: false } });
  await cluster.settle({ advance: 5_000 });
  expect(conditionsOf(job(cluster, "a"))).toEqual(["Suspended=False JobResumed"]);
  expect(job(cluster, "a").status).toMatchObject({ active: 1, startTime: "2026-01-01T00:00:10Z" });
});

test("a deleted Job takes its pods with it, tracking finalizers and all", async () => {
  await using cluster = await EmbeddedCluster.start();
  simulateJobs(cluster);
  addJob(cluster, "a", { fate: "runs-on", spec: { parallelism: 3 } });
  await cluster.settle({ advance: 5_000 });
  expect(cluster.objects.list(resources.pods)).toHaveLength(3);
  cluster.objects.delete(resources.jobs, "a");
  await cluster.settle({ advance: 5_000 });
  expect(cluster.objects.list(resources.pods)).toEqual([]);
});

test.each([
  ["suspended", { suspend: true }],
  ["managed by somebody else", { managedBy: "kueue.x-k8s.io/multikueue" }],
])("a Job that is %s gets no pods", async (_, spec) => {
  await using cluster = await EmbeddedCluster.start();
  simulateJobs(cluster);
  addJob(cluster, "a", { spec });
  await cluster.settle({ advance: 5_000 });
  expect(cluster.objects.list(resources.pods)).toEqual([]);
});
