import type { Finding, FindingGroup } from "../jobs/index.ts";

/** What `/api/v1/caches` answers; the same shape as `stalewatch lag -o json`. */
export interface CachesAnswer {
  /** RFC 3339 with milliseconds. */
  readonly at: string;
  readonly caches: readonly CacheView[];
  /** How long controllers take, of the delays that were measured since the start. */
  readonly delays: readonly DelayView[];
  /** Only with `--heartbeat-interval`. */
  readonly heartbeats?: readonly HeartbeatView[];
}

/**
 * How long one thing takes in the cluster, whoever does it. `percentiles` are those of the last 1 000; each lies between its bounds, as each
 * delay does.
 */
export interface DelayView {
  readonly delay: "cronjob_schedule" | "job_start" | "job_completion" | "observed_generation";
  /** Of the objects that wait. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly count: number;
  readonly percentiles: Readonly<Record<"p50" | "p90" | "p99", DelayBoundsView>>;
}

interface DelayBoundsView {
  readonly minSeconds: number;
  readonly maxSeconds: number;
}

/** How one heartbeat fares (docs/heartbeats.md). */
export interface HeartbeatView {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Of the object that it writes to. */
  readonly namespace: string;
  readonly name: string;
  readonly state: string;
  /** Why it is in this state, and what to do; only where there is something to say. */
  readonly reason?: string;
  readonly remedy?: string;
  /** When the last beat was answered. */
  readonly answeredAt: string | null;
  /** How many were not back in time. */
  readonly lost: number;
}

type CacheState = "fresh" | "lagging" | "stalled" | "stopped" | "rewind" | "unknown";

/** How stale one cache is. Numbers are never NaN or negative; what is not known is null. Both bounds are as of `observedAt`. */
export interface CacheView {
  /** "self" is this process. */
  readonly target: string;
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Decimal string; "" before the first list. */
  readonly storeResourceVersion: string;
  readonly headResourceVersion: string | null;
  readonly state: CacheState;
  readonly lagMinSeconds: number | null;
  /** Null where there is no upper bound. */
  readonly lagMaxSeconds: number | null;
  readonly eventsBehind: number | null;
  readonly observedAt: string | null;
  readonly confirmedBy: "list" | "probe" | "verify" | "heartbeat" | null;
  readonly confirmedSecondsAgo: number | null;
  /** Only where the state is "unknown": why. */
  readonly why?: string;
  /** Only for our own caches: what the informer is doing. */
  readonly informer?: InformerView;
}

interface InformerView {
  readonly state: string;
  readonly synced: boolean;
  readonly objects: number;
  /** The last failure, one line, until the next success. */
  readonly lastError: string | null;
  readonly lastContactAt: string | null;
}

/** What `/api/v1/targets` answers. */
export interface TargetsAnswer {
  readonly at: string;
  readonly targets: readonly TargetView[];
}

/** Somebody else's process whose caches are judged. Times are RFC 3339; what is not known is null. */
export interface TargetView {
  readonly name: string;
  /** Without query and credentials. */
  readonly address: string;
  /** Whether the last page could be read; null before the first. */
  readonly up: boolean | null;
  /** Why it is not up, or its caches cannot be judged; and what to do about it. */
  readonly why: string | null;
  readonly remedy: string | null;
  readonly lastScrapeAt: string | null;
  /** When a page was last read. */
  readonly lastPageAt: string | null;
  readonly scrapeSeconds: number | null;
  /** Null where it takes part in no election. */
  readonly leader: boolean | null;
  readonly processStartedAt: string | null;
  /** How often another process answered than before. */
  readonly restarts: number;
  readonly caches: number;
  /** Counted across its restarts. */
  readonly staleSyncSkips: readonly {
    readonly controller: string;
    readonly group: string;
    readonly resource: string;
    readonly total: number;
  }[];
  /** Since its process began, as are `reconciles`. */
  readonly queues: readonly TargetQueueView[];
  readonly reconciles: readonly {
    readonly controller: string;
    /** By result: success, error, requeue, requeue_after. */
    readonly results: Readonly<Record<string, number>>;
    readonly took: TimesView;
  }[];
  /** What was odd about the last page. */
  readonly notes: readonly string[];
}

interface TargetQueueView {
  readonly name: string;
  readonly depth: number;
  readonly adds: number;
  readonly retries: number;
  readonly unfinishedSeconds: number;
  readonly longestRunningSeconds: number;
  readonly waited: TimesView;
  readonly worked: TimesView;
}

/** So many times, together so long. */
interface TimesView {
  readonly count: number;
  readonly seconds: number;
}

/** What `/api/v1/jobs` answers; the same shape as `stalewatch jobs -o json`. */
export interface JobsAnswer {
  readonly at: string;
  /** How many objects were looked at, by resource. */
  readonly objects: Readonly<Record<string, number>>;
  /** Jobs without a listed finding. */
  readonly healthy: number;
  /** Worst first, then oldest. Those that are only watched are listed with `?all`. */
  readonly findings: readonly Finding[];
  /** Causes that several findings share, the largest first. */
  readonly groups: readonly FindingGroup[];
  /** What could not be read or understood, and what to do about it: a line each. */
  readonly notes: readonly string[];
}

/** What `/api/v1/queues` answers. */
export interface QueuesAnswer {
  readonly at: string;
  readonly controllers: readonly QueueView[];
}

/** One controller's queue now. Lists are cut at `?limit=`; the totals never are. */
export interface QueueView {
  readonly controller: string;
  readonly totals: { readonly depth: number; readonly processing: number; readonly waiting: number };
  /** Keys that need work now, highest priority first. */
  readonly depthByPriority: readonly { readonly priority: number; readonly depth: number }[];
  /** Keys that workers have now, oldest first. */
  readonly processing: readonly { readonly key: string; readonly since: string; readonly ageSeconds: number }[];
  /** Keys that wait for their time, soonest first. */
  readonly waiting: readonly WaitingView[];
}

export interface WaitingView {
  readonly key: string;
  /** The named interval that asked for the wait; null for none, such as a retry. */
  readonly interval: string | null;
  /** When it was asked for. */
  readonly since: string;
  readonly dueAt: string;
  /** Negative when it is late. */
  readonly dueInSeconds: number;
}

/** What `/api/v1/intervals` answers. */
export interface IntervalsAnswer {
  readonly at: string;
  readonly controllers: readonly IntervalsView[];
}

/** Why one controller comes back to its objects, and whether it needed to. The list of keys is cut at `?limit=`; the totals never are. */
export interface IntervalsView {
  readonly controller: string;
  readonly intervals: readonly IntervalView[];
  /** Passes that acted on a change whose trigger was lost between cache and queue, by what started them. */
  readonly rescues: { readonly resync: number; readonly requeue: number };
  readonly totals: { readonly waiting: number };
  /** Keys that wait for their time, soonest first. */
  readonly waiting: readonly WaitingView[];
}

/** One named interval as it is configured, and what became of its requeues since the start. */
export interface IntervalView {
  readonly name: string;
  readonly sort: "wait" | "schedule" | "backoff";
  /** Unless an object has its own. */
  readonly seconds: number;
  /** "compiled in", or the flag or field that set it. */
  readonly source: string;
  /** `asked` is the sum of the others. `rescues` are among `fired`. */
  readonly requeues: {
    readonly asked: number;
    readonly fired: number;
    readonly superseded: number;
    readonly dropped: number;
    readonly waiting: number;
    readonly rescues: number;
  };
  /** How late passes of those that fired began; null before the first. */
  readonly lateSeconds: { readonly mean: number; readonly max: number } | null;
}

/** What `/api/v1` says instead when it cannot answer. */
export interface ErrorAnswer {
  readonly error: { readonly code: string; readonly message: string };
}
