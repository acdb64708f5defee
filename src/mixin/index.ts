// mixin/: what operators load into their own Prometheus and Grafana, as data.
// Promises: every alert says what it means and where its runbook is; every query names metrics of the catalog (tests hold it
// against the catalog, promtool and a real Prometheus).
// Does not read metrics. The files in alerts/ and dashboards/ are generated: npm run generate.
// Start with rules/caches.ts for alerts, dashboards/controllers.ts for panels. Dashboards are not exported here: they need a builder
// that only development installs, so only scripts/ and tests import them.
export { prometheusRule, ruleFile, runbookUrl } from "./rule-file.ts";
export { ruleGroups } from "./rule-groups.ts";
