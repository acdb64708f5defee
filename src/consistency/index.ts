// consistency/: a controller does not take a cache that trails for the truth.
// Promises: an owner whose last writes a cache does not show yet is not ready (ConsistencyStore), nor one whose pods have not come or
// gone (Expectations); what stands for a running Job is cleared only once the API server has none (LagGuard).
// Does not wait, count skips or retry: the controller does.
// Start with consistency-store.ts; lag-guard.ts, then live-evidence.ts and clearance.ts; expectations.ts.
export type { Clearance } from "./clearance.ts";
export { confirmRunLease, type ConfirmedRunLease, type ConfirmRunLeaseOptions } from "./confirm-run-lease.ts";
export { ConsistencyError, type UnreadyCache } from "./consistency-error.ts";
export { ConsistencyStore, type ConsistencyStoreOptions } from "./consistency-store.ts";
export { Expectations, type ExpectationsOptions } from "./expectations.ts";
export type { LagConventions } from "./lag-conventions.ts";
export { LagGuard, type LagGuardOptions, type LagPass, type LagVerdict } from "./lag-guard.ts";
export { consistencyMetrics, type LagCheck } from "./metrics.ts";
export { type ControllerCache, resolveController } from "./resolve-controller.ts";
