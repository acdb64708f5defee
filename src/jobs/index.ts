// jobs/: which Jobs (and what makes them, and what they hold) are stuck, since when, and why.
// Promises: one reason an object, by a fixed order; `since` from API timestamps, so a restart does not reset it; pure verdicts.
// Does not write to the cluster, and does not judge what waits by design.
// Start with one file of kinds/, then job-order.ts and verdict.ts; world.ts is what a kind may look at.
// live/ asks them on a cluster: judges.ts, then judging-controller.ts.
export { cronJobOrder } from "./cronjob-order.ts";
export { type DelayAnswer, Delays, OBSERVED_GENERATION } from "./delays/delays.ts";
export type { Stage } from "./decision-order.ts";
export type { AgeLimits, Finding } from "./finding.ts";
export { evidenceKinds, type Node, type Workload } from "./evidence-kinds.ts";
export { Findings } from "./findings.ts";
export { type FindingGroup, groupsOf } from "./grouping.ts";
export { jobOrder } from "./job-order.ts";
export { renderKindPage } from "./kind-page.ts";
export { leaseClassOf, NODE_LEASES } from "./lease-class.ts";
export { leaseOrder } from "./lease-order.ts";
export type { LimitRule, LimitRules } from "./limits.ts";
export { jobsIn, podsOfJobsIn } from "./live/cached-kinds.ts";
export { byLabelDependency, byNameDependency, byOwnerDependency, Dependencies } from "./live/dependencies.ts";
export { EvidenceReader } from "./live/evidence-reader.ts";
export { addedKinds, judgedKinds, judges, type JudgesOptions, kindsOfEvidence } from "./live/judges.ts";
export { OwnerKinds } from "./live/owner-kinds.ts";
export { whenServed } from "./live/when-served.ts";
export { jobsMetrics, stuckSince } from "./metrics.ts";
export { Schedule } from "./schedule.ts";
export { ObjectCounts } from "./object-counts.ts";
export { parentOrder } from "./parent-order.ts";
export { isBuiltIn, kindKey, MOST_FOUND_KINDS, type OwnerKind, ownerKindOf } from "./parents/job-owner.ts";
export { parentOfJob } from "./parents/parent-jobs.ts";
export { captfParents, genericParent } from "./parents/parent-presets.ts";
export type { ParentRules, Parents, ParentSchedule } from "./parents/parent-rules.ts";
export { type Parent, parentResource, waitOf } from "./parents/parent.ts";
export { podOrder } from "./pod-order.ts";
export { Snapshot } from "./snapshot.ts";
export type { KindPage } from "./stuck-kind.ts";
export { stuckKinds } from "./stuck-kinds.ts";
export { type Verdict, verdictOn } from "./verdict.ts";
export { workloadOrder } from "./workload-order.ts";
export type { World } from "./world.ts";
