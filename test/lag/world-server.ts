import type { Random } from "../../src/base/index.ts";
import { countBefore } from "../../src/head/index.ts";

// The server of a random world: its record of what was committed when, and what each of its API servers lets watches see of it.

export interface Commit {
  readonly version: number;
  readonly at: number;
  /** Of the kind that is measured. */
  readonly ofKind: boolean;
  /** Inside the cache's selector. */
  readonly selected: boolean;
  /** Written by the observer itself. */
  readonly isHeartbeat: boolean;
  /** When a restore took it back. */
  goneAt: number;
  /** When the head watch heard of it. */
  headArrival: number;
}

/** What a watch is sent: an event, or a bookmark where there is no commit. */
export interface Item {
  readonly version: number;
  readonly at: number;
  readonly commit: Commit | undefined;
}

export interface ServerOptions {
  readonly random: Random;
  /** The record reaches from about here to here. */
  readonly from: number;
  readonly to: number;
  readonly isFiltered: boolean;
  /** Between the observer's own writes of the kind; undefined for none. */
  readonly heartbeatEveryMs: number | undefined;
  /** When a snapshot is put back, and for how long nobody writes then; Infinity for never. */
  readonly restoredAt: number;
  readonly outageMs: number;
}

/** Which part of a draft becomes a commit: all but its version. */
type Draft = Pick<Commit, "at" | "ofKind" | "selected" | "isHeartbeat">;

/** At most so many commits that are not the observer's own. */
const MOST = 800;
const FIRST_VERSION = 100;

export class WorldServer {
  readonly commits: Commit[] = [];
  readonly #options: ServerOptions;
  /** The version that is restored. */
  #snapshot = FIRST_VERSION;

  constructor(options: ServerOptions) {
    this.#options = options;
    const drafts = [...this.#writes(), ...this.#heartbeats()].sort((a, b) => a.at - b.at);
    this.#number(drafts);
  }

  /** The server's version of any kind. */
  versionAt(at: number): number {
    const last = this.commits[countBefore(this.commits, (commit) => commit.at <= at) - 1];
    if (!last) return FIRST_VERSION;
    return last.goneAt > at ? last.version : this.#snapshot;
  }

  firstAbove(version: number, at: number, is: (commit: Commit) => boolean): Commit | undefined {
    return this.commits.find(
      (commit) => commit.version > version && commit.at <= at && commit.goneAt > at && is(commit),
    );
  }

  /**
   * What a watch of the kind from `above` on is sent by an API server that is `lagMs` behind: events, and bookmarks of what that one
   * has seen; in the order of sending.
   */
  itemsOfKind(begin: number, above: number, bookmarkEvery: number, lagMs: number): Item[] {
    const items: Item[] = this.commits
      .filter((commit) => commit.ofKind && commit.version > above && commit.goneAt > begin)
      .map((commit) => ({ version: commit.version, at: Math.max(commit.at + lagMs, begin), commit }));
    for (let at = begin + bookmarkEvery - 2_000; at < this.#options.to; at += bookmarkEvery) {
      items.push({ version: this.versionAt(this.#horizon(at, lagMs)), at, commit: undefined });
    }
    return items.sort((a, b) => a.at - b.at || a.version - b.version);
  }

  /** Of an API server that is behind: one that began again after a restore knows nothing from before. */
  #horizon(at: number, lagMs: number): number {
    const { restoredAt } = this.#options;
    return at >= restoredAt ? Math.max(at - lagMs, restoredAt) : at - lagMs;
  }

  /** Busy and idle kinds, bursts, and other kinds that move the version. */
  #writes(): Draft[] {
    const { from, to, isFiltered } = this.#options;
    const kindEvery = this.#pick([50, 2_000, 10_000, 60_000, 10_000_000]);
    const otherEvery = this.#pick([4_000, 15_000]);
    const beginsAt = kindEvery === 50 ? this.#between(-10_000, 200_000) : from;
    const drafts: Draft[] = [];
    for (let at = beginsAt; at < to && drafts.length < MOST;) {
      const isBurst = this.#chance(0.02);
      const ofKind = isBurst || this.#chance(otherEvery / (otherEvery + kindEvery));
      const gap = 1 / (1 / kindEvery + 1 / otherEvery);
      at += isBurst ? 0 : -Math.log(1 - this.#options.random()) * gap;
      for (let left = isBurst ? this.#between(2, 30) : 1; left > 0; left -= 1) {
        const selected = ofKind && (!isFiltered || this.#chance(0.3));
        drafts.push({ at, ofKind, selected, isHeartbeat: false });
      }
    }
    return drafts;
  }

  /** The cache that is measured holds the observer's object too, unless it is filtered. */
  #heartbeats(): Draft[] {
    const { to, isFiltered, heartbeatEveryMs } = this.#options;
    const drafts: Draft[] = [];
    if (heartbeatEveryMs === undefined) return drafts;
    for (let at = this.#between(-60_000, 0); at < to; at += heartbeatEveryMs) {
      drafts.push({ at, ofKind: true, selected: !isFiltered, isHeartbeat: true });
    }
    return drafts;
  }

  /** Gives versions out, and after a restore gives some out again. */
  #number(drafts: readonly Draft[]): void {
    const { restoredAt, outageMs, to } = this.#options;
    let version = FIRST_VERSION;
    let isRestored = false;
    for (const draft of drafts) {
      if (draft.at >= restoredAt && !isRestored) {
        isRestored = true;
        this.#restore(version);
        version = this.#snapshot;
      }
      if (draft.at >= restoredAt && draft.at < restoredAt + outageMs + 200) continue;
      version += this.#chance(0.8) ? 1 : this.#between(2, 5);
      this.commits.push({ ...draft, version, goneAt: Infinity, headArrival: Infinity });
    }
    if (!isRestored && restoredAt < to) this.#restore(version);
  }

  #restore(version: number): void {
    this.#snapshot = Math.max(FIRST_VERSION, version - this.#between(1, 80));
    for (const commit of this.commits) if (commit.version > this.#snapshot) commit.goneAt = this.#options.restoredAt;
  }

  #chance(probability: number): boolean {
    return this.#options.random() < probability;
  }

  #between(low: number, high: number): number {
    return Math.floor(low + this.#options.random() * (high - low));
  }

  #pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.#options.random() * values.length)] as T;
  }
}
