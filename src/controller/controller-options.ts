import type { InformerEvent } from "../cache/index.ts";
import type { Scope, Writer } from "../kube/index.ts";
import type { Interval, Requeue } from "../requeue/index.ts";
import type { DeepReadonly, KubeObject, ObjectRef, Resource } from "../resources/index.ts";
import type { Pass } from "./pass.ts";

/** A kind, all of it or the part that a scope selects. */
export type Source<T extends KubeObject = KubeObject> =
  | Resource<T>
  | { readonly resource: Resource<T>; readonly scope: Scope };

/** A kind whose objects concern objects of the controller's kind without being owned by them. Made by `defineWatch`. */
export interface Watch {
  readonly on: Source;
  /** The objects to look at because `object` changed. Must return soon; what it throws is counted and logged by the cache. */
  map(object: DeepReadonly<KubeObject>): Iterable<ObjectRef>;
}

/** Ties the type of the mapped objects to the kind that is watched. */
export function defineWatch<O extends KubeObject>(
  on: Source<O>,
  map: (object: DeepReadonly<O>) => Iterable<ObjectRef>,
): Watch {
  return { on, map: (object) => map(object as DeepReadonly<O>) };
}

/** A change of an object that one of the controller's own kind controls, or did before. */
export interface OwnedChange {
  readonly resource: Resource;
  /** `namespace/name`. */
  readonly owner: string;
  /** A delete that only a list found is a tombstone: its object is the last one known. */
  readonly event: InformerEvent<KubeObject>;
}

/** What a sweep is given. It belongs to no object: nothing waits for what it writes, so writes must carry preconditions of their own. */
export interface Sweep extends Pick<Pass, "cached" | "live" | "now" | "span" | "log"> {
  readonly write: Writer;
  /** Aborts when the controller must stop at once. */
  readonly signal: AbortSignal;
}

export interface ControllerOptions<T extends KubeObject, N extends string> {
  /** The kind that passes are about. */
  for: Source<T>;
  /**
   * Which objects of `for` passes are about; all unless given. Changes of the others start no pass, but the one with which an object ceases
   * to be among them does. Must return soon; what it throws is counted and logged by the cache.
   */
  select?(object: DeepReadonly<T>): boolean;
  /** Kinds whose objects name an object of `for` as their controller; a change of one starts a pass for that object. */
  owns?: readonly Source[];
  watches?: readonly Watch[];
  /** What `requeue.after` may be asked for, besides the built-in intervals. */
  intervals?: readonly Interval<N>[];
  /** Passes at the same time, each for another key; 1 unless given. */
  concurrency?: number;
  /** Aborts the pass's signal and counts a timeout after this long ("30s" or milliseconds); never unless given. */
  reconcileTimeout?: string | number;
  /**
   * Brings the world closer to what the object asks for. Returns when to look again, or nothing. What it throws is retried with
   * growing delays (5 ms doubling to 1000 s), except a `TerminalError`.
   */
  reconcile(pass: Pass<T, N>): Promise<Requeue | undefined | void> | Requeue | undefined | void;
  /**
   * Told of each change of an owned object before the pass that it starts; of one that changed hands, for both owners. For what must be
   * noticed change by change, as `Expectations` must: passes merge. Must return soon; what it throws is counted and logged by the cache.
   */
  onOwned?(change: OwnedChange): void;
  /**
   * Looks for what no pass will ever find, such as objects whose owner is gone: once a sync period, sooner or later by up to a tenth,
   * for as long as the manager leads or stands alone. One at a time; what it throws is counted and logged, and the next one comes all the
   * same. Not called while the sync period is 0.
   */
  sweep?(sweep: Sweep): Promise<void> | void;
  /** The object is no longer in the cache. For what the controller keeps about it in memory. */
  gone?(ref: ObjectRef): void;
}

export function resourceOf<T extends KubeObject>(source: Source<T>): Resource<T> {
  return "scope" in source ? source.resource : source;
}

export function scopeOf(source: Source): Scope {
  return "scope" in source ? source.scope : {};
}
