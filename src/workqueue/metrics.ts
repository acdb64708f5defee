import type { MetricDefinition } from "../telemetry/index.ts";

/** controller-runtime's: powers of ten from 10 ns to 1000 s (component-base stops at 10 s, shorter than many a backlog). */
const buckets: readonly number[] = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1_000];
const queueLabels = { name: "open", controller: "open" } as const;
type QueueLabel = "name" | "controller";

// Names, types and labels are upstream's:
// https://github.com/kubernetes-sigs/controller-runtime/blob/main/pkg/internal/metrics/workqueue.go
export const workqueueDepth: MetricDefinition<QueueLabel | "priority"> = {
  name: "workqueue_depth",
  type: "gauge",
  help: "Keys that need work now, also those that need it again while they are worked on; not those that wait for their time.",
  labels: { ...queueLabels, priority: "open" },
  stability: "BETA",
};

export const workqueueAdds: MetricDefinition<QueueLabel> = {
  name: "workqueue_adds_total",
  type: "counter",
  help: "Times that a key came to need work.",
  labels: queueLabels,
  stability: "BETA",
};

export const workqueueQueueDuration: MetricDefinition<QueueLabel> = {
  name: "workqueue_queue_duration_seconds",
  type: "histogram",
  help: "From when a key came to need work until a worker had it.",
  labels: queueLabels,
  buckets,
  stability: "BETA",
};

export const workqueueWorkDuration: MetricDefinition<QueueLabel> = {
  name: "workqueue_work_duration_seconds",
  type: "histogram",
  help: "How long a worker had a key.",
  labels: queueLabels,
  buckets,
  stability: "BETA",
};

export const workqueueUnfinishedWork: MetricDefinition<QueueLabel> = {
  name: "workqueue_unfinished_work_seconds",
  type: "gauge",
  help: "How long the keys that workers have now have been with them, summed. Grows without end when a worker is stuck.",
  labels: queueLabels,
  stability: "BETA",
};

export const workqueueLongestRunning: MetricDefinition<QueueLabel> = {
  name: "workqueue_longest_running_processor_seconds",
  type: "gauge",
  help: "How long the worker that has had its key longest has had it.",
  labels: queueLabels,
  stability: "BETA",
};

export const workqueueRetries: MetricDefinition<QueueLabel> = {
  name: "workqueue_retries_total",
  type: "counter",
  help: "Keys put back to be worked on later: retries and planned requeues.",
  labels: queueLabels,
  stability: "BETA",
};

export const workqueueMetrics: readonly MetricDefinition[] = [
  workqueueDepth,
  workqueueAdds,
  workqueueQueueDuration,
  workqueueWorkDuration,
  workqueueUnfinishedWork,
  workqueueLongestRunning,
  workqueueRetries,
];
