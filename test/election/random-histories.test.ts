import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { LeadershipLostError } from "../../src/election/index.ts";
import { type Candidate, Election } from "./candidates.ts";
import type { Network } from "./simulated-process.ts";

/** What befalls one of three processes, and how long nothing else happens afterwards. */
interface Step {
  /** One of the three, or 3 for whoever leads. */
  readonly who: number;
  readonly what:
    | Network
    | "pause"
    | "suspend"
    | "resume"
    | "kill"
    | "stop"
    | "clock forward"
    | "clock back"
    | "refused answers"
    | "lost answers"
    | "slow server"
    | "throttling";
  readonly thenMs: number;
}

const LEADER = 3;
const HOUR_MS = 3_600_000;
/** As a kubelet starts a container again. */
const RESTART_MS = 1_000;
/** The last renewal of a killed leader, the lease and two retries, and a try that was under way when its network came back. */
const FOLLOWED_MS = 24_000 + 5_000;

const shared: Step["what"][] = [
  ...(["fine", "black hole", "deaf", "late", "refused"] as const),
  ...(["resume", "kill", "stop", "refused answers", "lost answers", "slow server", "throttling"] as const),
];

function histories(...more: Step["what"][]): fc.Arbitrary<{ steps: Step[]; seed: number }> {
  const step = fc.record({
    who: fc.oneof(fc.nat({ max: 2 }), fc.constant(LEADER)),
    what: fc.constantFrom(...shared, ...more),
    thenMs: fc.oneof(fc.nat({ max: 3_000 }), fc.nat({ max: 20_000 })),
  });
  return fc.record({ steps: fc.array(step, { minLength: 4, maxLength: 12 }), seed: fc.nat({ max: 1_000_000 }) });
}

interface Place {
  readonly candidate: Candidate;
  /** When it ended, or was killed. */
  endedAt?: number;
}

/** Three processes of which each is started again after it has ended. */
class Trio {
  readonly election: Election;
  readonly #places: Place[] = [];
  readonly #faults: { stop(): void }[] = [];
  #started = 0;

  constructor(election: Election) {
    this.election = election;
  }

  async start(place: number): Promise<void> {
    this.#started += 1;
    const candidate = await this.election.stand(`${"abc"[place]}${this.#started}`, { writeEveryMs: 400 });
    this.#places[place] = { candidate };
  }

  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 500) {
      await this.election.pass(Math.min(left, 500));
      await this.#restart();
    }
  }

  do({ who, what }: Step): void {
    const { faults } = this.election.cluster;
    const place = who === LEADER ? this.#leader() : this.#places[who];
    if (!place) return undefined;
    const { candidate } = place;
    const { process } = candidate;
    const match = { resource: "leases" };
    switch (what) {
      case "pause":
        return process.pause();
      case "suspend":
        return process.suspend();
      case "resume":
        return process.resume();
      case "kill":
        process.pause();
        place.endedAt ??= this.election.clock.monotonic();
        return undefined;
      case "stop":
        return candidate.stop();
      case "clock forward":
        return process.shiftWall(HOUR_MS);
      case "clock back":
        return process.shiftWall(-HOUR_MS);
      case "refused answers":
        return void this.#faults.push(faults.failRequests({ match, status: 500, times: 3 }));
      case "lost answers":
        return void this.#faults.push(faults.loseAnswers({ match, times: 2 }));
      case "slow server":
        return void this.#faults.push(faults.slowRequests({ ms: 4_000, times: 6 }));
      case "throttling":
        return void this.#faults.push(faults.failRequests({ status: 429, retryAfter: 7, times: 4 }));
      default:
        process.network = what;
        return undefined;
    }
  }

  /** Everything well again but the processes that were killed: those stay as they are. */
  heal(): void {
    for (const fault of this.#faults) fault.stop();
    for (const { candidate, endedAt } of this.#places) {
      candidate.process.network = "fine";
      if (endedAt === undefined) candidate.process.resume();
    }
  }

  #leader(): Place | undefined {
    return this.#places.find(({ candidate }) => candidate.elector.mayWrite());
  }

  async #restart(): Promise<void> {
    const now = this.election.clock.monotonic();
    for (const [index, place] of this.#places.entries()) {
      if (place.candidate.over) place.endedAt ??= now;
      if (place.endedAt !== undefined && now - place.endedAt >= RESTART_MS) await this.start(index);
    }
  }
}

async function tell({ steps, seed }: { steps: Step[]; seed: number }): Promise<void> {
  await using election = await Election.start(seed);
  const trio = new Trio(election);
  for (const place of [0, 1, 2]) await trio.start(place);
  for (const step of steps) {
    trio.do(step);
    await trio.pass(step.thenMs);
  }
  trio.heal();
  await trio.pass(FOLLOWED_MS);
  expect(election.leaders()).toContain(election.holder);
  expect(election.wrongs).toEqual([]);
  expect(election.writes).toBeGreaterThan(0);
  for (const { over, ended } of election.candidates) {
    if (over)
      expect([undefined, "LeadershipLostError"]).toContain(((await ended) as LeadershipLostError | undefined)?.name);
  }
}

test("under any faults, pauses and clocks that jump, never do two lead, and somebody does in the end", async () => {
  await fc.assert(fc.asyncProperty(histories("pause", "pause", "clock forward", "clock back"), tell), { numRuns: 100 });
});

/** A wall clock that is set back while its machine sleeps deceives both of a holder's clocks; nothing can be promised then. */
test("under any faults and machines that sleep, never do two lead, and somebody does in the end", async () => {
  await fc.assert(fc.asyncProperty(histories("suspend", "suspend", "clock forward"), tell), { numRuns: 100 });
});
