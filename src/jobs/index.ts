// jobs/: which Jobs are stuck, since when, and why.
// Promises: one reason a Job, by a fixed order; `since` from API timestamps, so a restart does not reset it; pure verdicts.
// Does not write to the cluster, and does not judge what waits by design.
// Start with one file of kinds/, then decision-order.ts and verdict.ts.
export { decisionOrder, stuckKinds } from "./decision-order.ts";
export type { AgeLimits, Finding } from "./finding.ts";
export { Findings } from "./findings.ts";
export { jobsController } from "./jobs-controller.ts";
export { jobsMetrics, stuckSince } from "./metrics.ts";
export type { StuckKind } from "./stuck-kind.ts";
export { type LimitOverrides, verdictOn } from "./verdict.ts";
