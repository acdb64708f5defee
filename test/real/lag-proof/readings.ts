import { pause, type Sidecar } from "../harness/index.ts";
import type { CommitTimes } from "./commit-times.ts";
import type { EventRecord, Kind } from "./event-record.ts";

/** What the sidecar said of one cache at one time. */
export interface Reading extends Kind {
  /** "self" is the sidecar. */
  readonly target: string;
  readonly name: string;
  readonly state: string;
  readonly why?: string;
  readonly storeResourceVersion: string;
  readonly lagMinSeconds: number | null;
  readonly lagMaxSeconds: number | null;
  readonly observedAt: string | null;
}

/** Follows /api/v1/caches and keeps each answer once. What is learned after a scrape narrows the answer about it: that is another one. */
export class Readings implements AsyncDisposable {
  /** One for each cache. */
  latest: readonly Reading[] = [];
  readonly #seen = new Map<string, { readonly reading: Reading; readonly seenAt: number }>();
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  constructor(sidecar: Sidecar, everyMs: number) {
    this.#running = this.#follow(sidecar, everyMs);
    this.#running.catch(() => undefined); // told by `stop`
  }

  /** Those that were first seen in [from, to), wall milliseconds. */
  between(from: number, to: number): Reading[] {
    return [...this.#seen.values()].filter(({ seenAt }) => seenAt >= from && seenAt < to).map(({ reading }) => reading);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #follow(sidecar: Sidecar, everyMs: number): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const { caches } = await sidecar.api<{ caches: readonly Reading[] }>("caches");
      this.latest = caches;
      const seenAt = Date.now();
      for (const reading of caches) {
        const { target, name, group, version, resource, state, observedAt, lagMinSeconds, lagMaxSeconds } = reading;
        const cache = [target, name, group, version, resource];
        const answer = [...cache, state, observedAt, lagMinSeconds, lagMaxSeconds].join(" ");
        if (!this.#seen.has(answer)) this.#seen.set(answer, { reading, seenAt });
      }
      await pause(everyMs);
    }
  }
}

/** The true lag, seconds: it lies somewhere in here, because the time of a commit is known to a few milliseconds. */
export interface Truth {
  readonly least: number;
  readonly most: number;
}

/** `observedAt` is cut to whole milliseconds, from a clock that is. */
const CUT_MS = 2;

/** Wait for a beat after the reading before asking. */
export function truthOf(reading: Reading, events: EventRecord, commits: CommitTimes): Truth {
  const missed = events.firstAbove(reading, Number(reading.storeResourceVersion));
  if (missed === undefined) return { least: 0, most: 0 };
  if (reading.observedAt === null) return { least: 0, most: Number.POSITIVE_INFINITY };
  const at = Date.parse(reading.observedAt);
  const { from, to } = commits.of(missed);
  return { least: Math.max(0, at - to) / 1_000, most: Math.max(0, at + CUT_MS - from) / 1_000 };
}

/** Whether the truth can lie between the bounds. */
export function contains({ lagMinSeconds, lagMaxSeconds }: Reading, truth: Truth): boolean {
  return (lagMinSeconds ?? 0) <= truth.most && truth.least <= (lagMaxSeconds ?? Number.POSITIVE_INFINITY);
}
