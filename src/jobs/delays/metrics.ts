import type { Histogram, MetricDefinition } from "../../telemetry/index.ts";

/** No delay is known exactly: each is observed twice, and the truth lies between the two. */
const bound = ["min", "max"] as const;
type Bound = (typeof bound)[number];

const buckets = [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_800, 3_600];

export const observedGenerationDelaySeconds: MetricDefinition<"group" | "version" | "resource" | "bound"> = {
  name: "stalewatch_observed_generation_delay_seconds",
  type: "histogram",
  help: "From the change of an object's spec until its controller had put its generation into status.observedGeneration: at least (min) and at most (max).",
  labels: { group: "open", version: "open", resource: "open", bound },
  buckets,
  stability: "ALPHA",
};

export const jobStartDelaySeconds: MetricDefinition<"bound"> = {
  name: "stalewatch_job_start_delay_seconds",
  type: "histogram",
  help: "From the creation of a Job that was never suspended until the Job controller started it: at least (min) and at most (max).",
  labels: { bound },
  buckets,
  stability: "ALPHA",
};

export const jobCompletionDelaySeconds: MetricDefinition<"bound"> = {
  name: "stalewatch_job_completion_delay_seconds",
  type: "histogram",
  help: "From the end of a Job's last pod until the Job was Complete: at least (min) and at most (max).",
  labels: { bound },
  buckets,
  stability: "ALPHA",
};

export const cronJobScheduleDelaySeconds: MetricDefinition<"bound"> = {
  name: "stalewatch_cronjob_schedule_delay_seconds",
  type: "histogram",
  help: "From when a run of a CronJob was due until its Job was created: at least (min) and at most (max).",
  labels: { bound },
  buckets,
  stability: "ALPHA",
};

export const delayMetrics: readonly MetricDefinition[] = [
  observedGenerationDelaySeconds,
  jobStartDelaySeconds,
  jobCompletionDelaySeconds,
  cronJobScheduleDelaySeconds,
];

/** The two histograms of one delay, each there from the start. */
export type DelayHistograms = Readonly<Record<Bound, Histogram>>;

export function delayHistograms(histogramOf: (labels: { readonly bound: Bound }) => Histogram): DelayHistograms {
  return { min: histogramOf({ bound: "min" }), max: histogramOf({ bound: "max" }) };
}
