import type { RuleGroup } from "../alert-rule.ts";

/** Do passes and their calls to the API server succeed? */
export const passRules: RuleGroup = {
  name: "stalewatch.passes",
  rules: [
    {
      name: "StalewatchReconcileErrors",
      severity: "warning",
      expr: `(
  sum without (outcome) (rate(stalewatch_passes_total{outcome=~"error|terminal"}[15m]))
  /
  sum without (outcome) (rate(stalewatch_passes_total[15m]))
  > 0.1
)
and
sum without (outcome) (increase(stalewatch_passes_total{outcome=~"error|terminal"}[15m])) > 5`,
      for: "15m",
      keepFiringFor: "5m",
      summary: "Passes of controller {{ $labels.controller }} fail.",
      description:
        "{{ $value | humanizePercentage }} of the passes of controller {{ $labels.controller }} ({{ $labels.instance }}) fail. Failed keys are tried again ever later, so their objects fall behind.",
    },
    {
      name: "StalewatchReconcilePanics",
      severity: "warning",
      expr: `increase(controller_runtime_reconcile_panics_total[15m]) > 0`,
      keepFiringFor: "15m",
      summary: "A pass of controller {{ $labels.controller }} failed through a bug.",
      description:
        "{{ $value | humanize }} passes of controller {{ $labels.controller }} ({{ $labels.instance }}) failed in 15 minutes through a bug: a panic, or in JavaScript a TypeError and its like. The log has the stack.",
    },
    {
      name: "StalewatchAPIRequestsFailing",
      severity: "warning",
      expr: `(
  sum without (code, method) (rate(rest_client_requests_total{code=~"5..|429|<error>"}[15m]))
  /
  sum without (code, method) (rate(rest_client_requests_total[15m]))
  > 0.1
)
and on (cluster, job, instance)
stalewatch_build_info`,
      for: "15m",
      keepFiringFor: "5m",
      summary: "The API server refuses or drops requests of {{ $labels.instance }}.",
      description:
        "{{ $value | humanizePercentage }} of the requests of {{ $labels.instance }} to {{ $labels.host }} end in 429, a 5xx or no answer at all.",
    },
  ],
};
