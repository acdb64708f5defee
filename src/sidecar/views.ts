import { defined } from "../base/index.ts";
import type { InformerStatus } from "../cache/index.ts";
import type { ControllerStatus } from "../controller/index.ts";
import type { CacheView, DelayView, IntervalsSource, QueueSource } from "../http/index.ts";
import type { DelayAnswer } from "../jobs/index.ts";
import type { LagAnswer } from "../lag/index.ts";

/** One of our own caches as /api/v1/caches tells it, with how late it is, once something judges it. */
export function cacheView(status: InformerStatus, lag: LagAnswer | undefined): CacheView {
  const { name, resource, state, synced, objects, storeVersion, lastError, lastContactAt } = status;
  return {
    target: "self",
    name,
    group: resource.group,
    version: resource.version,
    resource: resource.resource,
    storeResourceVersion: storeVersion,
    ...(lag ? lagView(lag) : NOT_JUDGED),
    informer: {
      state,
      synced,
      objects,
      lastError: lastError ?? null,
      lastContactAt: lastContactAt === undefined ? null : new Date(lastContactAt).toISOString(),
    },
  };
}

export type LagView = Pick<
  CacheView,
  | "headResourceVersion"
  | "state"
  | "lagMinSeconds"
  | "lagMaxSeconds"
  | "eventsBehind"
  | "observedAt"
  | "confirmedBy"
  | "confirmedSecondsAgo"
  | "why"
>;

const NOT_JUDGED: LagView = {
  headResourceVersion: null,
  state: "unknown",
  lagMinSeconds: null,
  lagMaxSeconds: null,
  eventsBehind: null,
  observedAt: null,
  confirmedBy: null,
  confirmedSecondsAgo: null,
  why: "nothing has looked at this cache yet",
};

/** How late a cache is, as /api/v1/caches tells it. */
export function lagView(lag: LagAnswer): LagView {
  return {
    headResourceVersion: lag.headVersion ?? null,
    state: lag.state,
    lagMinSeconds: seconds(lag.minMs),
    lagMaxSeconds: seconds(lag.maxMs),
    eventsBehind: lag.eventsBehind ?? null,
    observedAt: new Date(lag.observedAt).toISOString(),
    confirmedBy: lag.confirmedBy ?? null,
    confirmedSecondsAgo: seconds(lag.confirmedAgoMs),
    ...defined({ why: lag.why }),
  };
}

function seconds(ms: number | undefined): number | null {
  return ms === undefined ? null : ms / 1_000;
}

/** A delay as /api/v1/caches tells it. */
export function delayView({ delay, resource: kind, count, p50, p90, p99 }: DelayAnswer): DelayView {
  const { group, version, resource } = kind;
  const percentiles = { p50: boundsView(p50), p90: boundsView(p90), p99: boundsView(p99) };
  return { delay, group, version, resource, count, percentiles };
}

function boundsView({ minMs, maxMs }: DelayAnswer["p50"]): DelayView["percentiles"]["p50"] {
  return { minSeconds: minMs / 1_000, maxSeconds: maxMs / 1_000 };
}

/** A controller's queue as /api/v1/queues reads it. */
export function queueSource(status: ControllerStatus): QueueSource {
  const { depthByPriority } = status.queue;
  return {
    controller: status.name,
    depths: () => Object.entries(depthByPriority).map(([priority, depth]) => ({ priority: Number(priority), depth })),
    processing: () => status.running.map(({ key, startedAt }) => ({ key, since: startedAt })),
    waiting: () => waitingKeys(status),
  };
}

/** A controller's requeues as /api/v1/intervals reads them. */
export function intervalsSource(status: ControllerStatus): IntervalsSource {
  const { name, intervals, rescues } = status;
  return { controller: name, accounts: intervals, rescues, waiting: () => waitingKeys(status) };
}

function* waitingKeys({ waiting }: ControllerStatus): ReturnType<QueueSource["waiting"]> {
  for (const { key, trigger, askedAt, dueAt } of waiting) {
    yield { key, interval: trigger.interval, since: askedAt, dueAt };
  }
}
