import type { Clock } from "../../base/index.ts";
import { keyOf, type ObjectRef } from "../../resources/index.ts";
import { notFound, preconditionFailed } from "../status-error.ts";
import type { Kind } from "./kind.ts";
import type { Store } from "./store.ts";
import type { StoredMeta, StoredObject } from "./stored-object.ts";
import { timestamp } from "./timestamp.ts";

export interface DeleteWish {
  propagationPolicy?: "Background" | "Foreground" | "Orphan";
  gracePeriodSeconds?: number;
  preconditions?: { uid?: string; resourceVersion?: string };
  dryRun?: boolean;
}

export interface Deleted {
  readonly object: StoredObject;
  /** False while finalizers or a grace period keep it. */
  readonly gone: boolean;
}

const ORPHAN = "orphan";
const FOREGROUND = "foregroundDeletion";

/** Deletes as the registry does: preconditions, propagation as finalizers, grace periods, then removal (k8s.io/apiserver registry/rest/delete.go). */
export class ObjectDeleter {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  delete(kind: Kind, ref: ObjectRef, wish: DeleteWish): Deleted {
    const key = keyOf(ref);
    const current = this.#store.table(kind).get(key);
    if (!current) throw notFound(kind, ref.name);
    checkPreconditions(kind, current, wish);
    const finalizers = finalizersFor(kind, current.metadata, wish);
    const grace = kind.rules.graceSeconds?.(current, wish.gracePeriodSeconds) ?? 0;
    const metadata = this.#marked(current.metadata, grace);
    if (finalizers.length > 0) metadata.finalizers = finalizers;
    else delete metadata.finalizers;
    const next: StoredObject = { ...(kind.rules.terminating?.(current) ?? current), metadata };
    if (!kind.rules.terminating && metadata.deletionGracePeriodSeconds === 0 && finalizers.length === 0) {
      return { object: wish.dryRun ? next : this.#store.remove(kind, key, next), gone: true };
    }
    if (wish.dryRun || isUnchanged(metadata, current.metadata)) return { object: current, gone: false };
    return { object: this.#store.put(kind, key, next), gone: false };
  }

  /** A second wish may shorten the grace of the first, never lengthen it. */
  #marked(old: StoredMeta, grace: number): StoredMeta {
    const oldGrace = old.deletionGracePeriodSeconds ?? 0;
    if (old.deletionTimestamp && grace >= oldGrace) return { ...old };
    const from = old.deletionTimestamp ? Date.parse(old.deletionTimestamp) - oldGrace * 1_000 : this.#clock.now();
    const metadata: StoredMeta = { ...old };
    metadata.deletionTimestamp = timestamp(from + grace * 1_000);
    metadata.deletionGracePeriodSeconds = grace;
    if (old.generation !== undefined && !old.deletionTimestamp) metadata.generation = old.generation + 1;
    return metadata;
  }
}

function isUnchanged(next: StoredMeta, old: StoredMeta): boolean {
  return (
    next.deletionTimestamp === old.deletionTimestamp &&
    next.deletionGracePeriodSeconds === old.deletionGracePeriodSeconds &&
    (next.finalizers ?? []).join() === (old.finalizers ?? []).join()
  );
}

/** Propagation other than Background is a finalizer that the garbage collector takes away when it has done its part. */
function finalizersFor(kind: Kind, metadata: StoredMeta, wish: DeleteWish): string[] {
  const own = metadata.finalizers ?? [];
  const others = own.filter((finalizer) => finalizer !== ORPHAN && finalizer !== FOREGROUND);
  switch (wish.propagationPolicy) {
    case "Background":
      return others;
    case "Foreground":
      return own.includes(FOREGROUND) ? own.filter((finalizer) => finalizer !== ORPHAN) : [...others, FOREGROUND];
    case "Orphan":
      return own.includes(ORPHAN) ? own.filter((finalizer) => finalizer !== FOREGROUND) : [...others, ORPHAN];
    default:
      return kind.rules.orphansByDefault === true && others.length === own.length ? [...own, ORPHAN] : [...own];
  }
}

function checkPreconditions(kind: Kind, current: StoredObject, { preconditions = {} }: DeleteWish): void {
  const { name, uid, resourceVersion } = current.metadata;
  if (preconditions.uid && preconditions.uid !== uid) {
    const why = `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid})`;
    throw preconditionFailed(kind, name, `${why}. The object might have been deleted and then recreated`);
  }
  if (preconditions.resourceVersion && preconditions.resourceVersion !== resourceVersion) {
    const { resourceVersion: asked } = preconditions;
    const why = `the ResourceVersion in the precondition (${asked}) does not match the ResourceVersion in record (${resourceVersion})`;
    throw preconditionFailed(kind, name, `${why}. The object might have been modified`);
  }
}
