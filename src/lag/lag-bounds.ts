import { countBefore, type HeadPoint, type HeadRead, type HeadView } from "../head/index.ts";

/** A cache as it was seen: at `version`, at some time from `sentAt` to `receivedAt` (monotonic milliseconds). */
export interface Sighting {
  readonly version: bigint;
  readonly sentAt: number;
  readonly receivedAt: number;
  /**
   * "same": the cache holds exactly the objects that the table hears about. "unknown": it may hold fewer, so that an event need not
   * be one that it misses.
   */
  readonly scope: "same" | "unknown";
}

/** The true lag lies between the two; milliseconds, never negative. */
export interface LagBounds {
  readonly minMs: number;
  /** Undefined: there is none. */
  readonly maxMs: number | undefined;
  /** Events that the cache has yet to see; the largest number possible. Undefined where they cannot be counted. */
  readonly eventsBehind: number | undefined;
  /** The read that `maxMs` rests on; undefined when it is a forgotten one. */
  readonly confirmedBy: HeadRead | undefined;
}

const NOTHING_KNOWN: LagBounds = { minMs: 0, maxMs: undefined, eventsBehind: undefined, confirmedBy: undefined };

/**
 * How long ago the first change that this cache misses was committed; 0 when it misses none. docs/lag.md has the argument.
 *
 * Upper bound: a read that was answered with a version below that change was sent before it was committed. Only reads say so: events
 * and bookmarks may have been on their way for any time. Lower bound: what has arrived, or what a read's answer covers, was committed.
 */
export function lagBounds(head: HeadView, seen: Sighting): LagBounds {
  if (seen.sentAt < head.beganAt) return NOTHING_KNOWN;
  const at = countBefore(head.points, ({ last }) => last <= seen.version);
  const confirmedBy = lastReadWithout(head, seen.version, head.points[at]);
  const notBefore = Math.max(knownNotBefore(head.points[at]), confirmedBy?.sentAt ?? Number.NEGATIVE_INFINITY);
  const bounded = seen.version >= head.start && notBefore > Number.NEGATIVE_INFINITY;
  const since = seen.scope === "same" ? committedBy(head, seen.version, at) : undefined;
  return {
    minMs: since === undefined ? 0 : Math.max(0, seen.sentAt - since),
    maxMs: bounded ? Math.max(0, seen.receivedAt - notBefore) : undefined,
    eventsBehind: eventsAbove(head, seen, at),
    confirmedBy: bounded ? confirmedBy : undefined,
  };
}

/** The last read that proves that the first missing change, at or after `point`, had not been committed when it was sent. */
function lastReadWithout(head: HeadView, version: bigint, point: HeadPoint | undefined): HeadRead | undefined {
  const known = point ? point.first - 1n : head.position;
  const most = known > version ? known : version;
  return head.reads[countBefore(head.reads, (read) => read.version <= most) - 1];
}

function knownNotBefore(point: HeadPoint | undefined): number {
  return point?.notBefore ?? Number.NEGATIVE_INFINITY;
}

/** When some change above `version` was committed at the latest: gaps prove none. */
function committedBy({ points, reads }: HeadView, version: bigint, at: number): number | undefined {
  const point = points.slice(at).find(({ events }) => events > 0);
  if (!point) return undefined;
  // Inside a bucket the change may be its last.
  const isFirst = version < point.first;
  const latest = isFirst ? point.first : point.last;
  const arrival = isFirst ? point.firstArrival : point.lastArrival;
  const read = reads[countBefore(reads, (earlier) => earlier.version < latest)];
  return Math.min(arrival, read?.answeredAt ?? Number.POSITIVE_INFINITY);
}

function eventsAbove({ start, points }: HeadView, { version, scope }: Sighting, at: number): number | undefined {
  const above = points.slice(at);
  if (scope === "unknown" || version < start || above.some(({ events }) => events === 0)) return undefined;
  const total = above.reduce((sum, { events }) => sum + events, 0);
  const seenOne = above[0] !== undefined && above[0].first <= version;
  return seenOne ? total - 1 : total;
}
