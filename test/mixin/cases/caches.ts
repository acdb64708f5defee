import type { RuleCase } from "../rule-case.ts";

const target = 'job="stalewatch", instance="a:8443"';
const controllerLabels = { job: "stalewatch", instance: "a:8443", controller: "runner" };
const passes = (outcome: string): string =>
  `stalewatch_passes_total{${target}, controller="runner", outcome="${outcome}"}`;
const pods = { resource: "pods" };
const jobs = 'group="batch", version="v1", resource="jobs"';
const jobLabels = { job: "stalewatch", instance: "a:8443", group: "batch", version: "v1", resource: "jobs" };
const skips = `stale_sync_skips_total{${target}, controller="runner", group="", resource="pods"}`;
const waits = `stale_sync_wait_seconds_count{${target}, controller="runner", group="", resource="pods"}`;
const waitBucket = (le: string): string =>
  `stale_sync_wait_seconds_bucket{${target}, controller="runner", group="", resource="pods", le="${le}"}`;
const version = `store_resource_version{${target}, name="stalewatch", ${jobs}}`;
const restarts = (reason: string): string => `stalewatch_watch_restarts_total{${target}, ${jobs}, reason="${reason}"}`;
const relists = (reason: string): string => `stalewatch_relists_total{${target}, ${jobs}, reason="${reason}"}`;
const failures = `stalewatch_list_failures_total{${target}, ${jobs}, reason="forbidden"}`;
const differences = `stalewatch_relist_differences_total{${target}, ${jobs}, change="updated"}`;

export const cacheCases: readonly RuleCase[] = [
  {
    alert: "StalewatchStaleSkips",
    name: "every second pass is skipped",
    series: { [passes("skipped")]: "0+3x60", [passes("noop")]: "0+3x60" },
    at: "40m",
    fires: [
      {
        severity: "warning",
        labels: controllerLabels,
        summary: "Controller runner waits for its own writes in many passes.",
        description:
          "50% of the passes of controller runner (a:8443) are skipped because a cache does not show the controller's own last writes yet. The work gets done, but late.",
      },
    ],
    twins: [
      { name: "a tenth is", series: passes("noop"), values: "0+27x60" },
      { name: "it was a burst", series: passes("skipped"), values: "0+30x3 90x60" },
      { name: "too few passes to tell", series: passes("skipped"), values: "0 0 0 0 0 0 0 0 0 0 1x50" },
    ],
  },
  {
    alert: "StalewatchCacheNotCatchingUp",
    name: "passes are skipped every few seconds and no wait ends",
    series: { [skips]: "0+12x60", [waits]: "0x60" },
    at: "25m",
    fires: [
      {
        severity: "critical",
        labels: { ...controllerLabels, ...pods },
        summary: "The pods cache of controller runner does not catch up.",
        description:
          "Controller runner (a:8443) has skipped 120 passes in 10 minutes for want of its own writes in the cache of pods, and not one of these waits has ended. Those objects are not reconciled at all.",
      },
    ],
    twins: [
      { name: "waits end", series: waits, values: "0+1x60" },
      { name: "nothing is skipped any more", series: skips, values: "0+12x5 60x60" },
    ],
  },
  {
    alert: "StalewatchStoreWaitLong",
    name: "one wait in five takes a minute or more",
    series: {
      [waitBucket("10")]: "0+8x60",
      [waitBucket("30")]: "0+8x60",
      [waitBucket("60")]: "0+8x60",
      [waitBucket("120")]: "0+10x60",
      [waitBucket("+Inf")]: "0+10x60",
    },
    at: "45m",
    fires: [
      {
        severity: "warning",
        labels: { ...controllerLabels, ...pods },
        summary: "The pods cache of controller runner is tens of seconds behind.",
        description:
          "One in ten skipped passes of controller runner (a:8443) waits 1m 30s or longer until the cache of pods shows what the controller wrote.",
      },
    ],
    twins: [{ name: "nearly all end within 10 s", series: waitBucket("10"), values: "0+9.5x60" }],
  },
  {
    alert: "StalewatchCacheNotMoving",
    name: "the version has been the same for long",
    series: { [version]: "100+7x10 170x60" },
    at: "40m",
    fires: [
      {
        severity: "warning",
        labels: { ...jobLabels, name: "stalewatch" },
        summary: "The jobs cache of a:8443 stands still.",
        description:
          "The cache of jobs in a:8443 has been at the same resource version for a quarter of an hour. An idle watch moves about once a minute; this one is probably dead, and whatever reads the cache acts on old objects.",
      },
    ],
    twins: [
      { name: "bookmarks move it", series: version, values: "100+7x80" },
      { name: "it has never been filled", series: version, values: "0x80" },
      { name: "the process is young", series: version, values: "_x27 170x50" },
    ],
  },
  {
    alert: "StalewatchWatchFlapping",
    name: "the connection breaks every minute",
    series: { [restarts("unreachable")]: "0+1x60", [restarts("ended")]: "0x60" },
    at: "30m",
    fires: [
      {
        severity: "warning",
        labels: jobLabels,
        summary: "The watch of jobs in a:8443 keeps breaking.",
        description:
          "The watch of jobs in a:8443 broke 15 times in 15 minutes. Each time the cache stands still until the next one is up. Watches that the server ends in good order are not counted.",
      },
    ],
    twins: [
      { name: "the server ends watches in good order", series: restarts("unreachable"), renamed: restarts("relist") },
      { name: "it broke a few times", series: restarts("unreachable"), values: "0x10 1 2 3 3x60" },
    ],
  },
  {
    alert: "StalewatchRelistsRepeated",
    name: "a list every ten minutes",
    series: { [relists("expired")]: "0x9 1x9 2x9 3x9 4x9 5x9 6x60" },
    at: "70m",
    fires: [
      {
        severity: "warning",
        labels: jobLabels,
        summary: "a:8443 lists jobs again and again.",
        description:
          "a:8443 had to list jobs anew 5 times in an hour. A list is the dearest request there is, and each one means that the watch had lost its place.",
      },
    ],
    twins: [{ name: "one after an outage", series: relists("expired"), values: "0x30 1x90" }],
  },
  {
    alert: "StalewatchListsFailing",
    name: "no list succeeds",
    series: { [failures]: "0+2x60" },
    at: "30m",
    fires: [
      {
        severity: "critical",
        labels: jobLabels,
        summary: "a:8443 cannot list jobs.",
        description:
          "a:8443 failed to list jobs 20 times in 10 minutes. The cache stays as it was, or empty if this is the first list, and controllers over it do not start.",
      },
    ],
    twins: [{ name: "some failed at the start", series: failures, values: "0+2x4 8x60" }],
  },
  {
    alert: "StalewatchEventsLost",
    name: "a relist found changes that the watch had not told",
    series: { [differences]: "0x10 3x60", [relists("expired")]: "0x10 1x60", [relists("rewind")]: "0x70" },
    at: "30m",
    fires: [
      {
        severity: "info",
        labels: jobLabels,
        summary: "Watch events of jobs never reached a:8443.",
        description:
          "A list found 3 objects of jobs different from the cache of a:8443: the watch lost those changes, and until the list nobody acted on them. After an outage that outlasted the server's history this is expected once.",
      },
    ],
    twins: [
      { name: "it found none", series: differences, values: "0x70" },
      { name: "the cluster was restored", series: relists("rewind"), values: "0x10 1x60" },
    ],
  },
];
