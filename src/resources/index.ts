// resources/: what a kind is, and what is kept of its objects.
// Promises: pure data and pure functions; one declaration (a Shape) serves JSON, protobuf and the type checker.
// Does not talk to a server and does not know which kinds a cluster serves.
// Start with job.ts for a kind, shape.ts for how kinds are declared.
export { type ConfigMap, resources } from "./builtin.ts";
export type { CronJob, CronJobSpec, CronJobStatus, ObjectReference } from "./cronjob.ts";
export type { Event, EventSeries } from "./event.ts";
export { isFinishedJob, isFinishedPod } from "./finished.ts";
export { type Job, JOB_NAME_LABEL, type JobSpec, type JobStatus } from "./job.ts";
export { fields } from "./fields.ts";
export { HEARTBEAT_MARK, isHeartbeat } from "./heartbeat.ts";
export type { Lease, LeaseSpec } from "./lease.ts";
export { objectMetaShape } from "./meta-shape.ts";
export {
  type Condition,
  controllerOf,
  type DeepReadonly,
  keyOf,
  type KubeObject,
  type ObjectMeta,
  type ObjectRef,
  type OwnerReference,
  refOf,
  type Time,
} from "./meta.ts";
export type { ContainerState, ContainerStatus, Pod, PodContainer, PodSpec, PodStatus } from "./pod.ts";
export { type HolderEvidence, type RunLeaseRules, runLeaseState, type RunLeaseState } from "./run-lease.ts";
export {
  apiVersionOf,
  groupVersionOf,
  defineResource,
  metadataOf,
  type Resource,
  resourceName,
  type ResourceOptions,
} from "./resource.ts";
export { type FieldRequirement, type LabelMatcher, parseFieldSelector, parseLabelSelector } from "./selectors.ts";
export { compareVersions, isComparableVersion, type VersionOrder, versionToMetric } from "./versions.ts";
export { type Field, type FieldSpec, int, message, messages, shape, type Shape, string } from "./shape.ts";
