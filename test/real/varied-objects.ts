import type { ClusterAccess, Json, PodStep } from "./harness/index.ts";
import { background } from "./jobs.ts";

type Manifest = Record<string, unknown>;

const indexed = { completionMode: "Indexed", completions: 3, parallelism: 3 };
const onExitCode = {
  rules: [{ action: "FailJob", onExitCodes: { containerName: "main", operator: "In", values: [42] } }],
};

/** Jobs by name: their metadata and spec beside the usual template. The prefix says what the played kubelet does. */
const jobs: Record<string, { metadata?: Manifest; spec?: Manifest; template?: Manifest }> = {
  "idle-plain": {},
  "idle-suspended": { spec: { suspend: true } },
  "idle-not-suspended": { spec: { suspend: false } },
  "idle-parallelism-zero": { spec: { parallelism: 0 } },
  "idle-parallelism": { spec: { parallelism: 3 } },
  "idle-completions": { spec: { completions: 5, parallelism: 2 } },
  "idle-indexed": { spec: indexed },
  "idle-not-indexed": { spec: { completionMode: "NonIndexed", completions: 1 } },
  "idle-per-index": { spec: { ...indexed, backoffLimitPerIndex: 1, maxFailedIndexes: 2 } },
  "idle-per-index-zero": { spec: { ...indexed, backoffLimitPerIndex: 0, maxFailedIndexes: 0 } },
  "idle-no-retry": { spec: { backoffLimit: 0 } },
  "idle-retry-for-ever": { spec: { backoffLimit: 2_147_483_647 } },
  "idle-deadline": { spec: { activeDeadlineSeconds: 3600 } },
  "idle-deadline-beyond-32-bits": { spec: { activeDeadlineSeconds: 2 ** 40 } },
  "idle-ttl": { spec: { ttlSecondsAfterFinished: 86_400 } },
  "idle-ttl-zero": { spec: { ttlSecondsAfterFinished: 0 } },
  "idle-replace-when-failed": { spec: { podReplacementPolicy: "Failed" } },
  "idle-replace-at-once": { spec: { podReplacementPolicy: "TerminatingOrFailed" } },
  "idle-managed-elsewhere": { spec: { managedBy: "example.com/elsewhere" } },
  "idle-failure-policy": { spec: { podFailurePolicy: onExitCode } },
  "idle-success-policy": { spec: { ...indexed, successPolicy: { rules: [{ succeededCount: 1 }] } } },
  "idle-labels": {
    metadata: { labels: { "app.kubernetes.io/name": "export", empty: "", "example.com/a.b-c_d": "x.y-z_0" } },
  },
  "idle-annotations": {
    metadata: { annotations: { "example.com/note": 'größer · 緩存 · 🚢\n"quoted"\t', "example.com/empty": "" } },
  },
  "idle-long-annotation": { metadata: { annotations: { "example.com/blob": "0123456789".repeat(10_000) } } },
  "idle-finalizers": { metadata: { finalizers: ["example.com/one", "example.com/two"] } },
  "idle-template-labels": { template: { metadata: { labels: { tier: "batch" }, annotations: { note: "template" } } } },
  "idle-gated": { template: { spec: { schedulingGates: [{ name: "example.com/quota" }] } } },
  "idle-grace": { template: { spec: { terminationGracePeriodSeconds: 5, activeDeadlineSeconds: 77 } } },
  "idle-many-containers": { template: { spec: { containers: containers(8) } } },
  "idle-init-and-sidecar": {
    template: {
      spec: {
        initContainers: [
          { name: "prepare", image: "example.test/prepare" },
          { name: "proxy", image: "example.test/proxy", restartPolicy: "Always" },
        ],
      },
    },
  },
  "idle-restart-on-failure": { template: { spec: { restartPolicy: "OnFailure" } } },
  "idle-a-name-as-long-as-the-name-of-a-job-may-be-for-its-pods-ok": {},
  "running-one": {},
  "running-three": { spec: { parallelism: 3 } },
  "running-deleted": { metadata: { finalizers: ["example.com/keeps"] } },
  "waiting-image": {},
  "succeeded-one": {},
  "succeeded-three": { spec: { completions: 3, parallelism: 3 } },
  "succeeded-indexed": { spec: indexed },
  "failed-one": { spec: { backoffLimit: 0 } },
  "failed-indexed": { spec: { ...indexed, backoffLimitPerIndex: 0 } },
  "failed-by-deadline": { spec: { activeDeadlineSeconds: 1 } },
};

export const jobNames: readonly string[] = [...Object.keys(jobs), "idle-owned"];

/** What the kubelet reports for a pod of such a Job. */
export function planOf(pod: Json): readonly PodStep[] {
  const name = pod.metadata.labels?.["batch.kubernetes.io/job-name"] ?? "";
  if (name.startsWith("running-")) return ["running"];
  if (name.startsWith("waiting-")) return [{ waiting: "ImagePullBackOff", message: 'pull "example.test/main"' }];
  if (name.startsWith("succeeded-")) return ["running", "succeeded"];
  if (name.startsWith("failed-") && name !== "failed-by-deadline") return ["running", "failed"];
  return [];
}

