import { Cron } from "croner";
import { messageOf } from "../base/index.ts";
import { type CronLine, readCronLine } from "./cron-line.ts";
import { TimeZone } from "./time-zone.ts";

/** Kubernetes takes a line that fires at no time in five years for one that never fires. */
const HORIZON_MS = 5 * 366 * 24 * 3_600_000;

/** The end of the year 9999: what the API has for times. */
const LAST_MS = 253_402_300_799_000;

/** As kube-controller-manager: beyond a hundred missed starts it only says "too many". */
const MOST_MISSED = 100;

const WRITTEN_ZONE = /^(?:CRON_)?TZ=(\S*)\s+(.*)$/s;

/** Clusters have many CronJobs and few lines, and reading one takes longer than judging what has it. */
const MOST_KEPT = 1_000;
const kept: Map<string, ParsedSchedule> = new Map();

export type ParsedSchedule =
  | { readonly schedule: Schedule }
  | { readonly reason: "UnparseableSchedule" | "UnknownTimeZone"; readonly why: string };

/** What is due in a span of time. */
export interface Missed {
  /** Wall time in milliseconds of the first ones, in order: at most a hundred. */
  readonly times: readonly number[];
  readonly more: boolean;
}

/**
 * The times of a CronJob's line, as kube-controller-manager computes them. Clocks that are put forward skip what falls into the gap,
 * clocks that are put back fire twice what falls into the hour that comes twice. The library alone would run once in both cases: it
 * is asked in UTC, for each stretch of time in which the zone's clocks run evenly.
 */
export class Schedule {
  readonly #line: CronLine;
  readonly #cron: Cron | undefined;
  readonly #zone: TimeZone;
  /** The last question and its answer: one verdict asks the same several times, and CronJobs with one line ran last at one time. */
  #asked: number | undefined;
  #answer: number | undefined;

  private constructor(line: CronLine, zone: TimeZone) {
    this.#line = line;
    this.#zone = zone;
    if ("pattern" in line && line.pattern !== undefined) {
      this.#cron = new Cron(line.pattern, { utcOffset: 0, mode: "5-part", domAndDow: line.bothDays });
    }
  }

  /**
   * Never throws. Without a time zone the controller uses its own, which is UTC wherever it runs in a container. A zone in the line
   * (`TZ=`) is refused for new CronJobs and still obeyed for old ones.
   */
  static parse(line: string, timeZone: string | undefined): ParsedSchedule {
    const key = JSON.stringify([line, timeZone]);
    const known = kept.get(key);
    if (known) return known;
    const parsed = Schedule.#read(line, timeZone);
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(key, parsed);
    return parsed;
  }

  static #read(line: string, timeZone: string | undefined): ParsedSchedule {
    const [, writtenZone, writtenLine] = WRITTEN_ZONE.exec(line) ?? [];
    const zoneName = writtenZone ?? timeZone ?? "UTC";
    const zone = TimeZone.of(zoneName);
    if (!zone) return { reason: "UnknownTimeZone", why: `there is no time zone "${zoneName}"` };
    try {
      return { schedule: new Schedule(readCronLine(writtenLine ?? line), zone) };
    } catch (error) {
      return { reason: "UnparseableSchedule", why: messageOf(error) };
    }
  }

  /** The first time after this one, wall time in milliseconds; undefined: never within five years, or out of the calendar. */
  next(after: number): number | undefined {
    if (after !== this.#asked) {
      this.#answer = this.#find(after);
      this.#asked = after;
    }
    return this.#answer;
  }

  #find(after: number): number | undefined {
    if (!(after >= 0 && after <= LAST_MS - HORIZON_MS)) return undefined;
    if ("everyMs" in this.#line) return Math.floor(after / 1_000) * 1_000 + this.#line.everyMs;
    // Of the stretch in which the clocks run evenly: its start, and the last second that is not asked for any more.
    let stretch = after;
    let asked = after;
    while (this.#cron && stretch - after <= HORIZON_MS) {
      const offset = this.#zone.offsetAt(stretch);
      const local = this.#cron.nextRun(new Date(asked + offset))?.getTime();
      const found = local === undefined ? Number.POSITIVE_INFINITY : local - offset;
      const change = this.#zone.changeBetween(stretch, Math.min(found, after + HORIZON_MS));
      if (change === undefined) return found - after <= HORIZON_MS ? found : undefined;
      stretch = change;
      asked = change - 1_000;
    }
    return undefined;
  }

  /** What was due after `from` and not after `to`. */
  missed(from: number, to: number): Missed {
    const times: number[] = [];
    for (let at = this.next(from); at !== undefined && at <= to; at = this.next(at)) {
      if (times.length === MOST_MISSED) return { times, more: true };
      times.push(at);
    }
    return { times, more: false };
  }
}
