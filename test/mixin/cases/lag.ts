import type { RuleCase } from "../rule-case.ts";

const watcher = { job: "stalewatch", instance: "a:8443" };
const cache = { target: "kcm", name: "shared", group: "batch", version: "v1", resource: "jobs" };

function series(name: string, labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries({ ...watcher, ...labels }).map(([label, value]) => `${label}="${value}"`);
  return `${name}{${pairs.join(", ")}}`;
}

const state = (value: string): string => series("stalewatch_cache_state", { ...cache, state: value });
const up = series("stalewatch_target_up", { target: "kcm" });

export const lagCases: readonly RuleCase[] = [
  {
    alert: "StalewatchCacheLagging",
    name: "a cache of a target is late by more than the budget",
    series: { [state("lagging")]: "0x5 1x40" },
    at: "12m",
    fires: [
      {
        severity: "warning",
        labels: { ...watcher, ...cache, state: "lagging" },
        summary: "The jobs cache of target kcm is late.",
        description:
          "The cache of jobs in target kcm has been late by more than its budget for 5 minutes, as a:8443 sees it. It moves, but whatever reads it acts on old objects.",
      },
    ],
    twins: [
      { name: "it is fresh", series: state("lagging"), renamed: state("fresh") },
      { name: "nothing can be said of it", series: state("lagging"), renamed: state("unknown") },
      { name: "it has caught up within 5 minutes", series: state("lagging"), values: "0x5 1x3 0x40" },
    ],
  },
  {
    alert: "StalewatchCacheStalled",
    name: "a cache of a target stands still while others saw what it misses",
    series: { [state("stalled")]: "0x5 1x40" },
    at: "8m",
    fires: [
      {
        severity: "critical",
        labels: { ...watcher, ...cache, state: "stalled" },
        summary: "The jobs cache of target kcm has stalled.",
        description:
          "The cache of jobs in target kcm stands still while others saw changes that it misses, as a:8443 sees it. It does not come on by itself: its watch is dead.",
      },
    ],
    twins: [
      { name: "it only lags", series: state("stalled"), renamed: state("lagging") },
      { name: "it was listed again at once", series: state("stalled"), values: "0x6 1 0x40" },
    ],
  },
  {
    alert: "StalewatchTargetDown",
    name: "a target's page has not been read for long",
    series: { [up]: "1x5 0x40" },
    at: "20m",
    fires: [
      {
        severity: "warning",
        labels: { ...watcher, target: "kcm" },
        summary: "The page of target kcm cannot be read.",
        description:
          "a:8443 has not been able to read the metrics of target kcm for 10 minutes. Nothing is known of its caches: no alert can come of them.",
      },
    ],
    twins: [
      { name: "it is read", series: up, values: "1x45" },
      { name: "it restarted", series: up, values: "1x5 0x4 1x40" },
      { name: "it was taken out of the settings", series: up, values: "1x5 stale" },
    ],
  },
];
