// workqueue/: between "something happened to this key" and "somebody works on this key".
// Promises: a key is never with two workers at once; adds of one key merge; delayed adds keep the earlier time.
// Does not know objects, caches or intervals: a key and why it was added is all it holds.
// Start with priority-queue.ts, which controllers use; workqueue.ts is client-go's plain queue.
export { workqueueMetrics } from "./metrics.ts";
export { type AddOptions, LOW_PRIORITY, PriorityQueue, type PriorityQueueOptions } from "./priority-queue.ts";
export type { DelayedAdd, QueueEntry, QueueStatus, WaitingEntry } from "./queue-entry.ts";
export {
  BucketLimiter,
  clientGoLimiter,
  controllerRuntimeLimiter,
  ExponentialLimiter,
  MaxOfLimiter,
  type RateLimiter,
} from "./rate-limiter.ts";
export { MAX_TRIGGERS, type Trigger, type TriggerKind } from "./trigger.ts";
export { Workqueue, type WorkqueueOptions } from "./workqueue.ts";
