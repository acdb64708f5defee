// election/: one leader among several processes, by a Lease.
// Promises: a holder that cannot renew in time knows it before anybody else may take over; interoperates with client-go.
// Does not stop the process and does not guard writes by itself: ask mayWrite() as each is sent.
// Start with leader-elector.ts (when), then lease-lock.ts (what is written).
export { LeadershipLostError } from "./errors.ts";
export { type Lead, LeaderElector, type LeaderElectorOptions } from "./leader-elector.ts";
export { electionMetrics } from "./metrics.ts";
