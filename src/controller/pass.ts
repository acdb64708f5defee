import type { Lister } from "../cache/index.ts";
import type { Draft, Live, LiveReader, PatchOptions, WriteOptions, Writer } from "../kube/index.ts";
import type { BuiltInInterval, Interval, Requeue } from "../requeue/index.ts";
import type { DeepReadonly, KubeObject, Resource } from "../resources/index.ts";
import type { Log, Span } from "../telemetry/index.ts";
import type { Trigger } from "../workqueue/index.ts";
import type { EventType } from "./event-recorder.ts";

/**
 * What a reconcile is given: one object, and everything it may do about it. `N` names the intervals of the controller.
 *
 * Promises: the controller's own earlier writes for this object are in the caches (unless their feature gate is off); no other
 * pass for this key runs at the same time; the pass is judged by its writes, so nothing need be declared. Valid until the
 * reconcile returns.
 */
export interface Pass<T extends KubeObject = KubeObject, N extends string = string> {
  /** As the cache has it. */
  readonly object: DeepReadonly<T>;
  /** `namespace/name`. */
  readonly key: string;
  /** Wall time by the manager's clock, milliseconds: what schedules, retries and leases are judged by. */
  readonly now: () => number;
  /** Why the pass runs; never empty. */
  readonly triggers: readonly Trigger[];
  /**
   * The cache of a kind that the controller is for, owns or watches. Errors: `NOT_CACHED` for any other.
   */
  readonly cached: <O extends KubeObject>(resource: Resource<O>) => Lister<O>;
  /** Reads that go to the API server; they end with the pass's signal. */
  readonly live: LiveReader;
  readonly write: PassWriter<T>;
  readonly requeue: Requeues<N>;
  /** Tells people about the object, as an Event. Never fails. */
  readonly event: (type: EventType, reason: string, message: string) => void;
  /** Aborts when the controller must stop at once or the pass has taken too long. */
  readonly signal: AbortSignal;
  /** The pass's root span. */
  readonly span: Span;
  /** Every line carries controller and key. */
  readonly log: Log;
}

export interface Requeues<N extends string> {
  /**
   * To be returned: look again after this interval, or after `delayMs` where only part of it is left. An event comes first.
   * Errors: `BAD_DELAY` for a delay that is negative or not finite.
   */
  after(interval: Interval<N | BuiltInInterval>, delayMs?: number): Requeue;
}

export interface CreateOptions extends WriteOptions {
  /** false: do not make the pass's object the controller of the new one. */
  owner?: false;
}

/**
 * Writes that belong to a pass. Each one makes the next pass for this key wait until the caches show it, ties the passes that it
 * causes to this one's trace, and makes this pass `changed` unless the object stays at a version that the pass has seen.
 *
 * Errors: those of `Writer`, and `PASS_OVER` once the pass's signal has aborted or the reconcile has returned.
 */
export interface PassWriter<T extends KubeObject = KubeObject> extends Writer {
  /** In the namespace of the pass's object unless the draft names one, and owned by it unless `owner` is false. */
  create<O extends KubeObject>(resource: Resource<O>, draft: Draft, options?: CreateOptions): Promise<Live<O>>;
  /**
   * A merge patch of the pass's object's status: what is left out stays, null deletes. Pass
   * `{ resourceVersion: object.metadata.resourceVersion }` to be refused when the object has changed meanwhile.
   */
  patchStatus(object: DeepReadonly<T>, status: StatusPatch<T>, options?: PatchOptions): Promise<Live<T>>;
}

export type StatusPatch<T> = T extends { status?: infer S } ? MergePatch<NonNullable<S>> : object;

/** Any part of V; null deletes, lists are replaced whole. */
export type MergePatch<V> = V extends readonly unknown[]
  ? DeepReadonly<V>
  : V extends object
    ? { readonly [K in keyof V]?: MergePatch<V[K]> | null }
    : V;
