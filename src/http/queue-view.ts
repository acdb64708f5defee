import type { Clock } from "../base/index.ts";
import type { QueueView, WaitingView } from "./answers.ts";

/** What is asked of a queue; times are milliseconds on the monotonic scale of the queue's clock. */
export interface QueueSource {
  readonly controller: string;
  depths(): Iterable<{ readonly priority: number; readonly depth: number }>;
  processing(): Iterable<{ readonly key: string; readonly since: number }>;
  waiting(): Iterable<{
    readonly key: string;
    readonly interval?: string | undefined;
    readonly since: number;
    readonly dueAt: number;
  }>;
}

/** A queue as it is now, with wall times and no more than `limit` keys a list. */
export function queueView(source: QueueSource, clock: Clock, limit: number): QueueView {
  const now = clock.monotonic();
  const offset = clock.now() - now;
  const wall = (at: number): string => new Date(Math.round(at + offset)).toISOString();
  const depthByPriority = [...source.depths()].sort((a, b) => b.priority - a.priority);
  const processing = [...source.processing()].sort((a, b) => a.since - b.since);
  const waiting = [...source.waiting()].sort((a, b) => a.dueAt - b.dueAt);
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
      .map(({ key, since }) => ({ key, since: wall(since), ageSeconds: seconds(now - since) })),
    waiting: waiting.slice(0, limit).map(({ key, interval, since, dueAt }): WaitingView => ({
      key,
      interval: interval ?? null,
      since: wall(since),
      dueAt: wall(dueAt),
      dueInSeconds: seconds(dueAt - now),
    })),
  };
}

function seconds(ms: number): number {
  return Math.round(ms) / 1_000;
}
