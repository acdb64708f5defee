import type { DeepReadonly, Event } from "../resources/index.ts";
import { type Since, sinceOf } from "./since.ts";

/** When an event was first seen. The two event APIs say it in different fields. */
export function firstSeen({ reason, firstTimestamp, eventTime }: DeepReadonly<Event>): Since | undefined {
  return sinceOf(firstTimestamp, `event ${reason} firstTimestamp`) ?? sinceOf(eventTime, `event ${reason} eventTime`);
}

/** When it was last seen. */
export function lastSeen(event: DeepReadonly<Event>): Since | undefined {
  const { reason, lastTimestamp, series } = event;
  return (
    sinceOf(series?.lastObservedTime, `event ${reason} series`) ??
    sinceOf(lastTimestamp, `event ${reason} lastTimestamp`) ??
    firstSeen(event)
  );
}
