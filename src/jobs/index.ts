// jobs/: which Jobs are stuck, since when, and why.
// Promises: one reason a Job, by a fixed order; `since` from API timestamps, so a restart does not reset it; pure verdicts.
// Does not write to the cluster, and does not judge what waits by design.
// Start with one file of kinds/, then decision-order.ts and verdict.ts.
export { decisionOrder, type Stage, stuckKinds } from "./decision-order.ts";
export type { AgeLimits, Finding, FindingObject, FindingState, Severity } from "./finding.ts";
export { Findings } from "./findings.ts";
export { jobsController, type JobsControllerOptions } from "./jobs-controller.ts";
export { jobsMetrics, stuckSince } from "./metrics.ts";
export type { JobEvidence, StuckKind } from "./stuck-kind.ts";
export { type LimitOverrides, type Verdict, verdictOn } from "./verdict.ts";
