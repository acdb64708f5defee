import type { AlertRule, RuleGroup } from "../alert-rule.ts";

type Urgency = "warning" | "critical";
type Prose = Pick<AlertRule, "summary" | "description">;

/** From so many owners on, one cause is one alert, and theirs are left out. */
const SHARED_BY = 5;

/** What is at least so urgent. The exporter weighs ages, so that history, namespace and labels of each object have their say. */
const AS_URGENT: Readonly<Record<Urgency, string>> = {
  warning: 'severity=~"warning|critical"',
  critical: 'severity="critical"',
};

/** How many owners each cause holds up, where it is enough of them. */
function sharedCauses(urgency: Urgency): string {
  return `count by (cluster, cause) (
  count by (cluster, cause, namespace, owner_kind, owner_name) (stalewatch_stuck_since_timestamp_seconds{cause!="", ${AS_URGENT[urgency]}})
) >= ${SHARED_BY}`;
}

/** The age of what is stuck, by owner: a CronJob's next run that succeeds ends the alert, and a new run's name does not start another. */
function stuck(name: AlertRule["name"], resources: string, severity: Urgency, prose: Prose): AlertRule {
  return {
    name,
    severity,
    expr: `(
  time()
  -
  min by (cluster, namespace, kind, reason, owner_kind, owner_name, cause) (stalewatch_stuck_since_timestamp_seconds{${resources}, ${AS_URGENT[severity]}})
)
unless on (cluster, cause)
(${sharedCauses(severity)})`,
    for: "1m",
    keepFiringFor: "5m",
    ...prose,
  };
}

function shared(severity: Urgency, prose: Prose): AlertRule {
  return {
    name: "StalewatchSharedCause",
    severity,
    expr: sharedCauses(severity),
    for: "1m",
    keepFiringFor: "5m",
    ...prose,
  };
}

const JOBS = 'resource=~"jobs|pods"';
const OTHERS = 'resource!~"jobs|pods"';

/** What does not go on by itself? Once a severity under one name, so that critical can silence warning. */
export const jobRules: RuleGroup = {
  name: "stalewatch.jobs",
  rules: [
    stuck("StalewatchJobStuck", JOBS, "warning", {
      summary: "A Job of {{ $labels.owner_kind }} {{ $labels.namespace }}/{{ $labels.owner_name }} is stuck.",
      description:
        "A Job of {{ $labels.owner_kind }} {{ $labels.namespace }}/{{ $labels.owner_name }} has been stuck for {{ $value | humanizeDuration }}: {{ $labels.reason }} ({{ $labels.kind }}).",
    }),
    stuck("StalewatchJobStuck", JOBS, "critical", {
      summary:
        "A Job of {{ $labels.owner_kind }} {{ $labels.namespace }}/{{ $labels.owner_name }} has been stuck for long.",
      description:
        "A Job of {{ $labels.owner_kind }} {{ $labels.namespace }}/{{ $labels.owner_name }} has been stuck for {{ $value | humanizeDuration }}: {{ $labels.reason }} ({{ $labels.kind }}). It does not go on by itself.",
    }),
    stuck("StalewatchJobOwnerStuck", OTHERS, "warning", {
      summary: "{{ $labels.owner_kind }} {{ $labels.namespace }}/{{ $labels.owner_name }} makes no progress.",
      description:
        "{{ $labels.owner_kind }} {{ $labels.namespace }}/{{ $labels.owner_name }} has made no progress for {{ $value | humanizeDuration }}: {{ $labels.reason }} ({{ $labels.kind }}).",
    }),
    stuck("StalewatchJobOwnerStuck", OTHERS, "critical", {
      summary:
        "{{ $labels.owner_kind }} {{ $labels.namespace }}/{{ $labels.owner_name }} has made no progress for long.",
      description:
        "{{ $labels.owner_kind }} {{ $labels.namespace }}/{{ $labels.owner_name }} has made no progress for {{ $value | humanizeDuration }}: {{ $labels.reason }} ({{ $labels.kind }}). It does not go on by itself.",
    }),
    shared("warning", {
      summary: "Many are held up by {{ $labels.cause }}.",
      description:
        "{{ $value }} owners of Jobs are held up by one cause, {{ $labels.cause }}; each alone is not alerted while this lasts.",
    }),
    shared("critical", {
      summary: "Many have been held up for long by {{ $labels.cause }}.",
      description:
        "{{ $value }} owners of Jobs have been held up for long by one cause, {{ $labels.cause }}; each alone is not alerted while this lasts.",
    }),
  ],
};
