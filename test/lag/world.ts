import { type Random, seededRandom } from "../../src/base/index.ts";
import { HeadTable, type HeadView, type ReadSource } from "../../src/head/index.ts";

// One random history: a server with its record of commits, a head watch and a cache with delays of their own, reads, and scrapes.
// All in milliseconds of one monotonic scale, without promises, so that tens of thousands of them are quick.

interface Commit {
  readonly version: number;
  readonly at: number;
  /** Of the kind that is measured. */
  readonly ofKind: boolean;
  /** Inside the cache's selector. */
  readonly selected: boolean;
  /** When a restore took it back. */
  goneAt: number;
  /** When the head watch heard of it. */
  headArrival: number;
}

/** What the observer had in hand when a scrape was answered, and the truth that it did not. */
export interface Scrape {
  readonly view: HeadView;
  readonly version: number;
  readonly sentAt: number;
  readonly takenAt: number;
  readonly receivedAt: number;
  readonly truth: number;
  /** The first change that the cache misses. */
  readonly missed: Commit | undefined;
  /** Bookmarks and events with their arrival at the head watch, for rules that wrongly use them. */
  readonly heard: readonly { readonly version: number; readonly at: number; readonly isBookmark: boolean }[];
  /** The head as it is some time later, and that time: for rules that wrongly date by it. */
  readonly lateBy: number;
  readonly truthLater: number;
}

export interface World {
  readonly traits: Traits;
  readonly scrapes: readonly Scrape[];
  /** Scrapes that got no answer because the head watch was in doubt. */
  readonly unanswered: number;
}

interface Traits {
  readonly reads: boolean;
  readonly filtered: boolean;
  /** The head watch is quick, has bookmarks and reads of a kind that matters, and nothing breaks. */
  readonly healthy: boolean;
  readonly thinned: boolean;
  readonly readEveryMs: number;
  readonly longestRoundTripMs: number;
  readonly longestHeadDelayMs: number;
}

/** The head watch has followed the kind from here, longer than the longest delay, unless it began just now. */
const EARLIEST_MS = -700_000;
const SPAN_MS = 240_000;

export function randomWorld(seed: number): World {
  return new WorldMaker(seededRandom(seed)).make();
}

interface Item {
  readonly version: number;
  readonly at: number;
  readonly commit: Commit | undefined;
}

class WorldMaker {
  readonly #random: Random;
  readonly #commits: Commit[] = [];
  readonly #steps: { readonly at: number; readonly run: () => void }[] = [];
  readonly #heard: { version: number; at: number; isBookmark: boolean }[] = [];
  readonly #scrapes: Scrape[] = [];
  #table: HeadTable;
  #unanswered = 0;
  #inDoubt = false;
  readonly #traits: Traits;
  readonly #restoredAt: number;
  readonly #outageMs: number;
  readonly #headBase: number;
  readonly #cacheBase: number;

