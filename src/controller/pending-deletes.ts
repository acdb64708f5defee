import { keyOf, type ObjectRef } from "../resources/index.ts";
import type { CachedKind } from "./cached-kinds.ts";

/** An object that is gone on the server, and that its cache shows as if it were to stay. */
export interface PendingDelete {
  readonly kind: CachedKind;
  readonly uid: string;
  /** Whether the cache shows it no longer, or shows that it is being deleted. */
  readonly isShown: () => boolean;
}

const NONE: readonly PendingDelete[] = [];

interface Deletes {
  readonly ownerUid: string;
  readonly byUid: Map<string, PendingDelete>;
}

/**
 * What passes have deleted and the caches still show: the answer to a delete has no version that one could wait for. By uid, so that an
 * object made anew under the name is not taken for the old one. Holds owners with deletes that are not shown only.
 */
export class PendingDeletes {
  readonly #owners: Map<string, Deletes> = new Map();

  add(owner: { readonly key: string; readonly uid: string }, kind: CachedKind, ref: ObjectRef, uid: string): void {
    const known = this.#owners.get(owner.key);
    const deletes = known?.ownerUid === owner.uid ? known : { ownerUid: owner.uid, byUid: new Map() };
    this.#owners.set(owner.key, deletes);
    const key = keyOf(ref);
    const isShown = (): boolean => {
      const cached = kind.lister.get(key)?.metadata;
      return cached?.uid !== uid || cached.deletionTimestamp !== undefined;
    };
    deletes.byUid.set(uid, { kind, uid, isShown });
  }

  /** Those of the owner that are not shown; the others are forgotten. */
  pending(ownerKey: string): readonly PendingDelete[] {
    const deletes = this.#owners.get(ownerKey);
    if (!deletes) return NONE;
    for (const [uid, pending] of deletes.byUid) if (pending.isShown()) deletes.byUid.delete(uid);
    if (deletes.byUid.size === 0) this.#owners.delete(ownerKey);
    return [...deletes.byUid.values()];
  }

  /** The owner with this uid is gone; "" means whichever had this name. */
  clear(ownerKey: string, ownerUid: string): void {
    if (ownerUid === "" || this.#owners.get(ownerKey)?.ownerUid === ownerUid) this.#owners.delete(ownerKey);
  }

  clearAll(): void {
    this.#owners.clear();
  }
}
