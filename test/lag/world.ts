import { type Clock, type Random, seededRandom } from "../../src/base/index.ts";
import { HeadTable, type HeadView, type ReadSource } from "../../src/head/index.ts";
import { CacheLag } from "../../src/lag/index.ts";
import type { Heard, Scrape, Traits, World } from "./scrape.ts";
import { WorldServer } from "./world-server.ts";

// One random history: a server with its record of commits, a head watch and a cache with delays of their own, reads, heartbeats and
// scrapes. All in milliseconds of one monotonic scale, without promises, so that tens of thousands of them are quick.

export const BUDGET_MS = 30_000;
const LIMITS = { no: 2_048, mild: 256, harsh: 8 } as const;
/** The head watch has followed the kind from here, longer than the longest delay, unless it began just now. */
const EARLIEST_MS = -700_000;
const SPAN_MS = 240_000;
const SCRAPES = 8;
const SLOT_MS = (SPAN_MS - 6_000) / SCRAPES;

export function randomWorld(seed: number): World {
  return new WorldMaker(seededRandom(seed)).make();
}

class WorldMaker {
  readonly #random: Random;
  readonly #traits: Traits;
  readonly #probes: boolean;
  readonly #restoredAt: number;
  readonly #outageMs: number;
  /** How far each API server is behind. */
  readonly #replicas: readonly number[];
  readonly #headBase: number;
  readonly #cacheBase: number;
  readonly #wallSteps: readonly { readonly at: number; readonly byMs: number }[];
  readonly #server: WorldServer;
  readonly #table: HeadTable;
  readonly #full: HeadTable;
  readonly #lag: CacheLag;
  readonly #steps: { readonly at: number; readonly run: () => void }[] = [];
  readonly #heard: Heard[] = [];
  readonly #scrapes: Scrape[] = [];
  #now = EARLIEST_MS;
  #unanswered = 0;
  #suspicions = 0;
  #doubt: string | undefined;
  #answered = "";

