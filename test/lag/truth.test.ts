import { describe, expect, it } from "vitest";
import type { HeadPoint, HeadRead, HeadView } from "../../src/head/index.ts";
import { type LagBounds, lagBounds, type Sighting } from "../../src/lag/index.ts";
import type { Scrape, World } from "./scrape.ts";
import { BUDGET_MS, randomWorld } from "./world.ts";

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

const overPoints = (misread: (point: HeadPoint) => HeadPoint): Rule =>
  over(({ view }) => ({ ...view, points: view.points.map(misread) }));

const overReads = (misread: (read: HeadRead) => HeadRead): Rule =>
  over(({ view }) => ({ ...view, reads: view.reads.map(misread) }));

/** Takes an arrival for proof that the server was no further at that time. */
function trusting(scrape: Scrape, isBookmark: boolean): HeadView {
  const { view } = scrape;
  if (view.reads.length === 0) return view;
  const arrivals: HeadRead[] = scrape
    .heard()
    .filter((heard) => heard.isBookmark === isBookmark && heard.at >= view.beganAt)
    .map(({ version, at }) => ({ version: BigInt(version), sentAt: at, answeredAt: Infinity, source: "probe" }));
  const reads = [...view.reads, ...arrivals].sort((a, b) => Number(a.version - b.version) || a.sentAt - b.sentAt);
  return { ...view, reads };
}

/** What the observer would have written down had it looked at the wall clock. */
function byTheWall({ view, wallOffset }: Scrape): HeadView {
  const wall = (at: number): number => at + wallOffset(at);
  return {
    ...view,
    beganAt: wall(view.beganAt),
    reads: view.reads.map((read) => ({ ...read, sentAt: wall(read.sentAt), answeredAt: wall(read.answeredAt) })),
    points: view.points.map((point) => ({
      ...point,
      notBefore: wall(point.notBefore),
      firstArrival: wall(point.firstArrival),
      lastArrival: wall(point.lastArrival),
    })),
  };
}

const mutations: Readonly<Record<string, Rule>> = {
  "the arrival of a bookmark for a read": over((scrape) => trusting(scrape, true)),
  "the arrival of an earlier event for a read": over((scrape) => trusting(scrape, false)),
  "a bucket for the last of its events": overPoints((point) => ({ ...point, first: point.last, notBefore: -Infinity })),
  "a bucket's first arrival for its last": overPoints((point) => ({ ...point, lastArrival: point.firstArrival })),
  "a read's answer for its question": overReads((read) => ({ ...read, sentAt: read.answeredAt })),
  "a read's question for its answer": overReads((read) => ({ ...read, answeredAt: read.sentAt })),
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
  "a gap for an event": overPoints((point) => ({ ...point, events: Math.max(1, point.events) })),
  "the beginning for all of history": over(({ view }) => ({ ...view, start: 0n, beganAt: -Infinity })),
  "now for the time of the scrape": (scrape, seen) => {
    const now = scrape.receivedAt + scrape.lateBy;
    const bounds = lagBounds(scrape.view, { ...seen, sentAt: now, receivedAt: now });
    return { bounds, truth: scrape.truthLater };
  },
  "the scrape's answer for its question": (scrape, seen) => ({
    bounds: lagBounds(scrape.view, { ...seen, sentAt: seen.receivedAt }),
    truth: scrape.truth,
  }),
  "the scrape's question for its answer": (scrape, seen) => ({
    bounds: lagBounds(scrape.view, { ...seen, receivedAt: seen.sentAt }),
    truth: scrape.truth,
  }),
  "the wall clock for the monotonic one": (scrape, seen) => {
    const sentAt = seen.sentAt + scrape.wallOffset(seen.sentAt);
    const receivedAt = seen.receivedAt + scrape.wallOffset(seen.receivedAt);
    return { bounds: lagBounds(byTheWall(scrape), { ...seen, sentAt, receivedAt }), truth: scrape.truth };
  },
};

function sightingOf(world: World, { version, sentAt, receivedAt }: Scrape): Sighting {
  return { version: BigInt(version), sentAt, receivedAt, scope: world.traits.filtered ? "unknown" : "same" };
}

function holds(world: World, scrape: Scrape, rule: Rule): boolean {
  const { bounds, truth } = rule(scrape, sightingOf(world, scrape));
  return bounds.minMs <= truth && truth <= (bounds.maxMs ?? Infinity);
}

/** The observer's own delay: from the commit until its watch, or the time of the scrape, whichever came first. */
function ownDelay({ missed, sentAt, takenAt, receivedAt }: Scrape): number {
  if (!missed) return 0;
  return Math.min(missed.headArrival, receivedAt) - missed.at + (takenAt - sentAt);
}

/** What thinning may cost a bound: two thirty-seconds of the age of what is missed, and a second since memory is short here. */
function costOfThinning({ thinned }: World["traits"], { missed, receivedAt }: Scrape): number {
  if (thinned !== "mild") return thinned === "no" ? 0 : Infinity;
  const since = missed ? Math.min(missed.headArrival, receivedAt) : receivedAt;
  return (receivedAt - since) / 16 + 1_000;
}

