import type { RuleGroup } from "../alert-rule.ts";

/** Can the other rules be believed? */
export const selfRules: RuleGroup = {
  name: "stalewatch.self",
  rules: [
    {
      name: "StalewatchAbsent",
      severity: "critical",
      expr: `absent(stalewatch_build_info)`,
      for: "10m",
      summary: "No stalewatch is scraped.",
      description:
        "Prometheus has seen no stalewatch for 10 minutes: it does not run, or is not scraped. Every other Stalewatch alert is blind until it is back.",
    },
    {
      name: "StalewatchSeriesDropped",
      severity: "warning",
      expr: `increase(stalewatch_series_dropped_total[15m]) > 0`,
      for: "15m",
      keepFiringFor: "15m",
      summary: "{{ $labels.family }} of {{ $labels.instance }} is incomplete.",
      description:
        "{{ $labels.instance }} has more series of {{ $labels.family }} than --max-series lets it export. What is left out raises no alert.",
    },
  ],
};
