import type { SpanContext } from "../telemetry/index.ts";

/** Why a key was put into the queue. `caught_up`: a store reached the version that a skipped pass waited for. */
export type TriggerKind =
  | "add"
  | "update"
  | "delete"
  | "relist"
  | "resync"
  | "requeue"
  | "retry"
  | "caught_up"
  | "manual";

export interface Trigger {
  readonly kind: TriggerKind;
  /** The name of the interval that a requeue or retry waits for. */
  readonly interval?: string;
  /** What happened upstream of the queue: the trace of the write or of the pass that led here. */
  readonly span?: SpanContext;
  /** Monotonic milliseconds when it was raised. */
  readonly at: number;
}

/** No entry links to more traces than this, however many events were merged into it. */
export const MAX_TRIGGERS = 32;

/**
 * Adds `next` to a set of triggers, in place. Two triggers are the same when kind, interval and span are; the earlier one stays.
 * Returns how many were left out: 1 when the set is full and has this kind and interval already, else 0. So the set says
 * everything about why, and at most how often something is lost.
 */
export function mergeTrigger(triggers: Trigger[], next: Trigger): 0 | 1 {
  let known = false;
  for (const trigger of triggers) {
    if (trigger.kind !== next.kind || trigger.interval !== next.interval) continue;
    if (!next.span || sameSpan(trigger.span, next.span)) return 0;
    known = true;
  }
  if (known && triggers.length >= MAX_TRIGGERS) return 1;
  triggers.push(next);
  return 0;
}

function sameSpan(a: SpanContext | undefined, b: SpanContext): boolean {
  return a !== undefined && a.spanId === b.spanId && a.traceId === b.traceId;
}
