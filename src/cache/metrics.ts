import { isComparableVersion, type Resource, versionToMetric } from "../resources/index.ts";
import type { Counter, LabelValues, Meter, MetricDefinition } from "../telemetry/index.ts";

/** Why a list or watch did not bring what was asked for. */
export type FailureReason =
  /** No answer, or the connection broke. */
  | "unreachable"
  /** Neither an event nor a bookmark nor the end mark came for too long. */
  | "silent"
  | "throttled"
  | "server_error"
  | "version_too_large"
  | "expired"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  /** Any other refusal. */
  | "rejected"
  /** An answer or a frame that is not what was asked for. */
  | "unreadable"
  /** A defect of this program. */
  | "internal";

const FAILURES: readonly FailureReason[] = [
  "unreachable",
  "silent",
  "throttled",
  "server_error",
  "version_too_large",
  "expired",
  "unauthorized",
  "forbidden",
  "not_found",
  "rejected",
  "unreadable",
  "internal",
];

/** Why a watch was followed by another: a failure, or the server ended it, ended it at once, or somebody asked for a list. */
export type RestartReason = FailureReason | "ended" | "short" | "relist";

const RESTARTS: readonly RestartReason[] = [...FAILURES, "ended", "short", "relist"];

const RELISTS = ["expired", "rewind", "unreadable", "verification"] as const;

/** Why a cache that had a list needed another. */
export type RelistReason = (typeof RELISTS)[number];

const CHANGES = ["added", "updated", "deleted"] as const;
type Change = (typeof CHANGES)[number];

const DEFECTS = ["not_transformed", "version_not_comparable"] as const;

/** What is wrong with an object that could be decoded. */
export type Defect = (typeof DEFECTS)[number];

type KindLabel = "group" | "version" | "resource";
type CacheLabel = "name" | KindLabel;
const kind: Readonly<Record<KindLabel, "open">> = { group: "open", version: "open", resource: "open" };
const cache: Readonly<Record<CacheLabel, "open">> = { name: "open", ...kind };

const storeResourceVersion: MetricDefinition<CacheLabel> = {
  name: "store_resource_version",
  type: "gauge",
  help: "The resource version that the cache stands at (its last 15 digits).",
  labels: cache,
  stability: "BETA",
};

const informerStoreResourceVersion: MetricDefinition<CacheLabel> = {
  name: "informer_store_resource_version",
  type: "gauge",
  help: "The resource version that the cache stands at (its last 15 digits), under client-go's name.",
  labels: cache,
  stability: "ALPHA",
};

const informerQueuedItems: MetricDefinition<CacheLabel> = {
  name: "informer_queued_items",
  type: "gauge",
  help: "Changes received and not yet applied to the cache; a whole list is one.",
  labels: cache,
  stability: "ALPHA",
};

export const informerProcessingLatencySeconds: MetricDefinition<CacheLabel> = {
  name: "informer_processing_latency_seconds",
  type: "histogram",
  help: "Time to apply one batch of changes to the cache and hand them to its handlers.",
  labels: cache,
  buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  stability: "ALPHA",
};

const watchRestartsTotal: MetricDefinition<KindLabel | "reason"> = {
  name: "stalewatch_watch_restarts_total",
  type: "counter",
  help: "Watches that ended and were followed by another, by why they ended.",
  labels: { ...kind, reason: RESTARTS },
  stability: "BETA",
};

const listFailuresTotal: MetricDefinition<KindLabel | "reason"> = {
  name: "stalewatch_list_failures_total",
  type: "counter",
  help: "Lists that failed and were tried again.",
  labels: { ...kind, reason: FAILURES },
  stability: "BETA",
};

const relistsTotal: MetricDefinition<KindLabel | "reason"> = {
  name: "stalewatch_relists_total",
  type: "counter",
  help: "Lists after the first one, by why the watch could not simply go on.",
  labels: { ...kind, reason: RELISTS },
  stability: "BETA",
};

const relistDifferencesTotal: MetricDefinition<KindLabel | "change"> = {
  name: "stalewatch_relist_differences_total",
  type: "counter",
  help: "Objects that a list after the first one found different from the cache: watch events that were lost.",
  labels: { ...kind, change: CHANGES },
  stability: "BETA",
};

