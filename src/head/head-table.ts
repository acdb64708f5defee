import { isComparableVersion } from "../resources/index.ts";
import { countBefore, type HeadPoint, type HeadRead, type HeadView, type ReadSource } from "./head-view.ts";
import { thinPoints, thinReads } from "./thinning.ts";

export interface HeadTableOptions {
  /** Whether consistent reads are kept as evidence (without any no lag has an upper bound); true unless given. Heartbeats always are. */
  readonly keepsReads?: boolean;
  /**
   * Where to begin, by the version of the first read, which it is unless given, or if that is higher or no version. The watch goes on
   * from there.
   */
  readonly beginAt?: (version: bigint) => bigint;
  /** Points, and as many reads, that are kept at most; 2048 unless given. */
  readonly limit?: number;
}

/** A read as its sender tells it. Versions are the API's decimal strings; times are monotonic milliseconds. */
export interface AnsweredRead {
  readonly version: string;
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly source: ReadSource;
  /** `newest` of the table when it was sent: a lower answer shows that the server's history went back. */
  readonly newestBefore: bigint;
}

const LIMIT = 2_048;

/**
 * Contiguous knowledge of one kind's events on (start, position], with their arrival, and the consistent reads beside it.
 *
 * Promises: no change between `start` and `position` is missing, save in the points that say so (gaps); memory is bounded, however
 * long and busy the stream. Relies on its caller for one thing: events come from watches that go on exactly where `position` is.
 */
export class HeadTable {
  readonly #keepsReads: boolean;
  readonly #limit: number;
  readonly #beginAt: (version: bigint) => bigint;
  #beganAt = Number.NEGATIVE_INFINITY;
  #start = 0n;
  #position = 0n;
  #points: HeadPoint[] = [];
  #reads: HeadRead[] = [];
  /** Versions below it were answered or seen, whatever has been forgotten since. */
  #newest = 0n;
  #lastEvent: { version: string; arrivedAt: number } | undefined;
  #rewinds = 0;

  constructor({ keepsReads = true, beginAt = (version) => version, limit = LIMIT }: HeadTableOptions = {}) {
    this.#keepsReads = keepsReads;
    this.#beginAt = beginAt;
    this.#limit = limit;
  }

  /** Undefined until a first read has said where to begin. */
  view(): HeadView | undefined {
    if (this.#start === 0n) return undefined;
    return {
      beganAt: this.#beganAt,
      start: this.#start,
      position: this.#position,
      points: this.#points,
      reads: this.#reads,
    };
  }

  /** From here the watch goes on; 0 before the first read. */
  get position(): bigint {
    return this.#position;
  }

  /** The newest version that was seen or answered; reads that are sent later cannot be below it. */
  get newest(): bigint {
    return this.#newest;
  }

  /** The last event itself, not a bookmark or a read. */
  get lastEvent(): { readonly version: string; readonly arrivedAt: number } | undefined {
    return this.#lastEvent;
  }

  /** How often the server's history went back. */
  get rewinds(): number {
    return this.#rewinds;
  }

  /** True when it was news. What is at or below `position` was known. */
  event(version: string, arrivedAt: number): boolean {
    const event = parse(version);
    if (event === undefined || event <= this.#position) return false;
    this.#points.push({
      first: event,
      last: event,
      notBefore: this.#notBefore(event),
      firstArrival: arrivedAt,
      lastArrival: arrivedAt,
      events: 1,
    });
    this.#lastEvent = { version, arrivedAt };
    this.#advance(event);
    this.#thin(arrivedAt);
    return true;
  }

  /** Says that no further event of the kind lies at or below `version`; nothing about when that was so. */
  bookmark(version: string): void {
    const mark = parse(version);
    if (mark !== undefined && mark > this.#position) this.#advance(mark);
  }

  /**
   * Takes a consistent read: the first one begins the knowledge, later ones stand beside it. A read that shows that the history
   * went back ("rewind") begins it anew: nothing from before it is true of the server any more, nor are answers to what was asked
   * before it was answered ("outdated").
   */
  read(answer: AnsweredRead): "kept" | "outdated" | "rewind" | "unreadable" {
    const version = parse(answer.version);
    if (version === undefined) return "unreadable";
    const { sentAt, answeredAt, source } = answer;
    if (sentAt < this.#beganAt) return "outdated";
    const wentBack = version < answer.newestBefore;
    if (wentBack) this.#rewinds += 1;
    if (wentBack) this.#begin(version, version, answeredAt);
    else if (this.#start === 0n) this.#begin(this.#startFor(version), version, answeredAt);
    if (this.#keepsReads || source === "heartbeat") this.#keep({ version, sentAt, answeredAt, source });
    if (version > this.#newest) this.#newest = version;
    return wentBack ? "rewind" : "kept";
  }

  /** Nobody knows what happened above `position`, up to the version of a read: the watch goes on from there. */
  skipTo(version: string, now: number): void {
    const end = parse(version);
    if (end === undefined || end <= this.#position) return;
    const first = this.#position + 1n;
    const notBefore = this.#notBefore(first);
    this.#points.push({ first, last: end, notBefore, firstArrival: now, lastArrival: now, events: 0 });
    this.#advance(end);
    this.#thin(now);
  }

  #begin(start: bigint, newest: bigint, beganAt: number): void {
    this.#beganAt = beganAt;
    this.#start = start;
    this.#position = start;
    this.#newest = newest;
    this.#points = [];
    this.#reads = [];
    this.#lastEvent = undefined;
  }

  #startFor(version: bigint): bigint {
    const asked = this.#beginAt(version);
    // A watch from 0 is one of the present state, in any order: nothing that this could begin with.
    return asked > 0n && asked < version ? asked : version;
  }

  #advance(position: bigint): void {
    this.#position = position;
    if (position > this.#newest) this.#newest = position;
  }

  #keep(read: HeadRead): void {
    const last = this.#reads.at(-1);
    // What was asked later and answered with a lower version says the same of this one: the order of time is that of versions.
    if (!last) this.#reads.push(read);
    else if (read.version > last.version) this.#reads.push({ ...read, sentAt: Math.max(read.sentAt, last.sentAt) });
    // The server was at this version all the while: known since the first answer, up to the last question.
    else if (read.version === last.version && read.sentAt > last.sentAt) {
      this.#reads[this.#reads.length - 1] = { ...read, answeredAt: last.answeredAt };
    }
    if (this.#reads.length > this.#limit) this.#reads = thinReads(this.#reads, read.answeredAt, this.#limit / 2);
  }

  #notBefore(version: bigint): number {
    const count = countBefore(this.#reads, (read) => read.version < version);
    return this.#reads[count - 1]?.sentAt ?? Number.NEGATIVE_INFINITY;
  }

  #thin(now: number): void {
    if (this.#points.length > this.#limit) this.#points = thinPoints(this.#points, now, this.#limit / 2);
  }
}

function parse(version: string): bigint | undefined {
  return isComparableVersion(version) ? BigInt(version) : undefined;
}
