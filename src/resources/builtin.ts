import { type CronJob, cronJobShape } from "./cronjob.ts";
import { type Event, eventShape } from "./event.ts";
import { type Job, jobShape } from "./job.ts";
import { type Lease, leaseShape } from "./lease.ts";
import type { KubeObject, ObjectMeta } from "./meta.ts";
import { type Pod, podShape } from "./pod.ts";
import { objectMetaShape } from "./meta-shape.ts";
import type { Resource } from "./resource.ts";
import { map, message, type Shape, shape } from "./shape.ts";

export interface ConfigMap {
  metadata: ObjectMeta;
  data?: Record<string, string>;
}

const configMapShape: Shape<ConfigMap> = shape<ConfigMap>({ metadata: message(1, objectMetaShape), data: map(2) });

function builtin<T extends KubeObject>(group: string, kind: string, resource: string, kept: Shape<T>): Resource<T> {
  return { group, version: "v1", kind, resource, namespaced: true, shape: kept, protobuf: true };
}

/** The built-in kinds that the runtime knows how to project. */
export const resources: {
  readonly jobs: Resource<Job>;
  readonly cronJobs: Resource<CronJob>;
  readonly pods: Resource<Pod>;
  readonly leases: Resource<Lease>;
  readonly events: Resource<Event>;
  readonly configMaps: Resource<ConfigMap>;
} = {
  jobs: builtin("batch", "Job", "jobs", jobShape),
  cronJobs: builtin("batch", "CronJob", "cronjobs", cronJobShape),
  pods: builtin("", "Pod", "pods", podShape),
  leases: builtin("coordination.k8s.io", "Lease", "leases", leaseShape),
  events: builtin("", "Event", "events", eventShape),
  configMaps: builtin("", "ConfigMap", "configmaps", configMapShape),
};
