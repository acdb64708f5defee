import type { Clock } from "../base/index.ts";
import type { WaitingView } from "./answers.ts";

/** A key that waits for its time; milliseconds on the monotonic scale of the queue's clock. */
export interface Waiting {
  readonly key: string;
  readonly interval?: string | undefined;
  readonly since: number;
  readonly dueAt: number;
}

/** The `limit` that are due soonest, with wall times. */
export function waitingViews(waiting: Iterable<Waiting>, clock: Clock, limit: number): readonly WaitingView[] {
  const now = clock.monotonic();
  const soonest = [...waiting].sort((a, b) => a.dueAt - b.dueAt).slice(0, limit);
  return soonest.map(({ key, interval, since, dueAt }) => ({
    key,
    interval: interval ?? null,
    since: wallTime(since, clock),
    dueAt: wallTime(dueAt, clock),
    dueInSeconds: seconds(dueAt - now),
  }));
}

/** RFC 3339, of a monotonic time. */
export function wallTime(at: number, clock: Clock): string {
  return new Date(Math.round(at + clock.now() - clock.monotonic())).toISOString();
}

export function seconds(ms: number): number {
  return Math.round(ms) / 1_000;
}
