// lag/: how stale a cache is, in seconds, between bounds that are true each time.
// Promises: the true lag (docs/lag.md says what that is) lies between the bounds; where there is no upper bound it says so.
// Does not extrapolate: an answer is as of the moment at which the cache was seen.
// Start with lag-bounds.ts (the rule), then cache-lag.ts (the state of one cache over time).
export { type LagBounds, lagBounds, type Sighting } from "./lag-bounds.ts";
export { CacheLag, type LagAnswer } from "./cache-lag.ts";
export { Heartbeat, HEARTBEAT_NAME, HEARTBEAT_VERBS } from "./heartbeat.ts";
export { jobHeartbeat, leaseHeartbeat } from "./heartbeat-kinds.ts";
export { ruleFor } from "./heartbeat-state.ts";
export { LAG_BUDGET_MS, STALLED_AFTER_MS } from "./lag-state.ts";
export { lagMetrics } from "./metrics.ts";
export { OwnCaches } from "./own-caches.ts";
export { readPage } from "./read-page.ts";
export type { Target, TargetScope } from "./target.ts";
export { readTarget } from "./target-reading.ts";
export { type TargetCacheAnswer, UNFILTERED } from "./target-caches.ts";
export { targetMetrics } from "./target-metrics.ts";
export { type TargetStatus } from "./target-watch.ts";
export { Targets } from "./targets.ts";
export { unwrapVersion } from "./unwrap.ts";
