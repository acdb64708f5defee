// testing/: a Kubernetes API server inside the process, for tests of controllers (`stalewatch/testing`).
// Promises: what a client sees is what kube-apiserver 1.37 would send (test/contract holds both to it), every run of the same
// program gives the same result, and time passes only when the test says so.
// Does not promise: full validation of what is written, every field in protobuf, server-side apply.
// Start with embedded-cluster.ts; a request goes api/request-handler.ts -> storage/ -> wire/.
export type { Denial } from "./api/access.ts";
export type { ClusterObjects, ObjectChange, ObjectDraft, TypedKindRef } from "./cluster-objects.ts";
export { type ClusterOptions, type Commit, EmbeddedCluster } from "./embedded-cluster.ts";
export type { Failure, FaultControl } from "./faults/fault-control.ts";
export type { RequestFault, RequestMatch } from "./faults/request-faults.ts";
export type { StateOptions } from "./server-parts.ts";
export { FATE_ANNOTATION, type PodFate } from "./simulation/pod-fate.ts";
export { simulateJobs, type SimulationOptions } from "./simulation/simulate-jobs.ts";
export { StatusError } from "./status-error.ts";
export type { KindRef, Registration } from "./storage/kind-registry.ts";
export type { DeleteWish } from "./storage/object-deleter.ts";
export { VirtualClock, type VirtualClockOptions } from "./virtual-clock.ts";
export type { Replica } from "./watching/replica.ts";