  constructor(random: Random) {
    this.#random = random;
    const healthy = this.#chance(0.3);
    const thinned = this.#chance(0.3) ? this.#pick(["mild", "harsh"] as const) : "no";
    const heartbeats = this.#chance(0.3);
    this.#probes = this.#chance(0.75);
    const readEveryMs = this.#between(3, this.#probes ? 30 : 20) * 1_000;
    this.#headBase = healthy || this.#chance(0.5) ? this.#between(1, 200) : this.#delay();
    this.#cacheBase = this.#chance(0.4) ? this.#between(1, 300) : this.#delay();
    this.#restoredAt = !healthy && this.#chance(0.15) ? this.#between(60_000, 180_000) : Infinity;
    this.#outageMs = this.#between(100, 10_000);
    const slowest = healthy ? 100 : 3_000;
    this.#replicas = Array.from({ length: this.#between(1, 4) }, () => this.#between(0, 2) * this.#between(0, slowest));
    this.#wallSteps = Array.from({ length: this.#between(0, 3) }, () => ({
      at: this.#between(0, SPAN_MS),
      byMs: this.#between(-3_600_000, 3_600_000),
    }));
    this.#traits = {
      reads: this.#probes || heartbeats,
      heartbeats,
      filtered: this.#chance(0.2),
      healthy,
      thinned,
      readEveryMs,
      longestRoundTripMs: 100 + slowest,
    };
    this.#server = new WorldServer({
      random,
      from: EARLIEST_MS - 60_000,
      to: SPAN_MS,
      isFiltered: this.#traits.filtered,
      heartbeatEveryMs: heartbeats ? readEveryMs : undefined,
      restoredAt: this.#restoredAt,
      outageMs: this.#outageMs,
    });
    this.#table = new HeadTable({ keepsReads: this.#probes, limit: LIMITS[thinned] });
    this.#full = thinned === "no" ? this.#table : new HeadTable({ keepsReads: this.#probes });
    this.#lag = this.#cacheLag();
  }

  make(): World {
    this.#head();
    this.#heartbeat();
    const versionAt = this.#cache();
    for (let i = 0; i < SCRAPES; i += 1) this.#scrape(5_000 + i * SLOT_MS, versionAt);
    this.#steps.sort((a, b) => a.at - b.at);
    for (const { at, run } of this.#steps) {
      this.#now = at;
      run();
    }
    return {
      traits: this.#traits,
      scrapes: this.#scrapes,
      unanswered: this.#unanswered,
      suspicions: this.#suspicions,
    };
  }

  #cacheLag(): CacheLag {
    const clock: Clock = {
      now: () => this.#now + this.#wallOffset(this.#now),
      monotonic: () => this.#now,
      setTimer: () => ({ cancel: () => {} }),
    };
    const head = {
      table: this.#table,
      // A cache may have been ahead of the head watch when the history went back: then it has reason.
      suspect: () => void (this.#suspicions += this.#restoredAt < SPAN_MS ? 0 : 1),
      doubtNow: () => this.#doubt,
      get doubt() {
        return this.doubtNow();
      },
    };
    const { reads, filtered } = this.#traits;
    return new CacheLag({ head, budgetMs: BUDGET_MS, reads, scope: filtered ? "unknown" : "same", clock });
  }

  /** The head watch: sessions that begin at its position, reads on their own path, and what happens when it breaks. */
  #head(): void {
    const { healthy, readEveryMs } = this.#traits;
    const longBookmarks = this.#chance(0.8);
    const breaks: { at: number; forgets: boolean }[] = [];
    if (this.#restoredAt < SPAN_MS) breaks.push({ at: this.#restoredAt, forgets: this.#chance(0.5) });
    else if (!healthy && this.#chance(0.3))
      breaks.push({ at: this.#between(20_000, 200_000), forgets: this.#chance(0.5) });
    const beginsAt = this.#chance(0.05) ? 0 : EARLIEST_MS;
    let from = beginsAt;
    for (const cut of [...breaks, undefined]) {
      const begin = from;
      const end = cut?.at ?? SPAN_MS;
      this.#readAt(begin, "list", () => {
        if (begin > beginsAt && breaks[0]?.forgets) this.#tell((table) => table.skipTo(this.#answered, this.#now));
        this.#doubt = undefined;
        this.#session(this.#now + 10, end, healthy ? readEveryMs + 2_000 : longBookmarks ? 60_000 : Infinity);
      });
      const slowest = Math.max(...this.#replicas);
      const phase = healthy ? readEveryMs - 750 - slowest : this.#between(0, readEveryMs);
      const every = healthy ? readEveryMs + 2_000 : readEveryMs;
      if (this.#probes) for (let at = begin + 60 + phase; at < end; at += every) this.#readAt(at, "probe");
      if (cut) {
        this.#at(cut.at, () => void (this.#doubt = "it broke"));
        from = cut.at + this.#outageMs;
      }
    }
  }

  /** Each API server answers a consistent read when it has seen what the store had by then. */
  #readAt(sentAt: number, source: ReadSource, then?: () => void): void {
    const servedAt = sentAt + this.#between(0, 25);
    const version = this.#server.versionAt(servedAt);
    this.#answer(
      { version, sentAt, answeredAt: servedAt + this.#between(0, 25) + this.#pick(this.#replicas) },
      source,
      then,
    );
  }

  #heartbeat(): void {
    for (const { at, version, isHeartbeat } of this.#server.commits) {
      if (!isHeartbeat) continue;
      this.#answer({ version, sentAt: at - this.#between(1, 25), answeredAt: at + this.#between(1, 25) }, "heartbeat");
    }
  }

  #answer(
    { version, sentAt, answeredAt }: { version: number; sentAt: number; answeredAt: number },
    source: ReadSource,
    then?: () => void,
  ): void {
    let newestBefore = 0n;
    this.#at(sentAt, () => void (newestBefore = this.#table.newest));
    this.#at(answeredAt, () => {
      this.#answered = String(version);
      const read = { version: this.#answered, sentAt, answeredAt, source, newestBefore };
      // The observer makes no heartbeat before its watch has begun.
      if (source !== "heartbeat" || this.#table.view()) this.#tell((table) => table.read(read));
      if (!then) return;
      then();
      this.#steps.sort((a, b) => a.at - b.at);
    });
  }

  #session(begin: number, end: number, bookmarkEvery: number): void {
    const lagMs = this.#pick(this.#replicas);
    let last = begin;
    const items = this.#server.itemsOfKind(begin, Number(this.#table.position), bookmarkEvery, lagMs);
    for (const { version, at, commit } of items) {
      const delay = this.#traits.healthy ? this.#between(1, 200) : this.#headBase + this.#jitter();
      const arrival = Math.max(last, at + delay);
      if (arrival >= end) return;
      last = arrival;
      this.#at(arrival, () => {
        this.#heard.push({ version, at: arrival, isBookmark: !commit });
        if (commit) commit.headArrival = Math.min(commit.headArrival, arrival);
        this.#tell((table) => (commit ? table.event(String(version), arrival) : table.bookmark(String(version))));
      });
    }
  }

  /** The cache: events in its selector and bookmarks, late by its own delay; after a restore it holds on to the past for a while. */
  #cache(): (at: number) => number {
    const first = EARLIEST_MS - 30_000;
    const steps: { at: number; version: number }[] = [{ at: -Infinity, version: this.#server.versionAt(first) }];
    const back = this.#restoredAt + this.#between(0, 60_000);
    const follow = (begin: number, end: number, above: number): void => {
      let last = begin;
      const items = this.#server.itemsOfKind(begin, above, this.#pick([60_000, Infinity]), this.#pick(this.#replicas));
      for (const { version, at, commit } of items) {
        if (commit && (!commit.selected || commit.at > end)) continue;
        const arrival = Math.max(last, at + this.#cacheBase + this.#jitter());
        if (arrival >= end) return;
        last = arrival;
        steps.push({ at: arrival, version });
      }
    };
    follow(first, this.#restoredAt, steps[0]?.version ?? 0);
    if (this.#restoredAt < SPAN_MS) {
      const relisted = this.#server.versionAt(back);
      steps.push({ at: back, version: relisted });
      follow(back, Infinity, relisted);
    }
    return (at) => steps.findLast((step) => step.at <= at)?.version ?? 0;
  }

  /** In its slot, so that they come one after the other. */
  #scrape(slotAt: number, versionAt: (at: number) => number): void {
    const sentAt = slotAt + this.#between(0, SLOT_MS - 400);
    const takenAt = sentAt + this.#between(0, 200);
    const receivedAt = takenAt + this.#between(0, 200);
    const lateBy = this.#between(0, 30_000);
    this.#at(receivedAt, () => {
      const version = versionAt(takenAt);
      const answer = this.#lag.observe({ version: String(version), sentAt, receivedAt });
      const view = this.#table.view();
      const full = this.#full.view();
      if (this.#doubt !== undefined || !view || !full) {
        this.#unanswered += 1;
        return;
      }
      const missed = this.#server.firstAbove(version, takenAt, ({ selected }) => selected);
      const missedOfKind = this.#server.firstAbove(version, takenAt, ({ ofKind }) => ofKind);
      const later = receivedAt + lateBy;
      const heard = this.#heard.length;
      const missedLater = this.#server.firstAbove(versionAt(later), later, ({ selected }) => selected);
      this.#scrapes.push({
        view: kept(view),
        full: kept(full),
        version,
        sentAt,
        takenAt,
        receivedAt,
        truth: missed ? takenAt - missed.at : 0,
        truthOfKind: missedOfKind ? takenAt - missedOfKind.at : 0,
        missed,
        answer,
        heard: () => this.#heard.slice(0, heard),
        lateBy,
        truthLater: missedLater ? later - missedLater.at : 0,
        wallOffset: (at) => this.#wallOffset(at),
      });
    });
  }

  #wallOffset(at: number): number {
    return this.#wallSteps.filter((step) => step.at <= at).reduce((sum, { byMs }) => sum + byMs, 0);
  }

  #tell(it: (table: HeadTable) => unknown): void {
    it(this.#table);
    if (this.#full !== this.#table) it(this.#full);
  }

  #at(at: number, run: () => void): void {
    this.#steps.push({ at, run });
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

/** A view is good only until the table is written to again. */
function kept(view: HeadView): HeadView {
  return { ...view, points: [...view.points], reads: [...view.reads] };
}
