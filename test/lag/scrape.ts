import type { HeadView } from "../../src/head/index.ts";
import type { LagAnswer } from "../../src/lag/index.ts";
import type { Commit } from "./world-server.ts";

/** What the observer had in hand when a scrape was answered, and the truth that it did not. */
export interface Scrape {
  readonly view: HeadView;
  /** The same without any thinning. */
  readonly full: HeadView;
  readonly version: number;
  readonly sentAt: number;
  readonly takenAt: number;
  readonly receivedAt: number;
  readonly truth: number;
  /** The same for a cache of the whole kind, where this one is filtered. */
  readonly truthOfKind: number;
  /** The first change that the cache misses. */
  readonly missed: Commit | undefined;
  readonly answer: LagAnswer;
  /** Bookmarks and events with their arrival at the head watch, for rules that wrongly use them. */
  readonly heard: () => readonly Heard[];
  /** Some time later, and the truth then: for rules that wrongly date by it. */
  readonly lateBy: number;
  readonly truthLater: number;
  /** How far the wall clock had been set by the time, for rules that wrongly use it. */
  readonly wallOffset: (at: number) => number;
}

export interface Heard {
  readonly version: number;
  readonly at: number;
  readonly isBookmark: boolean;
}

export interface World {
  readonly traits: Traits;
  readonly scrapes: readonly Scrape[];
  /** Scrapes that got no answer because the head watch was in doubt. */
  readonly unanswered: number;
  /** How often the head was suspected of a history that went back, without a restore. */
  readonly suspicions: number;
}

export interface Traits {
  /** Consistent reads of any sort: by probes, by heartbeats, or both. */
  readonly reads: boolean;
  readonly heartbeats: boolean;
  readonly filtered: boolean;
  /** The head watch is quick, has bookmarks and reads of a kind that matters, and nothing breaks. */
  readonly healthy: boolean;
  /** "mild": as a real table after a day; "harsh": to next to nothing. */
  readonly thinned: "no" | "mild" | "harsh";
  readonly readEveryMs: number;
  /** Of a read, with what the slowest API server adds. */
  readonly longestRoundTripMs: number;
}
