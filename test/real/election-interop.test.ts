import { expect, test } from "vitest";
import { Candidate, type Terms } from "./elections/candidate.ts";
import { Witness } from "./elections/witness.ts";
import { clusterTools, describeReal, pause, sharedCluster } from "./harness/index.ts";

const periods = { leaseDurationMs: 6_000, renewDeadlineMs: 4_000, retryPeriodMs: 1_000 };
/** Two retries with their jitter, and what two busy processors may add. */
const RETRIES_MS = 2 * 2.2 * periods.retryPeriodMs + 1_500;

/** Each is ended in its turn while the other waits. */
const turns = [
  ["ours", "kill"],
  ["client-go", "stop"],
  ["ours", "stop"],
  ["client-go", "kill"],
] as const;

describeReal("our elector and client-go's", [...clusterTools, "elector"], () => {
  test("alternate on one lease, and never write at once", async () => {
    const access = sharedCluster();
    const terms: Terms = { ...periods, namespace: await access.namespace("interop"), name: "shared" };
    await using witness = await Witness.start(access, terms.namespace, terms.name);
    const everybody: Candidate[] = [];
    const start = (kind: "ours" | "client-go"): Candidate => {
      const identity = `${kind}-${everybody.length}`;
      const made =
        kind === "ours" ? Candidate.ours(access, terms, identity) : Candidate.clientGo(access, terms, identity);
      everybody.push(made);
      return made;
    };
    try {
      let leader = start("ours");
      await witness.whenLeads((who) => who === leader.identity, 30_000);
      const expected = [leader.identity];
      for (const [kind, how] of turns) {
        expect(leader.identity).toMatch(new RegExp(`^${kind}-`));
        const next = start(kind === "ours" ? "client-go" : "ours");
        await pause(3 * periods.retryPeriodMs); // until it has started and seen the lease
        await (how === "kill" ? leader.kill() : leader.stop());
        await witness.whenLeads((who) => who === next.identity, 30_000);
        expected.push(...(how === "stop" ? [""] : []), next.identity);
        const last = witness.reign(leader.identity)?.last.at ?? 0;
        const silence = (witness.reign(next.identity)?.began.at ?? 0) - last;
        if (how === "kill") expect(silence).toBeGreaterThan(periods.leaseDurationMs);
        expect(silence).toBeLessThan(RETRIES_MS + (how === "kill" ? periods.leaseDurationMs : periods.retryPeriodMs));
        leader = next;
      }
      expect(witness.holders()).toEqual(expected);
      expect(witness.strayWrites()).toEqual([]);
      const transitions = witness.sights("lease").map(({ object }) => Number(object["spec"].leaseTransitions));
      expect([...new Set(transitions)]).toEqual([0, 1, 2, 3, 4]);
      for (const { identity } of everybody) expect(witness.writesOf(identity)).toBeGreaterThan(0);
    } finally {
      for (const each of everybody) await each[Symbol.asyncDispose]();
    }
  });
});
