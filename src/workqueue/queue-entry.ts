import type { Trigger } from "./trigger.ts";

/** A wish to have a key handed out later. All times are monotonic milliseconds. */
export interface DelayedAdd {
  /** Why; names the interval of a requeue. */
  readonly trigger: Trigger;
  readonly askedAt: number;
  readonly delayMs: number;
  readonly dueAt: number;
}

/** What a worker is handed: a key, and everything that was merged into it since it was last handed out. */
export interface QueueEntry<K = string> {
  readonly key: K;
  /** The highest that was asked for. A worker that puts the key back passes it on. */
  readonly priority: number;
  /** In the order they came; never empty. A delayed add is among them only if its time came. */
  readonly triggers: readonly Trigger[];
  /** Triggers that differ from those listed by their trace alone, left out because there are so many. */
  readonly moreTriggers: number;
  /** Monotonic milliseconds of the first add that is part of this. */
  readonly addedAt: number;
  /** Monotonic milliseconds since when a worker could have had it, were the key not being worked on. */
  readonly readyAt: number;
  /** From `readyAt` until it was handed out. */
  readonly queueMs: number;
  /** The delayed add whose time came, if that is (part of) why. */
  readonly requeue: DelayedAdd | undefined;
}

/** A key that becomes ready at `dueAt` (monotonic milliseconds) unless an immediate add comes first. */
export interface WaitingEntry<K = string> extends DelayedAdd {
  readonly key: K;
  readonly priority: number;
}

/** A queue at one moment, as /api/v1/queues tells it. */
export interface QueueStatus {
  readonly name: string;
  readonly controller: string;
  /** Entries that need work now, also those whose key is being worked on. */
  readonly depth: number;
  readonly depthByPriority: Readonly<Record<number, number>>;
  /** Entries that are not due yet. */
  readonly waiting: number;
  readonly running: number;
  /** Age of the entry that is ready longest; 0 when there is none. */
  readonly oldestReadyMs: number;
  /** Age of the run that has lasted longest; 0 when there is none. */
  readonly longestRunningMs: number;
}
