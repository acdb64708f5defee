import type { Interval } from "./interval.ts";

/** A reason to look at an object again, and when. */
export interface Due {
  /** Names the requeue that waits for it. */
  readonly interval: Interval;
  /** Wall time in milliseconds; in the past when overdue. */
  readonly at: number;
  /** What is to be started then; undefined to look only. */
  readonly op: string | undefined;
  /** What it starts reads the object's inputs, and would take a change that is not applied yet for a fault. */
  readonly readsInputs: boolean;
}
