import { catalog } from "../../src/exposition/index.ts";
import type { MetricDefinition } from "../../src/telemetry/index.ts";

const INTRODUCTION = `# Metrics

Generated from the catalog: \`npm run generate\`. Served at \`/metrics\` in the Prometheus text format or OpenMetrics, as the scraper asks;
durations carry exemplars (\`trace_id\`, \`span_id\`) in OpenMetrics. Every family is there from the start; counters whose labels are all
closed sets start at 0. Stability is in front of each help text: ALPHA may change in any release, BETA keeps its name, STABLE keeps name
and labels.

Labels in *italics* are open: the cluster decides their values. A value outside a closed set is counted as \`other\` and logged once.
\`namespace\` is that of the object, so scrape with \`honorLabels: true\`; otherwise Prometheus renames it to \`exported_namespace\`.
A family marked *per object* has one series an object, at most \`--max-series\` (5000); what is left out is counted in
\`stalewatch_series_dropped_total\`.

Beside these, the process is described by the Prometheus client's own families: \`process_*\` (CPU, memory, file descriptors) and
\`nodejs_*\` (event loop delay, heap, garbage collection).

| metric | type | labels | meaning |
|---|---|---|---|
`;

/** docs/metrics.md, from the catalog. */
export function metricsDoc(): string {
  const rows = catalog.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(row);
  return `${INTRODUCTION}${rows.join("\n")}\n`;
}

function row(definition: MetricDefinition): string {
  const labels = Object.entries(definition.labels).map(([name, values]) =>
    values === "open" ? `*${name}*` : `${name} (${values.join(", ")})`,
  );
  const type = definition.perObject ? `${definition.type}, per object` : definition.type;
  const meaning = `${definition.stability}. ${definition.help}`;
  return `| \`${definition.name}\` | ${type} | ${cell(labels.join("; "))} | ${cell(meaning)} |`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
}
