import type { VersionedStore } from "../cache/index.ts";
import { compareVersions } from "../resources/index.ts";
import { ConsistencyError, type UnreadyCache } from "./consistency-error.ts";

export interface ConsistencyStoreOptions {
  /** The caches that passes read, by `group/resource`. May be filled later. */
  stores: ReadonlyMap<string, Pick<VersionedStore, "lastStoreSyncResourceVersion">>;
}

/** What was written for one owner: for each uid that it has had, the highest version by resource. The last writer comes last. */
type Written = Map<string, Map<string, string>>;

/**
 * Remembers at which versions an owner's passes wrote, and tells whether the caches show it yet: a pass that reads its own writes
 * does not do them twice (https://github.com/kubernetes/enhancements/issues/5647).
 *
 * Promises: an owner is never ready while a cache that can be compared stands below what was written for it. It fails open, as
 * upstream does: a resource without a cache, a cache before its first list, and versions that are no numbers hold nothing back.
 * Holds owners with unseen writes only. Does not see deletes that leave no version, nor writes whose answer was lost.
 * Called by the controller: `unready` or `ensureReady` first in a pass, `wroteAt` at each write, `clear` when the owner is gone;
 * never at the same time for one owner, which the queue sees to.
 */
export class ConsistencyStore {
  readonly #stores: ConsistencyStoreOptions["stores"];
  readonly #owners: Map<string, Written> = new Map();

  constructor({ stores }: ConsistencyStoreOptions) {
    this.#stores = stores;
  }

  /** Owners with writes that no `unready` has found to be shown yet. */
  get size(): number {
    return this.#owners.size;
  }

  /**
   * A write for `owner` (namespace/name) was answered with `version`. The higher of two versions of a resource stays; where they
   * cannot be compared, the later call counts.
   *
   * A write for another uid starts a new account, and the last writer's is the one that counts. Uids have no order, so a late
   * write for the old object looks like a new owner: upstream then forgets what was written for the new one. Here it is kept
   * beside, until a pass that says which uid it reads (`unready`) settles which one lives.
   */
  wroteAt(owner: string, uid: string, groupResource: string, version: string): void {
    const written: Written = this.#owners.get(owner) ?? new Map();
    const versions = written.get(uid) ?? new Map<string, string>();
    const before = versions.get(groupResource);
    if (before === undefined || compareVersions(version, before) !== -1) versions.set(groupResource, version);
    written.delete(uid);
    written.set(uid, versions);
    this.#owners.set(owner, written);
  }

  /**
   * The caches that do not show yet what was written for `owner`, by name; none when its pass may run. What was written is then
   * forgotten. `uid` is that of the object that the pass read; without one, the last writer's account is judged, as upstream
   * does. Accounts of other uids are forgotten either way.
   */
  unready(owner: string, uid?: string): readonly UnreadyCache[] {
    const written = this.#owners.get(owner);
    if (!written) return [];
    const judged = uid ?? [...written.keys()].at(-1) ?? "";
    for (const other of written.keys()) if (other !== judged) written.delete(other);
    const unready = this.#behind(written.get(judged) ?? new Map<string, string>());
    if (unready.length === 0) this.#owners.delete(owner);
    return unready.sort((a, b) => (a.groupResource < b.groupResource ? -1 : 1));
  }

  /** The first of `unready`, as an error to log or throw; undefined when the pass may run. */
  ensureReady(owner: string, uid?: string): ConsistencyError | undefined {
    const [first] = this.unready(owner, uid);
    return first && new ConsistencyError(owner, first);
  }

  /** The owner is gone: forgets what was written for this uid, or with "" for whichever had this name. */
  clear(owner: string, uid: string): void {
    const written = this.#owners.get(owner);
    if (uid !== "") written?.delete(uid);
    if (uid === "" || written?.size === 0) this.#owners.delete(owner);
  }

  /** The server went back to older versions (it was restored): what was written before can never be reached. */
  clearAll(): void {
    this.#owners.clear();
  }

  #behind(versions: ReadonlyMap<string, string>): UnreadyCache[] {
    const behind: UnreadyCache[] = [];
    for (const [groupResource, wroteVersion] of versions) {
      const readVersion = this.#stores.get(groupResource)?.lastStoreSyncResourceVersion() ?? "";
      if (compareVersions(readVersion, wroteVersion) === -1) behind.push({ groupResource, readVersion, wroteVersion });
    }
    return behind;
  }
}
