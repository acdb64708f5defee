import { describe, expect, it } from "vitest";
import type { HeadRead, HeadView } from "../../src/head/index.ts";
import { type LagBounds, lagBounds, type Sighting } from "../../src/lag/index.ts";
import { randomWorld, type Scrape, type World } from "./world.ts";

const TRIALS = Number(process.env["STALEWATCH_LAG_TRIALS"] ?? 20_000);
/** Enough that each wrong rule is caught by many. */
const TRIALS_OF_A_MUTATION = 1_500;

const ROUNDING_MS = 1e-6;
const LONGEST_HEALTHY_DELAY_MS = 200;

/** How a rule answers for one scrape, and the truth that it has to contain. */
type Rule = (scrape: Scrape, seen: Sighting) => { bounds: LagBounds; truth: number };

const theRule: Rule = (scrape, seen) => ({ bounds: lagBounds(scrape.view, seen), truth: scrape.truth });

/** The rule over a head that has been read wrongly. */
const over =
  (misread: (scrape: Scrape) => HeadView): Rule =>
  (scrape, seen) => ({ bounds: lagBounds(misread(scrape), seen), truth: scrape.truth });

/** Takes an arrival for proof that the server was no further at that time. */
function trusting(scrape: Scrape, isBookmark: boolean): HeadView {
  const { view } = scrape;
  if (view.reads.length === 0) return view;
  const arrivals: HeadRead[] = scrape.heard
    .filter((heard) => heard.isBookmark === isBookmark && heard.at >= view.beganAt)
    .map(({ version, at }) => ({ version: BigInt(version), sentAt: at, answeredAt: Infinity, source: "probe" }));
  const reads = [...view.reads, ...arrivals].sort((a, b) => Number(a.version - b.version) || a.sentAt - b.sentAt);
  return { ...view, reads };
}

const mutations: Readonly<Record<string, Rule>> = {
  "the arrival of a bookmark for a read": over((scrape) => trusting(scrape, true)),
  "the arrival of an earlier event for a read": over((scrape) => trusting(scrape, false)),
  "a bucket for the last of its events": over(({ view }) => ({
    ...view,
    points: view.points.map((point) => ({ ...point, first: point.last, notBefore: -Infinity })),
  })),
  "a read that the stream has not passed": over(({ view }) => ({
    ...view,
    position: view.reads.at(-1)?.version ?? view.position,
  })),
  "a filtered cache for a whole one": (scrape, seen) => ({
    bounds: lagBounds(scrape.view, { ...seen, scope: "same" }),
    truth: scrape.truth,
  }),
  "a gap for a stretch without events": over(({ view }) => ({
    ...view,
    points: view.points.filter(({ events }) => events > 0),
  })),
  "now for the time of the scrape": (scrape, seen) => {
    const now = scrape.receivedAt + scrape.lateBy;
    const bounds = lagBounds(scrape.view, { ...seen, sentAt: now, receivedAt: now });
    return { bounds, truth: scrape.truthLater };
  },
};

function judge(world: World, scrape: Scrape, rule: Rule): { bounds: LagBounds; truth: number; holds: boolean } {
  const { version, sentAt, receivedAt } = scrape;
  const scope = world.traits.filtered ? "unknown" : "same";
  const { bounds, truth } = rule(scrape, { version: BigInt(version), sentAt, receivedAt, scope });
  const { minMs, maxMs } = bounds;
  const holds = minMs <= truth && (maxMs === undefined || truth <= maxMs);
  return { bounds, truth, holds };
}

/** The observer's own delay: from the commit until its watch, or the time of the scrape, whichever came first. */
function ownDelay({ missed, sentAt, takenAt, receivedAt }: Scrape): number {
  if (!missed) return 0;
  return Math.min(missed.headArrival, receivedAt) - missed.at + (takenAt - sentAt);
}

/** What is wrong with an answer, one word a fault. */
function faultsOf(world: World, scrape: Scrape): string[] {
  const { reads, filtered, thinned, healthy, readEveryMs, longestRoundTripMs } = world.traits;
  const { bounds, truth, holds } = judge(world, scrape, theRule);
  const { minMs, maxMs = Number.POSITIVE_INFINITY, eventsBehind = 0 } = bounds;
  const { view, version, sentAt, receivedAt } = scrape;
  const isNumbers = minMs >= 0 && maxMs >= minMs && eventsBehind >= 0;
  const remembers = !thinned && BigInt(version) >= view.start && sentAt >= view.beganAt;
  const slack = ownDelay(scrape) + ROUNDING_MS;
  const widest = readEveryMs + 3_000 + longestRoundTripMs + LONGEST_HEALTHY_DELAY_MS + (receivedAt - sentAt);
  const checks: Readonly<Record<string, boolean>> = {
    untrue: !holds,
    "no number": !isNumbers,
    "bounded without reads": !reads && bounds.maxMs !== undefined,
    "too low": remembers && !filtered && minMs < truth - slack,
    "too wide": healthy && !filtered && bounds.maxMs !== undefined && maxMs - minMs > widest,
  };
  return Object.keys(checks).filter((fault) => checks[fault]);
}

describe("the bounds of a lag", () => {
  it(`contain the truth in each of ${TRIALS} random histories`, { timeout: 600_000 }, () => {
    const wrong: object[] = [];
    let [answered, unanswered, withReads, finite] = [0, 0, 0, 0];
    for (let seed = 1; seed <= TRIALS; seed += 1) {
      const world = randomWorld(seed);
      unanswered += world.unanswered;
      answered += world.scrapes.length;
      for (const scrape of world.scrapes) {
        const faults = faultsOf(world, scrape);
        if (faults.length > 0) wrong.push({ seed, faults });
        if (!world.traits.reads) continue;
        withReads += 1;
        if (judge(world, scrape, theRule).bounds.maxMs !== undefined) finite += 1;
      }
    }
    expect(wrong.slice(0, 3)).toEqual([]);
    expect(answered).toBeGreaterThan(TRIALS * 6);
    expect(unanswered).toBeGreaterThan(0);
    expect(finite / withReads).toBeGreaterThanOrEqual(0.95);
  });

  it.each(Object.entries(mutations))("would not, taking %s", (_name, rule) => {
    let broken = 0;
    for (let seed = 1; seed <= TRIALS_OF_A_MUTATION && broken < 10; seed += 1) {
      const world = randomWorld(seed);
      for (const scrape of world.scrapes) if (!judge(world, scrape, rule).holds) broken += 1;
    }
    expect(broken).toBeGreaterThanOrEqual(10);
  });
});
