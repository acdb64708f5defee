import type { RuleGroup } from "../alert-rule.ts";

/** Is a cache behind, and does it come on? */
export const cacheRules: RuleGroup = {
  name: "stalewatch.caches",
  rules: [
    {
      name: "StalewatchStaleSkips",
      severity: "warning",
      // A skip now and then is the mechanism at work; a fifth of all passes for a quarter of an hour is a cache that trails for good.
      expr: `(
  sum without (outcome) (rate(stalewatch_passes_total{outcome="skipped"}[15m]))
  /
  sum without (outcome) (rate(stalewatch_passes_total[15m]))
  > 0.2
)
and
sum without (outcome) (increase(stalewatch_passes_total{outcome="skipped"}[15m])) > 10`,
      for: "15m",
      keepFiringFor: "5m",
      summary: "Controller {{ $labels.controller }} waits for its own writes in many passes.",
      description:
        "{{ $value | humanizePercentage }} of the passes of controller {{ $labels.controller }} ({{ $labels.instance }}) are skipped because a cache does not show the controller's own last writes yet. The work gets done, but late.",
    },
    {
      name: "StalewatchCacheNotCatchingUp",
      severity: "critical",
      expr: `increase(stale_sync_skips_total[10m]) > 10
unless
increase(stale_sync_wait_seconds_count[10m]) > 0`,
      for: "5m",
      summary: "The {{ $labels.resource }} cache of controller {{ $labels.controller }} does not catch up.",
      description:
        "Controller {{ $labels.controller }} ({{ $labels.instance }}) has skipped {{ $value | humanize }} passes in 10 minutes for want of its own writes in the cache of {{ $labels.resource }}, and not one of these waits has ended. Those objects are not reconciled at all.",
    },
    {
      name: "StalewatchStoreWaitLong",
      severity: "warning",
      expr: `histogram_quantile(0.9, rate(stale_sync_wait_seconds_bucket[15m])) > 30`,
      for: "15m",
      keepFiringFor: "5m",
      summary: "The {{ $labels.resource }} cache of controller {{ $labels.controller }} is tens of seconds behind.",
      description:
        "One in ten skipped passes of controller {{ $labels.controller }} ({{ $labels.instance }}) waits {{ $value | humanizeDuration }} or longer until the cache of {{ $labels.resource }} shows what the controller wrote.",
    },
    {
      name: "StalewatchCacheNotMoving",
      severity: "warning",
      // Bookmarks carry a version about once a minute even where nothing happens, and leases alone make versions grow.
      expr: `changes(store_resource_version[15m]) == 0
and
store_resource_version offset 15m > 0`,
      for: "5m",
      keepFiringFor: "5m",
      summary: "The {{ $labels.resource }} cache of {{ $labels.instance }} stands still.",
      description:
        "The cache of {{ $labels.resource }} in {{ $labels.instance }} has been at the same resource version for a quarter of an hour. An idle watch moves about once a minute; this one is probably dead, and whatever reads the cache acts on old objects.",
    },
    {
      name: "StalewatchWatchFlapping",
      severity: "warning",
      expr: `sum without (reason) (increase(stalewatch_watch_restarts_total{reason!~"ended|relist"}[15m])) > 10`,
      for: "5m",
      keepFiringFor: "10m",
      summary: "The watch of {{ $labels.resource }} in {{ $labels.instance }} keeps breaking.",
      description:
        "The watch of {{ $labels.resource }} in {{ $labels.instance }} broke {{ $value | humanize }} times in 15 minutes. Each time the cache stands still until the next one is up. Watches that the server ends in good order are not counted.",
    },
    {
      name: "StalewatchRelistsRepeated",
      severity: "warning",
      expr: `sum without (reason) (increase(stalewatch_relists_total[1h])) > 3`,
      for: "5m",
      keepFiringFor: "15m",
      summary: "{{ $labels.instance }} lists {{ $labels.resource }} again and again.",
      description:
        "{{ $labels.instance }} had to list {{ $labels.resource }} anew {{ $value | humanize }} times in an hour. A list is the dearest request there is, and each one means that the watch had lost its place.",
    },
    {
      name: "StalewatchListsFailing",
      severity: "critical",
      expr: `sum without (reason) (increase(stalewatch_list_failures_total[10m])) > 5`,
      for: "10m",
      keepFiringFor: "5m",
      summary: "{{ $labels.instance }} cannot list {{ $labels.resource }}.",
      description:
        "{{ $labels.instance }} failed to list {{ $labels.resource }} {{ $value | humanize }} times in 10 minutes. The cache stays as it was, or empty if this is the first list, and controllers over it do not start.",
    },
    {
      name: "StalewatchEventsLost",
      severity: "info",
      expr: `sum without (change) (increase(stalewatch_relist_differences_total[1h])) > 0
unless
sum without (reason) (increase(stalewatch_relists_total{reason="rewind"}[1h])) > 0`,
      for: "1m",
      summary: "Watch events of {{ $labels.resource }} never reached {{ $labels.instance }}.",
      description:
        "A list found {{ $value | humanize }} objects of {{ $labels.resource }} different from the cache of {{ $labels.instance }}: the watch lost those changes, and until the list nobody acted on them. After an outage that outlasted the server's history this is expected once.",
    },
  ],
};
