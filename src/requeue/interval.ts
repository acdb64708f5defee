import { parseDuration, StalewatchError } from "../base/index.ts";

/**
 * Why a controller looks again later. A *wait* is a fallback for an event that should come first, a *schedule* is work that falls
 * due by the clock alone, a *backoff* spaces out tries after failures.
 */
export type IntervalSort = "wait" | "schedule" | "backoff";

/** Where the duration was set. */
export type IntervalSource = "compiled in" | `flag --${string}` | `field ${string}`;

/**
 * A reason to look again, with a name that metrics, traces and people use. Made by `defineInterval`, declared in the
 * `intervals` of a controller, asked for by `requeue.after(interval)`.
 */
export interface Interval<N extends string = string> {
  readonly name: N;
  readonly sort: IntervalSort;
  /** Milliseconds. */
  readonly ms: number;
  readonly source: IntervalSource;
}

export interface IntervalOptions<N extends string> {
  /** Letters, digits, `_` and `-`, a letter first: it is a label value in every metric of requeues. */
  name: N;
  sort: IntervalSort;
  /** "30s", "10m", or milliseconds. Zero only for a schedule, which says whether that means at once or never. */
  duration: string | number;
  /** "compiled in" unless given. */
  source?: IntervalSource;
}

/**
 * Declares an interval.
 * Errors: `BAD_INTERVAL` for a name that cannot be a label or a duration that is negative, not finite, or zero in a wait or
 * backoff (the pass would spin); `BAD_DURATION` for a text that is no duration.
 */
export function defineInterval<const N extends string>(options: IntervalOptions<N>): Interval<N> {
  const { name, sort, duration, source = "compiled in" } = options;
  if (!/^[A-Za-z][\w-]{0,62}$/.test(name)) {
    throw new StalewatchError(
      "BAD_INTERVAL",
      `"${name}" cannot name an interval`,
      "use up to 63 letters, digits, _ and -, beginning with a letter",
    );
  }
  const ms = typeof duration === "number" ? duration : parseDuration(duration);
  const shortest = sort === "schedule" ? "zero or more" : "more than zero";
  if (!Number.isFinite(ms) || ms < 0 || (ms === 0 && sort !== "schedule")) {
    throw new StalewatchError("BAD_INTERVAL", `interval ${name} lasts ${ms} ms`, `give a ${sort} ${shortest}`);
  }
  return { name, sort, ms, source };
}

/**
 * The interval as a flag or field sets it: same name, same sort, another duration and source. The interval itself when `duration`
 * is undefined: nobody set it. Errors: as `defineInterval`.
 */
export function overrideInterval<N extends string>(
  interval: Interval<N>,
  duration: string | number | undefined,
  source: IntervalSource,
): Interval<N> {
  if (duration === undefined) return interval;
  return defineInterval<N>({ name: interval.name, sort: interval.sort, duration, source });
}

/**
 * One entry a name, in the order given. The same interval may be listed twice.
 * Errors: `BAD_INTERVAL` when one name stands for two durations or sorts, since their metrics could not be told apart.
 */
export function uniqueIntervals(intervals: Iterable<Interval>): readonly Interval[] {
  const byName = new Map<string, Interval>();
  for (const interval of intervals) {
    const known = byName.get(interval.name);
    if (known && (known.ms !== interval.ms || known.sort !== interval.sort)) {
      throw new StalewatchError(
        "BAD_INTERVAL",
        `two intervals are named ${interval.name}: a ${known.sort} of ${known.ms} ms and a ${interval.sort} of ${interval.ms} ms`,
        "give one of them another name",
      );
    }
    if (!known) byName.set(interval.name, interval);
  }
  return [...byName.values()];
}
