import { beforeAll, describe, expect, test } from "vitest";
import { Candidate, type Terms } from "./elections/candidate.ts";
import { Witness } from "./elections/witness.ts";
import {
  Cable,
  type ClusterAccess,
  clusterTools,
  describeReal,
  eventually,
  pause,
  sharedCluster,
} from "./harness/index.ts";

const periods = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };
/** The lease and two retries with their jitter, and what two busy processors may add to a round trip. */
const FOLLOWED_MS = 24_000 + 1_500;

/** Three candidates, each behind a cable of its own, the first of which leads. */
class Trial implements AsyncDisposable {
  readonly witness: Witness;
  readonly candidates: readonly Candidate[];
  readonly #cables: readonly Cable[];
  readonly #old: Candidate;

  private constructor(witness: Witness, candidates: readonly Candidate[], cables: readonly Cable[], old: Candidate) {
    this.witness = witness;
    this.candidates = candidates;
    this.#cables = cables;
    this.#old = old;
  }

  static async start(access: ClusterAccess, name: string): Promise<Trial> {
    const terms: Terms = { ...periods, namespace: await access.namespace("election"), name };
    const witness = await Witness.start(access, terms.namespace, name);
    const cables = await Promise.all([1, 2, 3].map(() => Cable.start(access)));
    const candidates = cables.map(({ server }, nth) => Candidate.ours(access, terms, `${name}-${nth}`, server));
    const first = await witness.whenLeads((who) => who !== "", 30_000);
    const old = candidates.find(({ identity }) => identity === first);
    if (!old) throw new Error(`${first} leads, whom nobody knows`);
    // The others must have seen the lease: a candidate waits a whole lease from its first look.
    await pause(5_000);
    return new Trial(witness, candidates, cables, old);
  }

  get leader(): Candidate {
    return this.#old;
  }

  cutOff(candidate: Candidate): void {
    this.#cables[this.candidates.indexOf(candidate)]?.pull();
  }

  /** Waits for the next leader; then everything that must hold of any takeover is checked. */
  async takeover(): Promise<{ tookOverAt: number }> {
    const { identity: old } = this.#old;
    const next = await this.witness.whenLeads((who) => who !== "" && who !== old, 60_000);
    const began = this.witness.reign(next)?.began;
    const lastRenewal = this.witness.reign(old)?.last;
    if (!began || !lastRenewal) throw new Error("there was no takeover");
    const silence = began.at - lastRenewal.at;
    expect(silence).toBeGreaterThan(periods.leaseDurationMs);
    expect(silence).toBeLessThan(FOLLOWED_MS);
    return { tookOverAt: began.at };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const each of [...this.candidates, ...this.#cables, this.witness]) await each[Symbol.asyncDispose]();
  }
}

describeReal("three electors on a real API server", clusterTools, () => {
  let access: ClusterAccess;
  beforeAll(() => {
    access = sharedCluster();
  });

  describe.concurrent("when the holder", () => {
    test("is killed, another follows in time, and nobody writes between", async () => {
      await using trial = await Trial.start(access, "killed");
      await trial.leader.kill();
      await trial.takeover();
      expect(trial.witness.holders()).toHaveLength(2);
      expect(trial.witness.strayWrites()).toEqual([]);
    });

    test("is paused for 20 s, it sends nothing after waking, and ends", async () => {
      await using trial = await Trial.start(access, "paused");
      const { leader } = trial;
      leader.signal("SIGSTOP");
      const stoppedAt = Date.now();
      await pause(20_000);
      leader.signal("SIGCONT");
      const wokenAt = Date.now();
      await eventually("the old leader ends", () => !leader.running, { timeoutMs: 5_000, everyMs: 20 });
      expect(leader.exitCode).toBe(1);
      expect(leader.log).toContain("LEADERSHIP_LOST");
      expect(
        leader
          .said()
          .filter(({ at }) => at > wokenAt)
          .map(({ what }) => what),
      ).not.toContain("write");
      expect(leader.said("lost")).toHaveLength(1);
      expect(leader.said("write").at(-1)?.at).toBeLessThanOrEqual(stoppedAt);
      await trial.takeover();
      expect(trial.witness.holders()).toHaveLength(2);
      expect(trial.witness.strayWrites()).toEqual([]);
    });

    test("is cut off, it sends nothing after another has followed, and ends before", async () => {
      await using trial = await Trial.start(access, "severed");
      const { leader } = trial;
      trial.cutOff(leader);
      await eventually("the old leader ends", () => !leader.running, { timeoutMs: 15_000, everyMs: 20 });
      expect(leader.exitCode).toBe(1);
      expect(leader.log).toContain("LEADERSHIP_LOST");
      const { tookOverAt } = await trial.takeover();
      expect(leader.said().at(-1)?.at).toBeLessThan(tookOverAt);
      expect(trial.witness.holders()).toHaveLength(2);
      expect(trial.witness.strayWrites()).toEqual([]);
    });
  });
});
