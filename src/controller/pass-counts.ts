import { messageOf } from "../base/index.ts";
import type { Trigger, TriggerKind } from "../workqueue/index.ts";
import type { ControllerMeters } from "./controller-meters.ts";
import type { FallbackTrigger } from "./fallback-pass.ts";
import type { PassOutcome } from "./metrics.ts";
import type { PassEnd } from "./pass-end.ts";
import { isPanic } from "./terminal-error.ts";

/** Counts passes by why they ran and how they ended, for metrics and for the controller's status. */
export class PassCounts {
  readonly outcomes: Record<PassOutcome, number> = { changed: 0, noop: 0, skipped: 0, error: 0, terminal: 0 };
  readonly rescues: Record<FallbackTrigger, number> = { resync: 0, requeue: 0 };
  readonly #meters: ControllerMeters;
  #lastError: { key: string; message: string; at: number } | undefined;

  constructor(meters: ControllerMeters) {
    this.#meters = meters;
  }

  get lastError(): { readonly key: string; readonly message: string; readonly at: number } | undefined {
    return this.#lastError;
  }

  /** A kind counts once however many triggers of it were merged. */
  began(triggers: readonly Trigger[]): void {
    let counted: Set<TriggerKind> | undefined;
    for (const { kind } of triggers) {
      if (triggers.length > 1) {
        counted ??= new Set();
        if (counted.has(kind)) continue;
        counted.add(kind);
      }
      this.#meters.triggers[kind].inc();
    }
  }

  /** `now` is wall time in milliseconds. */
  ended(key: string, end: PassEnd, now: number): void {
    const { results, outcomes, errors, terminal, panics } = this.#meters;
    this.outcomes[end.outcome] += 1;
    outcomes[end.outcome].inc();
    if (end.outcome === "changed" && end.rescue) {
      this.rescues[end.rescue.trigger] += 1;
      this.#meters.rescues[end.rescue.trigger].inc();
    }
    if (!("error" in end)) return (end.requeue ? results.requeue_after : results.success).inc();
    results.error.inc();
    errors.inc();
    if (end.outcome === "terminal") terminal.inc();
    if (isPanic(end.error)) panics.inc();
    this.#lastError = { key, message: messageOf(end.error), at: now };
  }
}