const defectiveObjectsTotal: MetricDefinition<KindLabel | "defect"> = {
  name: "stalewatch_defective_objects_total",
  type: "counter",
  help: "Objects and bookmarks with a version that cannot be compared, and objects that a cache's transform threw on.",
  labels: { ...kind, defect: DEFECTS },
  stability: "ALPHA",
};

const handlerErrorsTotal: MetricDefinition<KindLabel> = {
  name: "stalewatch_handler_errors_total",
  type: "counter",
  help: "Exceptions thrown by event handlers of a cache.",
  labels: kind,
  stability: "ALPHA",
};

export const cacheMetrics: readonly MetricDefinition[] = [
  storeResourceVersion,
  informerStoreResourceVersion,
  informerQueuedItems,
  informerProcessingLatencySeconds,
  watchRestartsTotal,
  listFailuresTotal,
  relistsTotal,
  relistDifferencesTotal,
  defectiveObjectsTotal,
  handlerErrorsTotal,
];

/** The counters of one kind, each series there from the start at 0. Two caches of one kind share them. */
export interface CacheCounters {
  readonly restarts: Readonly<Record<RestartReason, Counter>>;
  readonly listFailures: Readonly<Record<FailureReason, Counter>>;
  readonly relists: Readonly<Record<RelistReason, Counter>>;
  readonly differences: Readonly<Record<Change, Counter>>;
  readonly defects: Readonly<Record<Defect, Counter>>;
  readonly handlerErrors: Counter;
}

function by<V extends string>(values: readonly V[], series: (value: V) => Counter): Record<V, Counter> {
  return Object.fromEntries(values.map((value) => [value, series(value)])) as Record<V, Counter>;
}

/** By why a kind could not be listed, also where nothing caches it because nobody serves it. */
export function listFailures(
  meter: Meter,
  { group, version, resource }: Pick<Resource, KindLabel>,
): Readonly<Record<FailureReason, Counter>> {
  const family = meter.counter(listFailuresTotal);
  return by(FAILURES, (reason) => family.labels({ group, version, resource, reason }));
}

export function cacheCounters(meter: Meter, { group, version, resource }: Resource): CacheCounters {
  const labels = { group, version, resource };
  const restarts = meter.counter(watchRestartsTotal);
  const relists = meter.counter(relistsTotal);
  const differences = meter.counter(relistDifferencesTotal);
  const defects = meter.counter(defectiveObjectsTotal);
  return {
    restarts: by(RESTARTS, (reason) => restarts.labels({ ...labels, reason })),
    listFailures: listFailures(meter, { group, version, resource }),
    relists: by(RELISTS, (reason) => relists.labels({ ...labels, reason })),
    differences: by(CHANGES, (change) => differences.labels({ ...labels, change })),
    defects: by(DEFECTS, (defect) => defects.labels({ ...labels, defect })),
    handlerErrors: meter.counter(handlerErrorsTotal).labels(labels),
  };
}

export function cacheLabels(name: string, { group, version, resource }: Resource): LabelValues<CacheLabel> {
  return { name, group, version, resource };
}

/** Reads the gauges of one cache at each scrape, so that events cost nothing. Returns how to end the series. */
export function publishGauges(
  meter: Meter,
  labels: LabelValues<CacheLabel>,
  read: { version: () => string; queued: () => number },
): () => void {
  const families = [storeResourceVersion, informerStoreResourceVersion, informerQueuedItems].map((it) =>
    meter.gauge(it),
  );
  const [ours, upstreams, queued] = families.map((family) => family.labels(labels));
  const stop = meter.onCollect(() => {
    const version = read.version();
    // Upstream leaves the gauge as it is when a version is no number.
    if (version === "" || isComparableVersion(version)) {
      ours?.set(versionToMetric(version));
      upstreams?.set(versionToMetric(version));
    }
    queued?.set(read.queued());
  });
  return () => {
    stop();
    for (const family of families) family.remove(labels);
  };
}
