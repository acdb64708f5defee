import type { RuleGroup } from "../alert-rule.ts";

/** How late is a cache, of this process (target `self`) or of one that is watched? */
export const lagRules: RuleGroup = {
  name: "stalewatch.lag",
  rules: [
    {
      name: "StalewatchCacheLagging",
      severity: "warning",
      // The state weighs the lower bound against --lag-budget: it is late for certain, whatever is not known of it.
      expr: `stalewatch_cache_state{state="lagging"} == 1`,
      for: "5m",
      keepFiringFor: "5m",
      summary: "The {{ $labels.resource }} cache of target {{ $labels.target }} is late.",
      description:
        "The cache of {{ $labels.resource }} in target {{ $labels.target }} has been late by more than its budget for 5 minutes, as {{ $labels.instance }} sees it. It moves, but whatever reads it acts on old objects.",
    },
    {
      name: "StalewatchCacheStalled",
      severity: "critical",
      expr: `stalewatch_cache_state{state="stalled"} == 1`,
      for: "1m",
      keepFiringFor: "5m",
      summary: "The {{ $labels.resource }} cache of target {{ $labels.target }} has stalled.",
      description:
        "The cache of {{ $labels.resource }} in target {{ $labels.target }} stands still while others saw changes that it misses, as {{ $labels.instance }} sees it. It does not come on by itself: its watch is dead.",
    },
    {
      name: "StalewatchTargetDown",
      severity: "warning",
      expr: `stalewatch_target_up == 0`,
      for: "10m",
      keepFiringFor: "5m",
      summary: "The page of target {{ $labels.target }} cannot be read.",
      description:
        "{{ $labels.instance }} has not been able to read the metrics of target {{ $labels.target }} for 10 minutes. Nothing is known of its caches: no alert can come of them.",
    },
  ],
};
