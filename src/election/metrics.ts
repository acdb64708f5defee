import type { MetricDefinition } from "../telemetry/index.ts";

/** Upstream's names and meaning (k8s.io/client-go tools/leaderelection). */
export const MASTER_STATUS: MetricDefinition<"name"> = {
  name: "leader_election_master_status",
  type: "gauge",
  help: "1 while this process leads under the lock of this name, 0 while it does not.",
  labels: { name: "open" },
  stability: "ALPHA",
};

export const SLOWPATH_TOTAL: MetricDefinition<"name"> = {
  name: "leader_election_slowpath_total",
  type: "counter",
  help: "Renewals for which the holder had to read the lease again before it could write it.",
  labels: { name: "open" },
  stability: "ALPHA",
};

export const electionMetrics: readonly MetricDefinition[] = [MASTER_STATUS, SLOWPATH_TOTAL];
