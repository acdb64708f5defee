import { resources } from "../../../src/resources/index.ts";
import type { EmbeddedCluster } from "../../../src/testing/index.ts";
import { addJob, addPod } from "./rig.ts";

export const STARTED = "2026-01-01T00:00:00Z";

/** One thing that somebody puts into the cluster. */
type Step = (cluster: EmbeddedCluster) => void;

const pending = (reason: string): object => ({
  phase: "Pending",
  startTime: STARTED,
  containerStatuses: [{ name: "main", state: { waiting: { reason } } }],
});

/** Six stuck ones, and healthy ones beside them. Each makes objects of its own, so that none of their orders is another's history. */
export const steps: Readonly<Record<string, Step>> = {
  untouched: (cluster) => void addJob(cluster, "untouched"),
  healthy: (cluster) => {
    const { uid } = addJob(cluster, "healthy", { status: { startTime: STARTED, active: 1, ready: 1 } });
    addPod(cluster, "healthy", uid);
  },
  image: (cluster) => {
    const { uid } = addJob(cluster, "image", { status: { startTime: STARTED, active: 1, ready: 0 } });
    addPod(cluster, "image", uid, { status: pending("ImagePullBackOff") });
  },
  config: (cluster) => {
    const { uid } = addJob(cluster, "config", { status: { startTime: STARTED, active: 1, ready: 0 } });
    addPod(cluster, "config", uid, { status: pending("CreateContainerConfigError") });
  },
  deadline: (cluster) => {
    const spec = { activeDeadlineSeconds: 60 };
    const { uid } = addJob(cluster, "deadline", { spec, status: { startTime: STARTED, active: 1, ready: 1 } });
    addPod(cluster, "deadline", uid);
  },
  done: (cluster) => {
    const conditions = [{ type: "Complete", status: "True", lastTransitionTime: STARTED }];
    addJob(cluster, "done", { status: { startTime: STARTED, completionTime: STARTED, conditions } });
  },
  cronJob: (cluster) => {
    const spec = { schedule: "*/5 * * * *", jobTemplate: { spec: {} } };
    cluster.objects.create(resources.cronJobs, { metadata: { name: "never" }, spec });
  },
  lock: (cluster) => {
    const metadata = { name: "lock", labels: { "captf.io/lease": "run" } };
    const spec = { holderIdentity: "nobody", acquireTime: STARTED };
    cluster.objects.create(resources.leases, { metadata, spec });
  },
};