/** Creates the Jobs, and other kinds with what is rare in them. */
export async function createVariedObjects(cluster: ClusterAccess, namespace: string): Promise<void> {
  const { raw } = cluster;
  const at = (group: string, plural: string): string => `/${group}/namespaces/${namespace}/${plural}`;
  for (const [name, job] of Object.entries(jobs)) await raw.post(at("apis/batch/v1", "jobs"), manifestOf(name, job));
  const owner = await raw.post(at("api/v1", "configmaps"), configMap);
  const ownerReferences = [
    { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid, controller: true },
  ];
  await raw.post(at("apis/batch/v1", "jobs"), manifestOf("idle-owned", { metadata: { ownerReferences } }));
  await raw.delete(`${at("apis/batch/v1", "jobs")}/running-deleted`, background);
  for (const cronJob of cronJobs) await raw.post(at("apis/batch/v1", "cronjobs"), cronJob);
  for (const lease of leases) await raw.post(at("apis/coordination.k8s.io/v1", "leases"), lease);
  for (const event of events(namespace)) await raw.post(at("api/v1", "events"), event);
  await raw.post(at("api/v1", "pods"), pod);
  await raw.patch(`${at("api/v1", "pods")}/${pod.metadata.name}/status`, { status: podStatus });
}

function containers(count: number): Manifest[] {
  const numbers = Array.from({ length: count - 1 }, (_, index) => ({
    name: `extra-${index}`,
    image: `example.test/extra:${index}`,
    env: [{ name: "NUMBER", value: String(index) }],
    resources: { requests: { cpu: "10m", memory: "1Mi" } },
  }));
  return [{ name: "main", image: "example.test/main" }, ...numbers];
}

function manifestOf(name: string, job: { metadata?: Manifest; spec?: Manifest; template?: Manifest }): Manifest {
  const template = {
    ...job.template,
    spec: { restartPolicy: "Never", containers: containers(1), ...(job.template?.["spec"] as Manifest | undefined) },
  };
  const spec = { ...job.spec, template };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name, ...job.metadata }, spec };
}

const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "owner" }, data: { a: "1", empty: "" } };

const jobTemplate = { spec: { template: { spec: { restartPolicy: "Never", containers: containers(1) } } } };

const cronJobs: Manifest[] = [
  { name: "plain", spec: {} },
  { name: "suspended", spec: { suspend: true, timeZone: "Asia/Bangkok" } },
  { name: "no-history", spec: { successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 } },
  { name: "strict", spec: { startingDeadlineSeconds: 120, concurrencyPolicy: "Forbid" } },
].map(({ name, spec }) => ({
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: { name },
  spec: { schedule: "0 3 * * 1", ...spec, jobTemplate },
}));

const leases: Manifest[] = [
  { name: "empty", spec: {} },
  { name: "held", spec: { holderIdentity: "a", leaseDurationSeconds: 15, leaseTransitions: 3 } },
  { name: "micro", spec: { acquireTime: "2026-01-02T03:04:05.678901Z", renewTime: "2026-01-02T03:04:05.000001Z" } },
  { name: "round", spec: { acquireTime: "2026-01-02T03:04:05.000000Z", renewTime: "2026-01-02T03:04:05.100000Z" } },
  { name: "released", spec: { holderIdentity: "", leaseDurationSeconds: 1, leaseTransitions: 0 } },
].map(({ name, spec }) => ({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name }, spec }));

function events(namespace: string): Manifest[] {
  const involvedObject = { apiVersion: "batch/v1", kind: "Job", namespace, name: "idle-plain", fieldPath: "spec" };
  const at = "2026-01-02T03:04:05Z";
  const old = { firstTimestamp: at, lastTimestamp: at, count: 3, source: { component: "kubelet", host: "node-1" } };
  const series = { count: 7, lastObservedTime: "2026-01-02T03:04:06.000007Z" };
  const now = {
    eventTime: "2026-01-02T03:04:05.123456Z",
    action: "Run",
    reportingComponent: "example.com/runner",
    reportingInstance: "runner-1",
    type: "Warning",
    reason: "Late",
    series,
  };
  return [
    { name: "old", ...old, type: "Normal", reason: "Pulled", message: "größer" },
    { name: "new", ...now },
    { name: "bare" },
  ].map(({ name, ...fields }) => ({
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace },
    involvedObject,
    ...fields,
  }));
}

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "rare" },
  spec: {
    restartPolicy: "Always",
    serviceAccountName: "someone",
    nodeName: "test-node",
    initContainers: [{ name: "prepare", image: "example.test/prepare" }],
    containers: containers(2),
  },
};

const ended = { reason: "OOMKilled", startedAt: "2026-01-02T03:04:05Z", finishedAt: "2026-01-02T03:04:06Z" };

const podStatus = {
  phase: "Failed",
  reason: "Evicted",
  message: "The node was low on resource: memory.",
  conditions: [{ type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI", message: "…" }],
  initContainerStatuses: [
    {
      name: "prepare",
      image: "example.test/prepare",
      imageID: "",
      ready: true,
      restartCount: 0,
      state: { terminated: { exitCode: 0, reason: "Completed" } },
    },
  ],
  containerStatuses: [
    {
      name: "main",
      image: "example.test/main",
      imageID: "",
      ready: false,
      restartCount: 12,
      state: { waiting: { reason: "CrashLoopBackOff" } },
      lastState: { terminated: { exitCode: 137, signal: 9, message: "killed", ...ended } },
    },
  ],
};
