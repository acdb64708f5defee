import type { MetricDefinition } from "../telemetry/index.ts";
import { delayMetrics } from "./delays/metrics.ts";
import { stuckKinds } from "./stuck-kinds.ts";

const kinds = stuckKinds.map(({ id }) => id);
const reasons = [...new Set(stuckKinds.flatMap((kind) => kind.reasons))];

export const stuckSince: MetricDefinition<
  "kind" | "reason" | "severity" | "namespace" | "owner_kind" | "owner_name" | "resource" | "name" | "cause"
> = {
  name: "stalewatch_stuck_since_timestamp_seconds",
  type: "gauge",
  help: "Since when an object has been stuck, as Unix time; there is a series only while it is stuck. What several share as a cause is named alike.",
  labels: {
    kind: kinds,
    reason: reasons,
    severity: ["info", "warning", "critical"],
    namespace: "open",
    owner_kind: "open",
    owner_name: "open",
    resource: "open",
    name: "open",
    cause: "open",
  },
  stability: "BETA",
  perObject: true,
};

export const stuckObjects: MetricDefinition<"kind" | "reason" | "namespace"> = {
  name: "stalewatch_stuck_objects",
  type: "gauge",
  help: "How many objects are stuck, by kind and reason.",
  labels: { kind: kinds, reason: reasons, namespace: "open" },
  stability: "BETA",
};

export const silencedObjects: MetricDefinition<"kind" | "namespace"> = {
  name: "stalewatch_stuck_silenced_objects",
  type: "gauge",
  help: "How many objects are stuck and silenced by an annotation; they are in no other family of stuck objects.",
  labels: { kind: kinds, namespace: "open" },
  stability: "BETA",
};

export const stuckLimit: MetricDefinition<"kind" | "severity"> = {
  name: "stalewatch_stuck_limit_seconds",
  type: "gauge",
  help: "From which age an object that shows a stuck kind is reported with this severity, unless its own history, its namespace or its labels say otherwise.",
  labels: { kind: kinds, severity: ["warning", "critical"] },
  stability: "BETA",
};

export const evidenceReads: MetricDefinition<"group" | "resource" | "outcome"> = {
  name: "stalewatch_evidence_reads_total",
  type: "counter",
  help: "Lists of what is needed to judge an object that looks stuck and no cache holds.",
  labels: { group: "open", resource: "open", outcome: ["ok", "forbidden", "not_served", "failed"] },
  stability: "BETA",
};

export const jobsMetrics: readonly MetricDefinition[] = [
  stuckSince,
  stuckObjects,
  silencedObjects,
  stuckLimit,
  evidenceReads,
  ...delayMetrics,
];
