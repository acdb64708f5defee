import type { Clock } from "../base/index.ts";
import type { QueueView } from "./answers.ts";
import { seconds, type Waiting, waitingViews, wallTime } from "./waiting-view.ts";

/** What is asked of a queue; times are milliseconds on the monotonic scale of the queue's clock. */
export interface QueueSource {
  readonly controller: string;
  depths(): Iterable<{ readonly priority: number; readonly depth: number }>;
  processing(): Iterable<{ readonly key: string; readonly since: number }>;
  waiting(): Iterable<Waiting>;
}

/** A queue as it is now, with wall times and no more than `limit` keys a list. */
export function queueView(source: QueueSource, clock: Clock, limit: number): QueueView {
  const now = clock.monotonic();
  const depthByPriority = [...source.depths()].sort((a, b) => b.priority - a.priority);
  const processing = [...source.processing()].sort((a, b) => a.since - b.since);
  const waiting = [...source.waiting()];
  return {
    controller: source.controller,
    totals: {
      depth: depthByPriority.reduce((sum, { depth }) => sum + depth, 0),
      processing: processing.length,
      waiting: waiting.length,
    },
    depthByPriority,
    processing: processing
      .slice(0, limit)
      .map(({ key, since }) => ({ key, since: wallTime(since, clock), ageSeconds: seconds(now - since) })),
    waiting: waitingViews(waiting, clock, limit),
  };
}