  constructor(random: Random) {
    this.#random = random;
    const healthy = this.#chance(0.3);
    const thinned = !healthy && this.#chance(0.3);
    const readEveryMs = this.#between(3, 30) * 1_000;
    this.#headBase = healthy || this.#chance(0.5) ? this.#between(1, 200) : this.#delay();
    this.#cacheBase = this.#chance(0.4) ? this.#between(1, 300) : this.#delay();
    this.#restoredAt = !healthy && this.#chance(0.15) ? this.#between(60_000, 180_000) : Number.POSITIVE_INFINITY;
    this.#outageMs = this.#between(100, 10_000);
    this.#traits = {
      reads: this.#chance(0.8),
      filtered: this.#chance(0.2),
      healthy,
      thinned,
      readEveryMs,
      longestRoundTripMs: 100,
      longestHeadDelayMs: 0,
    };
    this.#table = new HeadTable({ keepsReads: this.#traits.reads, limit: thinned ? 8 : 2_048 });
  }

  make(): World {
    this.#write();
    this.#head();
    const versionAt = this.#cache();
    for (let i = 0; i < 8; i += 1) this.#scrape(versionAt);
    this.#steps.sort((a, b) => a.at - b.at);
    for (const { run } of this.#steps) run();
    return { traits: this.#traits, scrapes: this.#scrapes, unanswered: this.#unanswered };
  }

  /** Busy and idle kinds, bursts, and other kinds that move the version. A restore gives versions out again. */
  #write(): void {
    const kindEvery = this.#pick([50, 2_000, 10_000, 60_000, 10_000_000]);
    const otherEvery = this.#pick([4_000, 15_000]);
    const beginsAt = kindEvery === 50 ? this.#between(-10_000, 200_000) : EARLIEST_MS - 60_000;
    let version = 100;
    let restored = false;
    let left = 800;
    for (let at = beginsAt; at < SPAN_MS && left > 0; left -= 1) {
      const isBurst = this.#chance(0.02);
      const ofKind = isBurst || this.#chance(otherEvery / (otherEvery + kindEvery));
      const gap = 1 / (1 / kindEvery + 1 / otherEvery);
      at += isBurst ? 0 : -Math.log(1 - this.#random()) * gap;
      if (!restored && at >= this.#restoredAt) {
        restored = true;
        version = this.#restore(version);
        at = this.#restoredAt + this.#outageMs + 200;
      }
      const burst = isBurst ? this.#between(2, 30) : 1;
      for (let i = 0; i < burst; i += 1) {
        version += this.#chance(0.8) ? 1 : this.#between(2, 5);
        const selected = ofKind && (!this.#traits.filtered || this.#chance(0.3));
        this.#commits.push({ version, at, ofKind, selected, goneAt: Infinity, headArrival: Infinity });
      }
    }
    if (!restored && this.#restoredAt < SPAN_MS) this.#restore(version);
  }

  #restore(version: number): number {
    const back = Math.max(100, version - this.#between(1, 80));
    for (const commit of this.#commits) {
      if (commit.version > back && commit.goneAt === Infinity) commit.goneAt = this.#restoredAt;
    }
    return back;
  }

  /** The head watch: sessions that begin at its position, reads on their own path, and what happens when it breaks. */
  #head(): void {
    const { healthy, readEveryMs } = this.#traits;
    const longBookmarks = this.#chance(0.8);
    const breaks: { at: number; forgets: boolean; restoreIsWhy: boolean }[] = [];
    if (this.#restoredAt < SPAN_MS)
      breaks.push({ at: this.#restoredAt, forgets: this.#chance(0.5), restoreIsWhy: true });
    else if (!healthy && this.#chance(0.3))
      breaks.push({ at: this.#between(20_000, 200_000), forgets: this.#chance(0.5), restoreIsWhy: false });
    const beginsAt = this.#chance(0.05) ? 0 : EARLIEST_MS;
    let from = beginsAt;
    for (const cut of [...breaks, undefined]) {
      const begin = from;
      const end = cut?.at ?? SPAN_MS;
      this.#readAt(begin, "list", () => {
        if (begin > beginsAt && breaks[0]?.forgets) this.#table.skipTo(this.#answered, begin + 1);
        this.#inDoubt = false;
        this.#session(begin + 60, end, healthy ? readEveryMs + 2_000 : longBookmarks ? 60_000 : Infinity);
      });
      const phase = healthy ? readEveryMs - 750 : this.#between(0, readEveryMs);
      const every = healthy ? readEveryMs + 2_000 : readEveryMs;
      for (let at = begin + 60 + phase; at < end - 200; at += every) this.#readAt(at, "probe");
      if (cut) {
        this.#steps.push({ at: cut.at, run: () => void (this.#inDoubt = true) });
        from = cut.at + this.#outageMs;
      }
    }
  }

  #answered = "";

  #readAt(sentAt: number, source: ReadSource, then?: () => void): void {
    const answeredAt = sentAt + this.#between(1, 50);
    const servedAt = this.#between(sentAt, answeredAt);
    let newestBefore = 0n;
    this.#steps.push({ at: sentAt, run: () => void (newestBefore = this.#table.newest) });
    this.#steps.push({
      at: answeredAt,
      run: () => {
        this.#answered = String(this.#versionAt(servedAt));
        this.#table.read({ version: this.#answered, sentAt, answeredAt, source, newestBefore });
        if (!then) return;
        then();
        this.#steps.sort((a, b) => a.at - b.at);
      },
    });
  }

  #session(begin: number, end: number, bookmarkEvery: number): void {
    const { position } = this.#table;
    const items = this.#itemsOfKind(begin, Number(position), bookmarkEvery);
    let last = begin;
    for (const { version, at, commit } of items) {
      const delay = this.#traits.healthy ? this.#between(1, 200) : this.#headBase + this.#jitter();
      const arrival = Math.max(last, at + delay);
      if (arrival >= end) return;
      last = arrival;
      this.#later(arrival, () => {
        this.#heard.push({ version, at: arrival, isBookmark: !commit });
        if (!commit) return this.#table.bookmark(String(version));
        commit.headArrival = Math.min(commit.headArrival, arrival);
        this.#table.event(String(version), arrival);
      });
    }
  }

  /** Steps that are found out on the way lie in the future of the one that runs. */
  #later(at: number, run: () => void): void {
    this.#steps.push({ at, run });
  }

  /** Events above a version, and bookmarks; in the order of the server that sends them. */
  #itemsOfKind(begin: number, above: number, bookmarkEvery: number): Item[] {
    const items: Item[] = this.#commits
      .filter((commit) => commit.ofKind && commit.version > above && commit.goneAt > begin)
      .map((commit) => ({ version: commit.version, at: Math.max(commit.at, begin), commit }));
    for (let at = begin + bookmarkEvery - 2_000; at < SPAN_MS; at += bookmarkEvery) {
      items.push({ version: this.#versionAt(at), at, commit: undefined });
    }
    return items.sort((a, b) => a.at - b.at || a.version - b.version);
  }

  /** The cache: events in its selector and bookmarks, late by its own delay; after a restore it holds on to the past for a while. */
  #cache(): (at: number) => number {
    const first = EARLIEST_MS - 30_000;
    const steps: { at: number; version: number }[] = [{ at: -Infinity, version: this.#versionAt(first) }];
    const back = this.#restoredAt + this.#between(0, 60_000);
    const follow = (begin: number, end: number, above: number): void => {
      let last = begin;
      for (const { version, at, commit } of this.#itemsOfKind(begin, above, this.#pick([60_000, Infinity]))) {
        if (commit && (!commit.selected || commit.at > end)) continue;
        const arrival = Math.max(last, at + this.#cacheBase + this.#jitter());
        if (arrival >= end) return;
        last = arrival;
        steps.push({ at: arrival, version });
      }
    };
    follow(first, this.#restoredAt, steps[0]?.version ?? 0);
    if (this.#restoredAt < SPAN_MS) {
      const relisted = this.#versionAt(back);
      steps.push({ at: back, version: relisted });
      follow(back, Infinity, relisted);
    }
    return (at) => steps.findLast((step) => step.at <= at)?.version ?? 0;
  }

  #scrape(versionAt: (at: number) => number): void {
    const sentAt = this.#between(5_000, SPAN_MS - 1_000);
    const takenAt = sentAt + this.#between(0, 200);
    const receivedAt = takenAt + this.#between(0, 200);
    const lateBy = this.#between(0, 30_000);
    this.#steps.push({
      at: receivedAt,
      run: () => {
        const view = this.#table.view();
        if (this.#inDoubt || !view) {
          this.#unanswered += 1;
          return;
        }
        const version = versionAt(takenAt);
        const missed = this.#firstMissed(version, takenAt);
        const laterVersion = versionAt(receivedAt + lateBy);
        const missedLater = this.#firstMissed(laterVersion, receivedAt + lateBy);
        this.#scrapes.push({
          view: { ...view, points: [...view.points], reads: [...view.reads] },
          version,
          sentAt,
          takenAt,
          receivedAt,
          truth: missed ? takenAt - missed.at : 0,
          missed,
          heard: [...this.#heard],
          lateBy,
          truthLater: missedLater ? receivedAt + lateBy - missedLater.at : 0,
        });
      },
    });
  }

  #firstMissed(version: number, at: number): Commit | undefined {
    return this.#commits.find(
      (commit) => commit.selected && commit.version > version && commit.at <= at && commit.goneAt > at,
    );
  }

  /** The server's version of any kind. */
  #versionAt(at: number): number {
    const last = this.#commits.findLast((commit) => commit.at <= at && commit.goneAt > at);
    return last?.version ?? 100;
  }

  /** Up to ten minutes, more often short. */
  #delay(): number {
    return 600_000 * this.#random() ** 4;
  }

  #jitter(): number {
    return this.#chance(0.05) ? this.#between(0, 20_000) : this.#between(0, 100);
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #between(low: number, high: number): number {
    return Math.floor(low + this.#random() * (high - low));
  }

  #pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.#random() * values.length)] as T;
  }
}
