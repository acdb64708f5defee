import type { Counter, Gauge, Histogram, Meter } from "../telemetry/index.ts";
import type { TriggerKind } from "../workqueue/index.ts";
import type { FallbackTrigger } from "./fallback-pass.ts";
import {
  activeWorkers,
  maxConcurrentReconciles,
  passesTotal,
  type PassOutcome,
  passOutcomes,
  reconcileErrors,
  reconcilePanics,
  type ReconcileResult,
  reconcileTime,
  reconcileTimeouts,
  reconcileTotal,
  reconcileTriggers,
  rescues,
  terminalErrors,
  triggerKinds,
} from "./metrics.ts";

/** The series of one controller, each looked up once. */
export interface ControllerMeters {
  readonly results: Readonly<Record<ReconcileResult, Counter>>;
  readonly outcomes: Readonly<Record<PassOutcome, Counter>>;
  readonly triggers: Readonly<Record<TriggerKind, Counter>>;
  readonly rescues: Readonly<Record<FallbackTrigger, Counter>>;
  readonly errors: Counter;
  readonly terminal: Counter;
  readonly panics: Counter;
  readonly timeouts: Counter;
  readonly time: Histogram;
  readonly active: Gauge;
}

export function controllerMeters(controller: string, concurrency: number, meter: Meter): ControllerMeters {
  const total = meter.counter(reconcileTotal);
  const passes = meter.counter(passesTotal);
  const triggers = meter.counter(reconcileTriggers);
  meter.gauge(maxConcurrentReconciles).labels({ controller }).set(concurrency);
  const own = { controller };
  return {
    results: {
      success: total.labels({ controller, result: "success" }),
      error: total.labels({ controller, result: "error" }),
      requeue: total.labels({ controller, result: "requeue" }),
      requeue_after: total.labels({ controller, result: "requeue_after" }),
    },
    outcomes: each(passOutcomes, (outcome) => passes.labels({ controller, outcome })),
    triggers: each(triggerKinds, (trigger) => triggers.labels({ controller, trigger })),
    rescues: each(["resync", "requeue"], (trigger) => meter.counter(rescues).labels({ controller, trigger })),
    errors: meter.counter(reconcileErrors).labels(own),
    terminal: meter.counter(terminalErrors).labels(own),
    panics: meter.counter(reconcilePanics).labels(own),
    timeouts: meter.counter(reconcileTimeouts).labels(own),
    time: meter.histogram(reconcileTime).labels(own),
    active: meter.gauge(activeWorkers).labels(own),
  };
}

function each<V extends string>(values: readonly V[], member: (value: V) => Counter): Readonly<Record<V, Counter>> {
  return Object.fromEntries(values.map((value) => [value, member(value)])) as Record<V, Counter>;
}
