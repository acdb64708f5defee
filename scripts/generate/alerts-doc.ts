import { ruleGroups } from "../../src/mixin/index.ts";

const INTRODUCTION = `# Alerts and dashboards

Generated from \`src/mixin\`: \`npm run generate\`.

## Load them

- Prometheus: name \`alerts/stalewatch.rules.yaml\` in \`rule_files\`. It needs Prometheus 2.42 or newer (\`keep_firing_for\`).
- Prometheus Operator: \`kubectl -n monitoring apply -f alerts/stalewatch.prometheusrule.yaml\`, with the labels that your
  \`ruleSelector\` wants. \`kubectl -n monitoring get prometheus -o yaml | grep -A5 ruleSelector\` shows them; a rule whose labels do not
  match is ignored without a word.
- Grafana: import \`dashboards/stalewatch-controllers.json\`, or put it into a ConfigMap labelled \`grafana_dashboard: "1"\`.
- Scrape with \`honorLabels: true\` (\`honor_labels\` in a plain configuration): the label \`namespace\` of a stuck Job is the Job's.
- \`dashboard_url\` points to \`grafana.example.com\`: put your own address in its place.

The rules carry no selector for a scrape job: those on \`workqueue_*\` and \`controller_runtime_*\` also watch controllers built on
controller-runtime. A \`cluster\` label is kept where there is one. *critical* and *warning* of one alert share its name, so that an
Alertmanager in which critical silences warning of the same \`alertname\` and \`namespace\` tells it once.
`;

/** docs/alerts.md, from the rules. */
export function alertsDoc(): string {
  const groups = ruleGroups.map(({ name, rules }) => {
    const rows = rules.map((rule) => {
      const link = `[${rule.name}](runbooks/${rule.name}.md)`;
      return `| ${link} | ${rule.severity} | ${rule.for ?? "at once"} | ${plain(rule.summary)} |`;
    });
    return `## ${name}\n\n| alert | severity | fires after | says |\n|---|---|---|---|\n${rows.join("\n")}\n`;
  });
  return [INTRODUCTION, ...groups].join("\n");
}

/** `{{ $labels.controller }}` as `CONTROLLER`. */
function plain(template: string): string {
  return template.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_all, label: string) => label.toUpperCase());
}
