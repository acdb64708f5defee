import type { RuleCase } from "../rule-case.ts";

const build = 'stalewatch_build_info{job="stalewatch", instance="a:8443", version="0.1.0", node="v24"}';
const up = 'up{job="stalewatch", instance="a:8443"}';
const dropped =
  'stalewatch_series_dropped_total{job="stalewatch", instance="a:8443", family="stalewatch_stuck_since_timestamp_seconds"}';

export const selfCases: readonly RuleCase[] = [
  {
    alert: "StalewatchAbsent",
    name: "nothing is scraped",
    series: { [build]: "1x5 _x30" },
    at: "25m",
    fires: [
      {
        severity: "critical",
        labels: {},
        summary: "No stalewatch is scraped.",
        description:
          "Prometheus has seen no stalewatch for 10 minutes: it does not run, or is not scraped. Every other Stalewatch alert is blind until it is back.",
      },
    ],
    twins: [
      { name: "it is scraped", series: build, values: "1x35" },
      { name: "it was away for a few minutes", series: build, values: "1x5 _x9 1x30" },
    ],
  },
  {
    alert: "StalewatchDown",
    name: "one that was scraped does not answer",
    series: { [up]: "1x5 0x30", [build]: "1x5 stale" },
    at: "15m",
    fires: [
      {
        severity: "warning",
        labels: { job: "stalewatch", instance: "a:8443" },
        summary: "a:8443 does not answer scrapes.",
        description:
          "The stalewatch at a:8443 has not answered a scrape for 5 minutes, but is still listed as a target. What it alone watches is not watched.",
      },
    ],
    twins: [
      { name: "it was taken away on purpose", series: up, values: "1x5 stale" },
      { name: "it came back at once", series: up, values: "1x5 0x3 1x30" },
      { name: "it is another program", series: build, renamed: build.replace("a:8443", "b:8443") },
    ],
  },
  {
    alert: "StalewatchSeriesDropped",
    name: "series are left out at each pass",
    series: { [dropped]: "0+10x60" },
    at: "45m",
    fires: [
      {
        severity: "warning",
        labels: { job: "stalewatch", instance: "a:8443", family: "stalewatch_stuck_since_timestamp_seconds" },
        summary: "stalewatch_stuck_since_timestamp_seconds of a:8443 is incomplete.",
        description:
          "a:8443 has more series of stalewatch_stuck_since_timestamp_seconds than --max-series lets it export. What is left out raises no alert.",
      },
    ],
    twins: [
      { name: "some were, once", series: dropped, values: "0x5 10x60" },
      { name: "none are", series: dropped, values: "0x60" },
    ],
  },
];
