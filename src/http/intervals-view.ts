import type { Clock } from "../base/index.ts";
import type { IntervalAccount } from "../requeue/index.ts";
import type { IntervalsView, IntervalView } from "./answers.ts";
import { seconds, type Waiting, waitingViews } from "./waiting-view.ts";

/** What is asked of a controller about its requeues. */
export interface IntervalsSource {
  readonly controller: string;
  readonly accounts: readonly IntervalAccount[];
  readonly rescues: IntervalsView["rescues"];
  waiting(): Iterable<Waiting>;
}

/** A controller's intervals as they stand now, with no more than `limit` of the keys that wait. */
export function intervalsView(source: IntervalsSource, clock: Clock, limit: number): IntervalsView {
  const waiting = [...source.waiting()];
  return {
    controller: source.controller,
    intervals: source.accounts.map(intervalView),
    rescues: source.rescues,
    totals: { waiting: waiting.length },
    waiting: waitingViews(waiting, clock, limit),
  };
}

function intervalView({ interval, late, ...account }: IntervalAccount): IntervalView {
  const { asked, fired, superseded, dropped, rescues } = account;
  const waiting = asked - fired - superseded - dropped;
  return {
    name: interval.name,
    sort: interval.sort,
    seconds: interval.ms / 1_000,
    source: interval.source,
    requeues: { asked, fired, superseded, dropped, waiting, rescues },
    lateSeconds: fired === 0 ? null : { mean: seconds(late.mean), max: seconds(late.max) },
  };
}
