// kube/: the API server over HTTP, for the rest of the runtime.
// Promises: typed errors, byte-exact framing, back-pressure, three separate sets of connections.
// Does not retry watches or keep state: that is cache/.
// Start with api.ts (what can be asked), then client.ts.
export type {
  CallOptions,
  DeleteOptions,
  Draft,
  ListerWatcher,
  ListOptions,
  ListPage,
  Live,
  LiveReader,
  OpaqueObject,
  Patch,
  PatchOptions,
  Scope,
  WatchEvent,
  WatchOptions,
  WriteOptions,
  Writer,
} from "./api.ts";
export type { Access } from "./access-review.ts";
export { type ClientOptions, KubeClient, type ServerVersion } from "./client.ts";
export type { DiscoveredResource } from "./discovery.ts";
export {
  ApiError,
  type ApiErrorOptions,
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isNotFound,
  isTooManyRequests,
  isTransient,
  isUnauthorized,
  isVersionTooLarge,
} from "./errors.ts";
export { JsonObjects } from "./json-objects.ts";
export { isRecord, type Json } from "./json-reader.ts";
export { type Cluster, loadCluster, type LoadClusterOptions } from "./load-cluster.ts";
export { kubeMetrics } from "./metrics.ts";
