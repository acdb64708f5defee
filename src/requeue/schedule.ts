import { parseDuration, StalewatchError } from "../base/index.ts";
import { doubledMs } from "./doubling.ts";
import type { Due } from "./due.ts";
import type { Interval } from "./interval.ts";
import { uidJitterMs } from "./uid-jitter.ts";
import { canHaveHappened, requireTime } from "./wall-time.ts";

export interface ScheduleOptions<N extends string> {
  /** How often unless an object says otherwise, and the name of its requeues. Of sort "schedule". */
  interval: Interval<N>;
  /** What it starts: backoffs go by this name, and schedules may share it. The interval's name unless given. */
  op?: string;
  /** Where objects set an interval of their own, for error messages: "spec.drift.intervalSeconds". */
  field?: string;
  /** The interval doubles with each consecutive reading, up to this ("5m" or milliseconds). It stays as it is unless given. */
  doublesTo?: string | number;
  /** Due once, an interval after `since`, and again only when `since` has moved past the last run. */
  once?: true;
  /**
   * It cannot be turned off: where an object's interval is 0 the schedule's counts, and where that is 0 too, this ("30m" or
   * milliseconds). Unless given, an interval of 0 is never due.
   */
  neverOff?: string | number;
  /** false: it goes on while a change of the object's inputs waits to be applied. true unless given. */
  readsInputs?: boolean;
}

/** What a schedule must know of one object. Times are wall time in milliseconds. */
export interface ScheduleInput {
  /** The object's, for its jitter. */
  readonly uid: string | undefined;
  /** The end of the last run; undefined before the first one. */
  readonly last?: number | undefined;
  /** What the first run is counted from (or, with `once`, each): the last apply, or the object's creation. Due at once without. */
  readonly since?: number | undefined;
  /** The object's own interval, milliseconds; the schedule's when undefined. */
  readonly everyMs?: number | undefined;
  /** Consecutive readings that keep it waiting, for a schedule that doubles. */
  readonly readings?: number | undefined;
}

/**
 * Work that falls due by the clock: an interval after the last run, plus a jitter of up to a tenth of that interval which the
 * object's uid decides.
 *
 * Promises: pure and without state, so a restart changes no due time; never due more than an interval, its jitter and a minute
 * from now, whatever the clock was set to (a last run in the future makes it due at once: early rather than late). Does not wait
 * and does not start anything: `nextLook` weighs schedules against what else holds for the object.
 */
export class Schedule<N extends string = string> {
  readonly interval: Interval<N>;
  readonly op: string;
  readonly readsInputs: boolean;
  readonly #field: string;
  readonly #longestMs: number | undefined;
  readonly #once: boolean;
  readonly #neverOffMs: number | undefined;

  /**
   * Errors: `BAD_SCHEDULE` for an interval that is none of a schedule, a longest interval below the first, and one of zero to fall
   * back on; `BAD_DURATION`.
   */
  constructor(options: ScheduleOptions<N>) {
    const { interval, doublesTo, neverOff } = options;
    this.interval = interval;
    this.op = options.op ?? interval.name;
    this.readsInputs = options.readsInputs ?? true;
    this.#field = options.field ?? `the interval of ${interval.name}`;
    this.#longestMs = typeof doublesTo === "string" ? parseDuration(doublesTo) : doublesTo;
    this.#neverOffMs = typeof neverOff === "string" ? parseDuration(neverOff) : neverOff;
    this.#once = options.once ?? false;
    if (interval.sort !== "schedule") {
      throw badSchedule(`${interval.name} is a ${interval.sort}`, 'define it with sort "schedule"');
    }
    requireLength(`the interval of ${interval.name}`, interval.ms);
    if (this.#neverOffMs !== undefined && !(this.#neverOffMs > 0)) {
      throw badSchedule(
        `${interval.name} is never off and falls back on ${this.#neverOffMs} ms`,
        'give a duration, as "30m"',
      );
    }
    if (this.#longestMs !== undefined && !(this.#longestMs >= interval.ms)) {
      throw badSchedule(
        `${interval.name} doubles from ${interval.ms} ms to ${this.#longestMs} ms`,
        "give a longest interval that is not shorter than the first",
      );
    }
  }

  /**
   * When it is due, in the past if it is overdue; undefined when it is off or (with `once`) done.
   * Errors: `BAD_SCHEDULE` for an interval or a count of readings that is negative or no number; `BAD_TIME`.
   */
  due(input: ScheduleInput, now: number): Due | undefined {
    const gapMs = this.#gapMs(input);
    const from = this.#countsFrom(input, now);
    if (gapMs === undefined || from === "done") return undefined;
    const { interval, op, readsInputs } = this;
    const at = from === undefined || !canHaveHappened(from, now) ? now : from + gapMs + uidJitterMs(input.uid, gapMs);
    return { interval, op, readsInputs, at };
  }

  /** undefined: it is off. */
  #gapMs({ everyMs = this.interval.ms, readings = 0 }: ScheduleInput): number | undefined {
    requireLength(this.#field, everyMs);
    requireLength(`the number of readings for ${this.interval.name}`, readings);
    const chosenMs = this.#neverOffMs === undefined ? everyMs : everyMs || this.interval.ms || this.#neverOffMs;
    if (chosenMs === 0 && !this.#once) return undefined;
    return this.#longestMs === undefined ? chosenMs : doubledMs(chosenMs, readings, this.#longestMs);
  }

  #countsFrom({ last, since }: ScheduleInput, now: number): number | undefined | "done" {
    if (last !== undefined) requireTime(`the last run of ${this.interval.name}`, last);
    if (since !== undefined) requireTime(`what ${this.interval.name} is counted from`, since);
    if (!this.#once) return last ?? since;
    if (since === undefined) return "done";
    return last !== undefined && last >= since && canHaveHappened(last, now) ? "done" : since;
  }
}

function requireLength(what: string, value: number): void {
  if (Number.isFinite(value) && value >= 0) return;
  throw badSchedule(`${what} is ${value}`, "give 0 or more");
}

function badSchedule(message: string, remedy: string): StalewatchError {
  return new StalewatchError("BAD_SCHEDULE", message, remedy);
}