/** Where the whole kind is held and remembered: the lower bound lacks no more than the observer's own delay, and what was merged. */
function isTooLow(world: World, scrape: Scrape, { minMs }: LagBounds): boolean {
  const { view, version, sentAt, truth } = scrape;
  if (world.traits.filtered || BigInt(version) < view.start || sentAt < view.beganAt) return false;
  return minMs < truth - ownDelay(scrape) - costOfThinning(world.traits, scrape) - ROUNDING_MS;
}

/**
 * On a healthy stream of a kind that matters: no wider than a read interval, three seconds and the round trips. A filtered cache is
 * judged as if it missed what others see: that much above the lag of a whole one at its version.
 */
function isTooWide({ traits }: World, scrape: Scrape, { minMs, maxMs }: LagBounds): boolean {
  if (!traits.healthy || maxMs === undefined) return false;
  const { sentAt, receivedAt, truthOfKind } = scrape;
  const roundTripsMs = traits.longestRoundTripMs + LONGEST_HEALTHY_DELAY_MS + (receivedAt - sentAt);
  const widest = traits.readEveryMs + 3_000 + roundTripsMs + costOfThinning(traits, scrape);
  return maxMs - (traits.filtered ? truthOfKind : minMs) > widest;
}

/** What is wrong with an answer, one word a fault. */
function faultsOf(world: World, scrape: Scrape): string[] {
  const { reads, filtered } = world.traits;
  const seen = sightingOf(world, scrape);
  const bounds = lagBounds(scrape.view, seen);
  const unthinned = lagBounds(scrape.full, seen);
  const { minMs, maxMs = Infinity, eventsBehind = 0 } = bounds;
  const checks: Readonly<Record<string, boolean>> = {
    untrue: !holds(world, scrape, theRule),
    "no number": !(minMs >= 0 && maxMs >= minMs && eventsBehind >= 0),
    "bounded without reads": !reads && bounds.maxMs !== undefined,
    "a claim in an unknown scope": filtered && (minMs !== 0 || bounds.eventsBehind !== undefined),
    "too low": isTooLow(world, scrape, bounds),
    "too wide": isTooWide(world, scrape, bounds),
    "narrower by thinning": minMs > unthinned.minMs || maxMs < (unthinned.maxMs ?? Infinity),
    ...faultsOfAnswer(scrape),
  };
  return Object.keys(checks).filter((fault) => checks[fault]);
}

/** What the sidecar makes of it, with a clock that is set while it runs. */
function faultsOfAnswer({ answer, receivedAt, truth, wallOffset }: Scrape): Readonly<Record<string, boolean>> {
  const { state, minMs = 0, maxMs = Infinity, observedAt } = answer;
  return {
    "untrue answer": minMs > truth || truth > maxMs,
    "wrong state": (state === "fresh" && truth > BUDGET_MS) || (state === "lagging" && truth <= BUDGET_MS),
    "alarm without a change": (state === "lagging" || state === "stalled") && truth === 0,
    "wrong time": observedAt !== receivedAt + wallOffset(receivedAt),
    "without its reason": (state === "unknown") !== (answer.why !== undefined),
  };
}

describe("the bounds of a lag", () => {
  it(`contain the truth in each of ${TRIALS} random histories`, { timeout: 600_000 }, () => {
    const wrong: object[] = [];
    let [answered, unanswered, withReads, finite] = [0, 0, 0, 0];
    for (let seed = 1; seed <= TRIALS; seed += 1) {
      const world = randomWorld(seed);
      unanswered += world.unanswered;
      answered += world.scrapes.length;
      if (world.suspicions > 0) wrong.push({ seed, faults: ["suspected"] });
      for (const scrape of world.scrapes) {
        const faults = faultsOf(world, scrape);
        if (faults.length > 0) wrong.push({ seed, faults });
        if (!world.traits.reads) continue;
        withReads += 1;
        if (lagBounds(scrape.view, sightingOf(world, scrape)).maxMs !== undefined) finite += 1;
      }
    }
    expect(wrong.slice(0, 3)).toEqual([]);
    expect(answered).toBeGreaterThan(TRIALS * 6);
    expect(unanswered).toBeGreaterThan(0);
    expect(unanswered / (answered + unanswered)).toBeLessThan(0.01);
    expect(finite / withReads).toBeGreaterThanOrEqual(0.95);
  });

  it.each(Object.entries(mutations))("would not, taking %s", (_name, rule) => {
    let broken = 0;
    for (let seed = 1; seed <= TRIALS_OF_A_MUTATION && broken < 10; seed += 1) {
      const world = randomWorld(seed);
      for (const scrape of world.scrapes) if (!holds(world, scrape, rule)) broken += 1;
    }
    expect(broken).toBeGreaterThanOrEqual(10);
  });
});
