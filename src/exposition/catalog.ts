import { cacheMetrics } from "../cache/index.ts";
import { consistencyMetrics } from "../consistency/index.ts";
import { controllerMetrics } from "../controller/index.ts";
import { electionMetrics } from "../election/index.ts";
import { headMetrics } from "../head/index.ts";
import { jobsMetrics } from "../jobs/index.ts";
import { kubeMetrics } from "../kube/index.ts";
import { lagMetrics, targetMetrics } from "../lag/index.ts";
import { requeueMetrics } from "../requeue/index.ts";
import type { MetricDefinition } from "../telemetry/index.ts";
import { workqueueMetrics } from "../workqueue/index.ts";
import { expositionMetrics } from "./metrics.ts";

/** Every family of the project, each declared by the folder that records it. */
export const catalog: readonly MetricDefinition[] = [
  ...expositionMetrics,
  ...kubeMetrics,
  ...headMetrics,
  ...cacheMetrics,
  ...workqueueMetrics,
  ...requeueMetrics,
  ...consistencyMetrics,
  ...electionMetrics,
  ...controllerMetrics,
  ...lagMetrics,
  ...targetMetrics,
  ...jobsMetrics,
];
