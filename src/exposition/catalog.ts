import type { MetricDefinition } from "../telemetry/index.ts";
import { expositionMetrics } from "./metrics.ts";

/** Every family of the project, each declared by the folder that records it. */
export const catalog: readonly MetricDefinition[] = [...expositionMetrics];
