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
      name: "StalewatchDown",
      severity: "warning",
      // A target that was scraped as stalewatch within a day; one that was taken away on purpose has no `up` any more.
      expr: `up == 0
and on (cluster, job, instance)
max_over_time(stalewatch_build_info[1d]) > 0`,
      for: "5m",
      keepFiringFor: "5m",
      summary: "{{ $labels.instance }} does not answer scrapes.",
      description:
        "The stalewatch at {{ $labels.instance }} has not answered a scrape for 5 minutes, but is still listed as a target. What it alone watches is not watched.",
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
