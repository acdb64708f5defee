// election/: one leader among several processes, by a Lease.
// Promises: a holder that cannot renew in time knows it before anybody else may take over; interoperates with client-go.
// Does not stop the process and does not guard writes by itself: ask mayWrite() before each.
// Start with leader-elector.ts.
export { LeaderElector, type LeaderElectorOptions, LeadershipLostError } from "./leader-elector.ts";
export { electionMetrics } from "./metrics.ts";
