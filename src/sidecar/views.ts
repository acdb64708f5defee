import type { InformerStatus } from "../cache/index.ts";
import type { ControllerStatus } from "../controller/index.ts";
import type { CacheView, IntervalsSource, QueueSource } from "../http/index.ts";

/** One of our own caches as /api/v1/caches tells it. Its lag is not measured: no second pair of eyes looks at the server. */
export function cacheView(status: InformerStatus): CacheView {
  const { name, resource, state, synced, objects, storeVersion, lastError, lastContactAt } = status;
  const stopped = state === "stopped";
  const why = synced ? "nothing measures the lag of this cache" : (lastError ?? "the first list is not complete");
  return {
    target: "self",
    name,
    group: resource.group,
    version: resource.version,
    resource: resource.resource,
    storeResourceVersion: storeVersion,
    headResourceVersion: null,
    state: stopped ? "stopped" : "unknown",
    lagMinSeconds: null,
    lagMaxSeconds: null,
    eventsBehind: null,
    observedAt: null,
    confirmedBy: null,
    confirmedSecondsAgo: null,
    ...(stopped ? {} : { why }),
    informer: {
      state,
      synced,
      objects,
      lastError: lastError ?? null,
      lastContactAt: lastContactAt === undefined ? null : new Date(lastContactAt).toISOString(),
    },
  };
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
