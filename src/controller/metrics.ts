import type { MetricDefinition } from "../telemetry/index.ts";
import type { TriggerKind } from "../workqueue/index.ts";

const controllerLabel = { controller: "open" } as const;
const cacheLabels = { ...controllerLabel, group: "open", resource: "open" } as const;

/** How a pass ended for controller-runtime's counter. */
export type ReconcileResult = "success" | "error" | "requeue" | "requeue_after";

export const staleSyncSkips: MetricDefinition<"controller" | "group" | "resource"> = {
  name: "stale_sync_skips_total",
  type: "counter",
  help: "Passes skipped because this cache did not show the controller's own last writes yet.",
  labels: cacheLabels,
  stability: "BETA",
};

export const staleSyncWait: MetricDefinition<"controller" | "group" | "resource"> = {
  name: "stale_sync_wait_seconds",
  type: "histogram",
  help: "From the first skip of a key until the cache had caught up with what was written.",
  labels: cacheLabels,
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
  stability: "BETA",
};

export const consistentReads: MetricDefinition<"controller" | "group" | "resource" | "reason"> = {
  name: "stalewatch_consistent_reads_total",
  type: "counter",
  help: "Reads that ask the server for the version that a cache must reach, after a write whose answer was lost or before the first pass of a new leader.",
  labels: { ...cacheLabels, reason: ["lost_answer", "new_leader"] },
  stability: "ALPHA",
};

// Names, types, labels and buckets are upstream's:
// https://pkg.go.dev/sigs.k8s.io/controller-runtime/pkg/internal/controller/metrics
export const reconcileTotal: MetricDefinition<"controller" | "result"> = {
  name: "controller_runtime_reconcile_total",
  type: "counter",
  help: "Passes by result; a skipped pass is requeue_after.",
  labels: { ...controllerLabel, result: ["success", "error", "requeue", "requeue_after"] },
  stability: "BETA",
};

export const reconcileErrors: MetricDefinition<"controller"> = {
  name: "controller_runtime_reconcile_errors_total",
  type: "counter",
  help: "Passes that failed.",
  labels: controllerLabel,
  stability: "BETA",
};

export const terminalErrors: MetricDefinition<"controller"> = {
  name: "controller_runtime_terminal_reconcile_errors_total",
  type: "counter",
  help: "Passes that failed with an error that is not retried.",
  labels: controllerLabel,
  stability: "BETA",
};

export const reconcilePanics: MetricDefinition<"controller"> = {
  name: "controller_runtime_reconcile_panics_total",
  type: "counter",
  help: "Passes that failed through a bug: a TypeError, RangeError, ReferenceError or SyntaxError, or something thrown that is no Error.",
  labels: controllerLabel,
  stability: "BETA",
};

export const reconcileTimeouts: MetricDefinition<"controller"> = {
  name: "controller_runtime_reconcile_timeouts_total",
  type: "counter",
  help: "Passes that took longer than the controller's reconcileTimeout.",
  labels: controllerLabel,
  stability: "BETA",
};

export const reconcileTime: MetricDefinition<"controller"> = {
  name: "controller_runtime_reconcile_time_seconds",
  type: "histogram",
  help: "How long passes took.",
  labels: controllerLabel,
  buckets: [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75,
    2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
  ],
  stability: "BETA",
};

export const activeWorkers: MetricDefinition<"controller"> = {
  name: "controller_runtime_active_workers",
  type: "gauge",
  help: "Workers that have a key now.",
  labels: controllerLabel,
  stability: "BETA",
};

export const maxConcurrentReconciles: MetricDefinition<"controller"> = {
  name: "controller_runtime_max_concurrent_reconciles",
  type: "gauge",
  help: "Workers that the controller has.",
  labels: controllerLabel,
  stability: "BETA",
};

export const triggerKinds: readonly TriggerKind[] = [
  "add",
  "update",
  "delete",
  "relist",
  "resync",
  "requeue",
  "retry",
  "caught_up",
  "manual",
];

export const reconcileTriggers: MetricDefinition<"controller" | "trigger"> = {
  name: "stalewatch_reconcile_triggers_total",
  type: "counter",
  help: "Why passes ran; a pass with merged triggers counts once for each kind.",
  labels: { ...controllerLabel, trigger: triggerKinds },
  stability: "BETA",
};

export const rescues: MetricDefinition<"controller" | "trigger"> = {
  name: "stalewatch_rescues_total",
  type: "counter",
  help: "Resyncs and fired waits whose pass changed something after reading a change that was in the cache already and whose trigger was lost.",
  labels: { ...controllerLabel, trigger: ["resync", "requeue"] },
  stability: "BETA",
};

/**
 * How a pass ended, deduced from what it did: it wrote something, it wrote nothing new, it was not run because a cache trailed
 * the controller's own writes, it failed and is retried, or it failed for good.
 */
export type PassOutcome = "changed" | "noop" | "skipped" | "error" | "terminal";

export const passOutcomes: readonly PassOutcome[] = ["changed", "noop", "skipped", "error", "terminal"];

export const passesTotal: MetricDefinition<"controller" | "outcome"> = {
  name: "stalewatch_passes_total",
  type: "counter",
  help: "Passes by what they did, deduced from their writes.",
  labels: { ...controllerLabel, outcome: passOutcomes },
  stability: "ALPHA",
};

export const sweepsTotal: MetricDefinition<"controller" | "result"> = {
  name: "stalewatch_sweeps_total",
  type: "counter",
  help: "Sweeps of a controller for what no pass finds, by how they ended.",
  labels: { ...controllerLabel, result: ["success", "error"] },
  stability: "ALPHA",
};

/** What became of an event that was recorded. */
export type EventResult = "created" | "merged" | "rate_limited" | "dropped" | "failed";

export const eventsTotal: MetricDefinition<"controller" | "result"> = {
  name: "stalewatch_events_total",
  type: "counter",
  help: "Kubernetes Events told by a controller, by what became of them.",
  labels: { ...controllerLabel, result: ["created", "merged", "rate_limited", "dropped", "failed"] },
  stability: "ALPHA",
};

export const controllerMetrics: readonly MetricDefinition[] = [
  staleSyncSkips,
  staleSyncWait,
  consistentReads,
  reconcileTotal,
  reconcileErrors,
  terminalErrors,
  reconcilePanics,
  reconcileTimeouts,
  reconcileTime,
  activeWorkers,
  maxConcurrentReconciles,
  reconcileTriggers,
  rescues,
  passesTotal,
  sweepsTotal,
  eventsTotal,
];
