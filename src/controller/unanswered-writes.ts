import type { CachedKind } from "./cached-kinds.ts";

interface Unanswered {
  readonly ownerUid: string;
  readonly kinds: Set<CachedKind>;
}

/**
 * Writes that were sent and whose answer did not come: nobody knows whether they were done, nor at which version. A consistent read,
 * sent afterwards, says up to which version a cache must have come to show them if they were.
 *
 * Does not help against a server that goes on with the write after its connection broke, and does it after the read.
 */
export class UnansweredWrites {
  readonly #keys: Map<string, Unanswered> = new Map();
  #history = 0;

  add(owner: { readonly key: string; readonly uid: string }, kind: CachedKind): void {
    const known = this.#keys.get(owner.key);
    if (known?.ownerUid === owner.uid) known.kinds.add(kind);
    else this.#keys.set(owner.key, { ownerUid: owner.uid, kinds: new Set([kind]) });
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  /**
   * Reads the version of each kind in question and hands it on. Errors: those of the read; what is not known yet then stays
   * unanswered.
   */
  async settle(
    key: string,
    read: (kind: CachedKind) => Promise<string>,
    known: (ownerUid: string, kind: CachedKind, version: string) => void,
  ): Promise<void> {
    const unanswered = this.#keys.get(key);
    if (!unanswered) return;
    const history = this.#history;
    for (const kind of unanswered.kinds) {
      const version = await read(kind);
      // A history that has gone back meanwhile took the write along, or the read came after it and holds nobody back.
      if (history !== this.#history) return;
      known(unanswered.ownerUid, kind, version);
      unanswered.kinds.delete(kind);
    }
    this.#keys.delete(key);
  }

  /** The owner with this uid is gone; "" means whichever had this name. */
  clear(key: string, ownerUid: string): void {
    if (ownerUid === "" || this.#keys.get(key)?.ownerUid === ownerUid) this.#keys.delete(key);
  }

  /** The server's history went back: versions read before mean nothing any more. */
  clearAll(): void {
    this.#history += 1;
    this.#keys.clear();
  }
}
