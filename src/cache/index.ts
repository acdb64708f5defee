// cache/: a local copy of one kind, kept up for ever.
// Promises: the store is changed before handlers are told; its version never runs ahead of unprocessed events; nothing but the
// caller's signal ends it. Does not promise that every intermediate state is seen.
// Start with informer.ts, then reflector.ts -> delta-queue.ts -> processor.ts -> store.ts.
export type {
  Cause,
  HandlerRegistration,
  InformerEvent,
  InformerHandler,
  InformerState,
  InformerStatus,
  Lister,
  RelistRequest,
  VersionedStore,
} from "./api.ts";
export { Informer, type InformerOptions, type VersionListener } from "./informer.ts";
export { InformerSet, type InformerSetOptions } from "./informer-set.ts";
export { reasonOf } from "./failures.ts";
export { cacheMetrics, type FailureReason, listFailures } from "./metrics.ts";
