import { StalewatchError } from "../base/index.ts";

/** A cache that does not show yet what was written. */
export interface UnreadyCache {
  /** `group/resource`; the core group is empty: "/pods". */
  readonly groupResource: string;
  /** Where the cache stands. */
  readonly readVersion: string;
  /** Where it must come to. */
  readonly wroteVersion: string;
}

/** An owner is not ready: a cache does not show its own last write yet. Waiting is the remedy; the stores come to it by themselves. */
export class ConsistencyError extends StalewatchError implements UnreadyCache {
  override readonly name: string = "ConsistencyError";
  readonly groupResource: string;
  readonly readVersion: string;
  readonly wroteVersion: string;

  constructor(owner: string, { groupResource, readVersion, wroteVersion }: UnreadyCache) {
    super(
      "CACHE_STALE",
      `the cache of ${groupResource} stands at version ${readVersion}, but ${wroteVersion} was written for ${owner}`,
      "wait until it has caught up",
    );
    this.groupResource = groupResource;
    this.readVersion = readVersion;
    this.wroteVersion = wroteVersion;
  }
}
