import type { AlertRule, RuleGroup } from "../alert-rule.ts";

/**
 * The age of what is stuck, by owner: a CronJob's next run that succeeds ends the alert, and a new run's name does not start
 * another. Which age matters is the kind's own limit, exported beside it.
 */
function stuck(severity: "warning" | "critical", prose: Pick<AlertRule, "summary" | "description">): AlertRule {
  return {
    name: "StalewatchJobStuck",
    severity,
    expr: `(
  time()
  -
  min by (cluster, namespace, kind, reason, owner_kind, owner_name) (stalewatch_stuck_since_timestamp_seconds{resource="jobs"})
)
> on (cluster, kind) group_left ()
max by (cluster, kind) (stalewatch_stuck_limit_seconds{severity="${severity}"})`,
    for: "1m",
    keepFiringFor: "5m",
    ...prose,
  };
}

/** Which Jobs do not go on by themselves? Once a severity under one name, so that critical can silence warning. */
export const jobRules: RuleGroup = {
  name: "stalewatch.jobs",
  rules: [
    stuck("warning", {
      summary: "A Job of {{ $labels.owner_kind }} {{ $labels.namespace }}/{{ $labels.owner_name }} is stuck.",
      description:
        "A Job of {{ $labels.owner_kind }} {{ $labels.namespace }}/{{ $labels.owner_name }} has been stuck for {{ $value | humanizeDuration }}: {{ $labels.reason }} ({{ $labels.kind }}).",
    }),
    stuck("critical", {
      summary:
        "A Job of {{ $labels.owner_kind }} {{ $labels.namespace }}/{{ $labels.owner_name }} has been stuck for long.",
      description:
        "A Job of {{ $labels.owner_kind }} {{ $labels.namespace }}/{{ $labels.owner_name }} has been stuck for {{ $value | humanizeDuration }}: {{ $labels.reason }} ({{ $labels.kind }}). It does not go on by itself.",
    }),
  ],
};
