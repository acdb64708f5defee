import type { RuleGroup } from "../alert-rule.ts";

/** Is work taken up, and in fair order? For every controller whose queue has the label `controller`, ours or controller-runtime's. */
export const queueRules: RuleGroup = {
  name: "stalewatch.queues",
  rules: [
    {
      name: "StalewatchQueueNotDraining",
      severity: "critical",
      expr: `sum without (priority) (workqueue_depth{controller!=""}) > 0
unless
rate(workqueue_work_duration_seconds_count{controller!=""}[10m]) > 0`,
      for: "10m",
      summary: "Controller {{ $labels.controller }} has work and finishes none of it.",
      description:
        "{{ $value | humanize }} keys wait in the queue of controller {{ $labels.controller }} ({{ $labels.instance }}), and no worker has finished one in 10 minutes: all of them hang, or none was started.",
    },
    {
      name: "StalewatchQueueWaitLong",
      severity: "warning",
      // Prometheus 3 writes the bound as 100.0.
      expr: `1 - (
  rate(workqueue_queue_duration_seconds_bucket{controller!="", le=~"100|100.0"}[15m])
  / ignoring (le)
  rate(workqueue_queue_duration_seconds_count{controller!=""}[15m])
) > 0.1`,
      for: "15m",
      keepFiringFor: "5m",
      summary: "Keys wait minutes for a worker of controller {{ $labels.controller }}.",
      description:
        "{{ $value | humanizePercentage }} of the keys of controller {{ $labels.controller }} ({{ $labels.instance }}) wait longer than 100 s before a worker takes them. Every change is acted on that much later.",
    },
    {
      name: "StalewatchLowPriorityStarved",
      severity: "warning",
      expr: `(
  min_over_time(workqueue_depth{controller!="", priority=~"-.+"}[30m]) > 0
  and
  delta(workqueue_depth{controller!="", priority=~"-.+"}[30m]) >= 0
)
and on (cluster, job, instance, name, controller)
rate(workqueue_work_duration_seconds_count{controller!=""}[30m]) > 0`,
      for: "10m",
      keepFiringFor: "5m",
      summary: "Low-priority work of controller {{ $labels.controller }} does not get its turn.",
      description:
        "For half an hour at least {{ $value | humanize }} keys of priority {{ $labels.priority }} have been waiting in controller {{ $labels.controller }} ({{ $labels.instance }}) and they do not get fewer, while other keys are worked on. Objects known only from the first list or a resync are not looked at.",
    },
    {
      name: "StalewatchRequeuesLate",
      severity: "warning",
      expr: `histogram_quantile(0.9, rate(requeue_lateness_seconds_bucket[15m])) > 30`,
      for: "15m",
      keepFiringFor: "5m",
      summary: "Requeues of {{ $labels.interval }} in controller {{ $labels.controller }} run late.",
      description:
        "One in ten passes that controller {{ $labels.controller }} ({{ $labels.instance }}) asked for after {{ $labels.interval }} begins {{ $value | humanizeDuration }} or more after its time.",
    },
  ],
};
