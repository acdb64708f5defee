import type { ObjectDraft } from "../../src/testing/index.ts";

/** What differs between the pods of two Jobs. */
export interface PodState {
  readonly spec?: object;
  readonly finalizers?: readonly string[];
  readonly status: { readonly containerStatuses?: readonly object[]; readonly [field: string]: unknown };
}

const NODES = 500;

/** A pod as the Job controller, a scheduler and a kubelet leave it. About 3 kB of JSON. */
export function podOf(job: string, index: number, uid: string, { spec, finalizers, status }: PodState): ObjectDraft {
  const labels = {
    "app.kubernetes.io/name": "export",
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": job,
    "controller-uid": uid,
    "job-name": job,
  };
  return {
    metadata: {
      name: `${job}-${index}`,
      namespace: "bench",
      labels,
      ownerReferences: [
        { apiVersion: "batch/v1", kind: "Job", name: job, uid, controller: true, blockOwnerDeletion: true },
      ],
      ...(finalizers ? { finalizers } : {}),
    },
    spec: { ...podSpec(job), ...spec },
    status: { hostIP: "10.0.3.7", podIP: "10.1.2.3", qosClass: "Burstable", ...status },
  };
}

function podSpec(job: string): object {
  const mounts = ["config", "scratch", "kube-api-access-x7k2p"].map((name) => ({ name, mountPath: `/mnt/${name}` }));
  const container = {
    name: "main",
    image: "registry.example/export:1.2.3",
    command: ["/bin/export", "--all", "--into", `/mnt/scratch/${job}`],
    env: ["REGION", "BUCKET", "LOG_LEVEL", "RETRIES"].map((name) => ({ name, value: `${name} of ${job}` })),
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
    volumeMounts: mounts,
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    imagePullPolicy: "IfNotPresent",
  };
  return {
    volumes: [
      { name: "config", configMap: { name: `${job}-config`, defaultMode: 420 } },
      { name: "scratch", emptyDir: {} },
    ],
    containers: [container],
    restartPolicy: "Never",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    serviceAccountName: "export",
    nodeName: `node-${hashOf(job) % NODES}`,
    schedulerName: "default-scheduler",
    tolerations: ["not-ready", "unreachable"].map((key) => ({
      key: `node.kubernetes.io/${key}`,
      operator: "Exists",
      effect: "NoExecute",
      tolerationSeconds: 300,
    })),
    priority: 0,
    preemptionPolicy: "PreemptLowerPriority",
  };
}

function hashOf(text: string): number {
  let hash = 0;
  for (const letter of text) hash = (hash * 31 + letter.charCodeAt(0)) >>> 0;
  return hash;
}
