import type { Finding } from "../jobs/index.ts";

/** What `/api/v1/caches` answers; the same shape as `stalewatch lag -o json`. */
export interface CachesAnswer {
  /** RFC 3339 with milliseconds. */
  readonly at: string;
  readonly caches: readonly CacheView[];
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

/** What `/api/v1/jobs` answers; the same shape as `stalewatch jobs -o json`. */
export interface JobsAnswer {
  readonly at: string;
  /** How many objects were looked at, by resource. */
  readonly objects: Readonly<Record<string, number>>;
  /** Jobs without a listed finding. */
  readonly healthy: number;
  /** Worst first, then oldest. Those that are only watched are listed with `?all`. */
  readonly findings: readonly Finding[];
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
