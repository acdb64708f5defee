import { countBefore, type HeadView } from "../../head/index.ts";

/** When a change was committed: after the one, by the other. Monotonic milliseconds. */
export interface CommitBounds {
  readonly after: number;
  readonly by: number;
}

/**
 * A read that did not have the change was sent before it was committed; its arrival, or the answer to a read that had it, came after.
 * Undefined without such a read, and where the table began later: then nothing says when it was not there yet.
 */
export function commitBounds(
  { start, points, reads }: HeadView,
  version: bigint,
  arrivedAt: number,
): CommitBounds | undefined {
  const without = countBefore(reads, (read) => read.version < version);
  const after = reads[without - 1]?.sentAt;
  if (after === undefined || version <= start) return undefined;
  const point = points[countBefore(points, ({ last }) => last < version)];
  const seenAt = point?.first === version ? point.firstArrival : Number.POSITIVE_INFINITY;
  const by = Math.min(arrivedAt, seenAt, reads[without]?.answeredAt ?? Number.POSITIVE_INFINITY);
  return { after, by };
}
