/**
 * How a consistent read came about: to begin (or go on after a gap), in its turn, by a verification watch, or as the answer to a write
 * of our own, whose version says the same.
 */
export type ReadSource = "list" | "probe" | "verify" | "heartbeat";

/** A consistent read: everything that was committed before `sentAt` has a version of at most `version`. Monotonic milliseconds. */
export interface HeadRead {
  readonly version: bigint;
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly source: ReadSource;
}

/**
 * One event, or a bucket of neighbouring ones that memory no longer tells apart, or a gap: a stretch in which nobody watched.
 * Monotonic milliseconds.
 */
export interface HeadPoint {
  /** Of the first event; in a gap, the first version that is not known about. */
  readonly first: bigint;
  readonly last: bigint;
  /** When a read was sent that did not yet have `first`: nothing of this point was committed before. -Infinity without such a read. */
  readonly notBefore: number;
  readonly firstArrival: number;
  readonly lastArrival: number;
  /** How many events; 0 in a gap, which may hold none. */
  readonly events: number;
}

/** What is known of a kind's changes with versions in (start, position]; valid until the table is written to again. */
export interface HeadView {
  /** When the read was answered that the knowledge begins with. It says nothing of a server's history before (a restore may lie between). */
  readonly beganAt: number;
  readonly start: bigint;
  readonly position: bigint;
  /** In order of version, without overlap. Between two of them there was no change. */
  readonly points: readonly HeadPoint[];
  /** In order of version and of time. Some may have been forgotten. */
  readonly reads: readonly HeadRead[];
}

/** How many of `items` (in order) satisfy `isBefore`, which holds for a leading part of them. */
export function countBefore<T>(items: readonly T[], isBefore: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(items[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}
