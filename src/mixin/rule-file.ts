import type { AlertRule } from "./alert-rule.ts";
import { CONTROLLERS_UID } from "./dashboard-uids.ts";
import { ruleGroups } from "./rule-groups.ts";

/** A rule file as Prometheus reads it (https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/). */
export interface RuleFile {
  readonly groups: readonly {
    readonly name: string;
    readonly rules: readonly PrometheusAlert[];
  }[];
}

interface PrometheusAlert {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly keep_firing_for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const RUNBOOKS = "https://github.com/stalewatch/stalewatch/blob/main/docs/runbooks";

/** Stands for the user's own Grafana, whose address nobody here knows. */
const GRAFANA = "https://grafana.example.com";

export function ruleFile(): RuleFile {
  return { groups: ruleGroups.map(({ name, rules }) => ({ name, rules: rules.map(prometheusAlert) })) };
}

/** The same groups as the Prometheus Operator takes them. */
export function prometheusRule(): object {
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: { name: "stalewatch", labels: { "app.kubernetes.io/name": "stalewatch" } },
    spec: ruleFile(),
  };
}

/** Where an alert's runbook can be read. */
export function runbookUrl(alert: string): string {
  return `${RUNBOOKS}/${alert}.md`;
}

function prometheusAlert(rule: AlertRule): PrometheusAlert {
  const controller = rule.description.includes("$labels.controller") ? "?var-controller={{ $labels.controller }}" : "";
  return {
    alert: rule.name,
    expr: rule.expr,
    ...(rule.for === undefined ? {} : { for: rule.for }),
    ...(rule.keepFiringFor === undefined ? {} : { keep_firing_for: rule.keepFiringFor }),
    labels: { severity: rule.severity },
    annotations: {
      summary: rule.summary,
      description: rule.description,
      runbook_url: runbookUrl(rule.name),
      dashboard_url: `${GRAFANA}/d/${CONTROLLERS_UID}${controller}`,
    },
  };
}
