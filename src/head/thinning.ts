import type { HeadPoint, HeadRead } from "./head-view.ts";

/** Neighbours are merged as far as this part of their age: what is old may be told less exactly. */
const SHARE_OF_AGE = 1 / 32;
const FINEST_MS = 10;
/** Beyond this, what lies beside a gap is given up to it, so that gaps cannot fill the table either. */
const GAPS_GROW_ABOVE_MS = 3_600_000;

/**
 * Merges neighbours until at most `limit` points are left. A bucket keeps when its first event cannot yet have been there, and when
 * its last arrived, so that bounds taken from it widen and stay true.
 */
export function thinPoints(points: readonly HeadPoint[], now: number, limit: number): HeadPoint[] {
  let thinned = [...points];
  for (let finestMs = FINEST_MS; thinned.length > limit; finestMs *= 2) {
    thinned = mergeNeighbours(thinned, now, finestMs);
  }
  return thinned;
}

function mergeNeighbours(points: readonly HeadPoint[], now: number, finestMs: number): HeadPoint[] {
  const merged: HeadPoint[] = [];
  for (const point of points) {
    const before = merged.at(-1);
    const widest = Math.max(finestMs, (now - point.lastArrival) * SHARE_OF_AGE);
    const fits = before && point.lastArrival - before.firstArrival <= widest;
    const alike = before && (before.events === 0) === (point.events === 0);
    if (before && fits && (alike || finestMs > GAPS_GROW_ABOVE_MS)) merged[merged.length - 1] = merge(before, point);
    else merged.push(point);
  }
  return merged;
}

function merge(first: HeadPoint, last: HeadPoint): HeadPoint {
  const isGap = first.events === 0 || last.events === 0;
  return {
    first: first.first,
    last: last.last,
    notBefore: first.notBefore,
    firstArrival: first.firstArrival,
    lastArrival: last.lastArrival,
    events: isGap ? 0 : first.events + last.events,
  };
}

/** Forgets reads that lie close together for their age, at least down to `limit`. The newest is kept. */
export function thinReads(reads: readonly HeadRead[], now: number, limit: number): HeadRead[] {
  let thinned = [...reads];
  for (let finestMs = FINEST_MS; thinned.length > limit; finestMs *= 2) {
    const kept: HeadRead[] = [];
    for (const [index, read] of thinned.entries()) {
      const before = kept.at(-1);
      const next = thinned[index + 1];
      const widest = Math.max(finestMs, (now - read.sentAt) * SHARE_OF_AGE);
      // Dropped only where the next one is still close to the last one kept.
      if (!before || !next || next.sentAt - before.sentAt > widest) kept.push(read);
    }
    thinned = kept;
  }
  return thinned;
}
