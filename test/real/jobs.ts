import type { ClusterAccess, Json, PodStep } from "./harness/index.ts";

/** The name that the Job controller wrote on a pod. */
function jobOf(pod: Json): string {
  return pod.metadata.labels?.["batch.kubernetes.io/job-name"] ?? "";
}

/** A Job with one short-lived container; no retries, so that one failed pod ends it. */
export function createJob(cluster: ClusterAccess, namespace: string, name: string, spec: object = {}): Promise<Json> {
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "example.test/main" }] } };
  return cluster.raw.post(`/apis/batch/v1/namespaces/${namespace}/jobs`, {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name },
    spec: { backoffLimit: 0, ...spec, template },
  });
}

/** A Job's pods go with it. Nothing said means that they stay: the API server's default for batch/v1 is to orphan them. */
export const background: { propagationPolicy: string } = { propagationPolicy: "Background" };

/** `job-0`, `job-1`, ... */
export function jobNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `job-${index}`);
}

/** Of every three Jobs one succeeds, one fails and one runs for ever. */
export function thirds(pod: Json): readonly PodStep[] {
  const last: PodStep[][] = [["succeeded"], ["failed"], []];
  return ["running", ...(last[Number(jobOf(pod).slice("job-".length)) % 3] ?? [])];
}

export function endOf(job: Json): string | undefined {
  const conditions = (job["status"].conditions ?? []) as { type: string; status: string }[];
  return conditions.find(({ type, status }) => status === "True" && (type === "Complete" || type === "Failed"))?.type;
}

/** So many at a time. */
export async function forEach<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<unknown>,
  { atOnce = 20 }: { atOnce?: number } = {},
): Promise<void> {
  const queue = [...items].values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** namespace/name -> resourceVersion: two places with the same map hold the same objects in the same states. */
export type Versions = Record<string, string>;

export function versionsOf(items: readonly { readonly metadata: Partial<Json["metadata"]> }[]): Versions {
  const entries = items.map(({ metadata }) => [
    `${metadata.namespace}/${metadata.name}`,
    metadata.resourceVersion ?? "",
  ]);
  return Object.fromEntries(entries) as Versions;
}

/** By a consistent read. */
export async function serverVersions(cluster: ClusterAccess, collection: string): Promise<Versions> {
  return versionsOf((await cluster.raw.get(collection)).items ?? []);
}
