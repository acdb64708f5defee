import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { LeaderElector, LeadershipLostError } from "../../src/election/index.ts";
import { KubeClient } from "../../src/kube/index.ts";
import { resources } from "../../src/resources/index.ts";
import { RecordingMeter } from "../controller/recording.ts";
import { Election, LEASE } from "./candidates.ts";

const HOUR_MS = 3_600_000;
const { leases } = resources;

let election: Election;
beforeEach(async () => {
  election = await Election.start();
});
afterEach(async () => {
  await election[Symbol.asyncDispose]();
  expect(election.wrongs).toEqual([]);
});

describe("taking a lease", () => {
  test("the first candidate creates it and leads; the second waits", async () => {
    const first = await election.stand("a");
    const second = await election.stand("b");
    await election.pass(60_000);
    expect(election.leaders()).toEqual(["a"]);
    expect(first.elector.mayWrite()).toBe(true);
    expect(second.elector.mayWrite()).toBe(false);
    expect(second.elector.lease?.spec.holderIdentity).toBe("a");
    expect(election.lease?.spec).toMatchObject({ holderIdentity: "a", leaseDurationSeconds: 15, leaseTransitions: 0 });
  });

  test("two that ask at the same moment: the server decides", async () => {
    await Promise.all([election.stand("a"), election.stand("b")]);
    await election.pass(30_000);
    expect(election.leaders()).toHaveLength(1);
  });

  test("a take-over whose answer was lost is noticed at the next try, and is one transition", async () => {
    await election.stand("a");
    await election.stand("b");
    await election.pass(5_000);
    election.cluster.faults.loseAnswers({ match: { resource: "leases", verb: "patch" }, times: 1 });
    election.candidates[0]?.process.pause();
    await election.pass(30_000);
    expect(election.holder).toBe("b");
    expect(election.candidates[1]?.leads).toBe(true);
    expect(election.lease?.spec.leaseTransitions).toBe(1);
  });

  test("an identity of its own is the host's name and something unique", () => {
    const client = new KubeClient({ transport: election.cluster.transport() });
    const [one, other] = [1, 2].map(() => new LeaderElector({ client, lease: LEASE }).identity);
    expect(one).toMatch(/^.+_[0-9a-f]{8}-[0-9a-f-]{27}$/);
    expect(one).not.toBe(other);
  });
});

describe("stopping", () => {
  test("gives the lease back, and a waiting candidate takes it within a retry", async () => {
    const first = await election.stand("a");
    const second = await election.stand("b");
    await election.pass(10_000);
    first.stop();
    await election.pass(4_400);
    expect(await first.ended).toBeUndefined();
    expect(second.leads).toBe(true);
    expect(election.lease?.spec).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 });
  });

  test("the lease is renewed for as long as what led takes to end, and given back only then", async () => {
    const { promise: drained, resolve: finish } = Promise.withResolvers<void>();
    const first = await election.stand("a", { drain: () => drained });
    const second = await election.stand("b");
    first.stop();
    await election.pass(60_000);
    expect(first.elector.mayWrite()).toBe(true);
    expect(second.leads).toBe(false);
    finish();
    await election.pass(4_400);
    expect(await first.ended).toBeUndefined();
    expect(second.leads).toBe(true);
  });

  test("losing the lease while draining is a loss all the same", async () => {
    const first = await election.stand("a", {
      drain: (lost) => new Promise((end) => lost.addEventListener("abort", () => end())),
    });
    first.stop();
    first.process.network = "black hole";
    await election.pass(12_000);
    expect(await first.ended).toBeInstanceOf(LeadershipLostError);
    expect(first.lost).toBe(await first.ended);
  });

  test("a candidate that never led stops at once", async () => {
    await election.stand("a");
    const second = await election.stand("b");
    second.stop();
    await election.pass(0);
    expect(await second.ended).toBeUndefined();
    expect(election.holder).toBe("a");
  });

  test.each([
    ["the answer to a renewal was lost", "deaf", ""],
    ["somebody else has taken it", "fine", "usurper"],
  ] as const)(
    "gives back the lease only if it is its own still, by a second look: %s",
    async (_what, network, holder) => {
      const first = await election.stand("a");
      first.process.network = network;
      await election.pass(2_500);
      first.process.network = "fine";
      if (holder !== "") election.cluster.objects.patch(leases, LEASE, { spec: { holderIdentity: holder } });
      first.stop();
      await election.pass(0);
      expect(await first.ended).toBeUndefined();
      expect(election.holder).toBe(holder);
    },
  );

  test("without an API server ends soon, and says that the lease will expire", async () => {
    const first = await election.stand("a");
    first.process.network = "black hole";
    first.stop();
    await election.pass(5_000);
    expect(await first.ended).toBeUndefined();
    expect(first.lines.at(-1)?.message).toBe("could not give the lease back; it will expire");
    expect(election.holder).toBe("a");
  });

  test.each([
    ["ends", () => Promise.resolve(), undefined],
    ["fails", () => Promise.reject(new Error("broken")), "broken"],
  ])("what led %s by itself: the lease is given back, and run says so", async (_what, lead, message) => {
    const client = new KubeClient({ transport: election.cluster.transport(), env: { clock: election.clock } });
    const elector = new LeaderElector({ client, lease: LEASE, env: { clock: election.clock } });
    const run = elector.run({ signal: new AbortController().signal, lead }).catch((error: Error) => error.message);
    await election.pass(0);
    expect(await run).toBe(message);
    expect(election.holder).toBe("");
    expect(elector.mayWrite()).toBe(false);
  });
});

describe("losing a lease", () => {
  test("a leader cut off from the API server stops before anybody else may take over", async () => {
    const first = await election.stand("a");
    await election.pass(2_500); // The last renewal was 500 ms ago.
    election.cluster.faults.unreachable(true);
    await election.pass(9_400);
    expect(first.elector.mayWrite()).toBe(true);
    expect(first.leads).toBe(true);
    await election.pass(100);
    expect(first.elector.mayWrite()).toBe(false);
    expect(await first.ended).toMatchObject({ name: "LeadershipLostError", code: "LEADERSHIP_LOST" });
    expect(first.leads).toBe(false);
    expect(first.lost).toBe(await first.ended);
  });

  test("is told at once, also when what led does not end", async () => {
    const first = await election.stand("a", { drain: () => new Promise(() => {}) });
    first.process.network = "refused";
    await election.pass(10_000);
    expect(first.over).toBe(true);
    expect(first.leads).toBe(true);
    expect(() => first.elector.requireLeadership()).toThrow(/does not hold the lease default\/lock now/);
  });

  test("what fails while it stops is told in the log", async () => {
    const first = await election.stand("a", { drain: () => Promise.reject(new Error("could not stop well")) });
    first.process.network = "refused";
    await election.pass(10_000);
    expect(await first.ended).toBeInstanceOf(LeadershipLostError);
    expect(first.lines.at(-1)).toMatchObject({ fields: { error: "could not stop well" } });
  });

  test("a renewal that is never answered does not keep a leader past its deadline", async () => {
    const first = await election.stand("a");
    await election.pass(2_500);
    first.process.network = "deaf";
    await election.pass(9_500);
    expect(await first.ended).toBeInstanceOf(LeadershipLostError);
  });

  test("a server that is away for less than the renew deadline costs nothing", async () => {
    const first = await election.stand("a");
    await election.pass(2_500);
    first.process.network = "black hole";
    await election.pass(5_000);
    first.process.network = "fine";
    await election.pass(20_000);
    expect(first.leads).toBe(true);
    expect(election.lease?.spec.leaseTransitions).toBe(0);
  });

  test("a silent holder is followed within 24 s of its last renewal, not before its lease has passed", async () => {
    const first = await election.stand("a");
    await election.stand("b");
    await election.stand("c");
    await election.pass(30_000);
    const lastRenewal = Date.parse(election.lease?.spec.renewTime ?? "");
    first.process.pause();
    await election.pass(lastRenewal + 15_000 - election.clock.now());
    expect(election.holder).toBe("a");
    await election.pass(lastRenewal + 24_000 - election.clock.now());
    expect(["b", "c"]).toContain(election.holder);
    expect(first.over).toBe(false);
    first.process.resume();
    await election.pass(0);
    expect(await first.ended).toBeInstanceOf(LeadershipLostError);
  });

  test("somebody else's write into the lease ends leading at the next renewal", async () => {
    const first = await election.stand("a");
    election.cluster.objects.patch(leases, LEASE, { spec: { holderIdentity: "usurper", leaseDurationSeconds: 15 } });
    await election.pass(2_000);
    expect(await first.ended).toMatchObject({ code: "LEADERSHIP_LOST" });
    expect(String(await first.ended)).toContain('"usurper" holds it now');
    expect(election.holder).toBe("usurper");
  });
});

describe("interference", () => {
  test.each([
    ["others who change the lease's labels", 500, true],
    ["nobody", HOUR_MS, false],
  ])("%s make renewing slower, and cost nothing", async (_what, everyMs, slow) => {
    const meter = new RecordingMeter();
    const first = await election.stand("a", { meter });
    for (let at = 0; at < 30_000; at += 500) {
      if (at % everyMs === 0) election.cluster.objects.patch(leases, LEASE, { metadata: { labels: { at: `${at}` } } });
      await election.pass(500);
    }
    expect(first.leads).toBe(true);
    const taken = meter.value("leader_election_slowpath_total", { name: "lock" }) ?? 0;
    expect(taken > 1).toBe(slow);
  });

  test("a label is no sign of life: a silent holder's lease expires under somebody who sets one each second", async () => {
    const first = await election.stand("a");
    const second = await election.stand("b");
    first.process.pause();
    for (let at = 0; at < 24; at += 1) {
      election.cluster.objects.patch(leases, LEASE, { metadata: { labels: { at: `${at}` } } });
      await election.pass(1_000);
    }
    expect(second.leads).toBe(true);
  });

  test("conflicts without end cost the lease after the renew deadline", async () => {
    const first = await election.stand("a");
    election.cluster.faults.failRequests({ match: { resource: "leases", verb: "patch" }, status: 409 });
    await election.pass(10_000);
    expect(await first.ended).toBeInstanceOf(LeadershipLostError);
  });

  test("a lease that is deleted is made again by its holder", async () => {
    const first = await election.stand("a");
    await election.stand("b");
    await election.pass(10_000);
    election.cluster.objects.delete(leases, LEASE);
    await election.pass(30_000);
    expect(first.leads).toBe(true);
    expect(election.holder).toBe("a");
  });

  test("a lease that is deleted is not free to those who have seen its holder", async () => {
    const first = await election.stand("a");
    const second = await election.stand("b");
    await election.pass(10_000);
    first.process.network = "black hole";
    await election.pass(1_000);
    election.cluster.objects.delete(leases, LEASE);
    await election.pass(15_000);
    expect(second.leads).toBe(false);
    await election.pass(9_000);
    expect(second.leads).toBe(true);
  });

  test("a lease whose holder somebody removed is taken again by the one who leads", async () => {
    const first = await election.stand("a");
    election.cluster.objects.patch(leases, LEASE, { spec: { holderIdentity: "" } });
    await election.pass(2_000);
    expect(first.leads).toBe(true);
    expect(election.lease?.spec).toMatchObject({ holderIdentity: "a", leaseTransitions: 1 });
  });

  test.each([
    ["a duration that is no number", { holderIdentity: "x", leaseDurationSeconds: "soon" }],
    ["a negative duration", { holderIdentity: "x", leaseDurationSeconds: -1 }],
    ["a holder that is no text", { holderIdentity: 7, leaseDurationSeconds: 15 }],
    ["transitions that are no number", { holderIdentity: "", leaseDurationSeconds: 15, leaseTransitions: "many" }],
  ])("a lease with garbage in it is refused by name, not taken: %s", async (_what, spec) => {
    election.cluster.objects.create(leases, { metadata: LEASE, spec });
    const first = await election.stand("a");
    await election.pass(60_000);
    expect(first.leads).toBe(false);
    expect(election.lease?.spec).toEqual(spec);
    const said = first.lines.filter(({ message }) => message === "could not read or write the lease");
    expect(said.length).toBeLessThan(32); // a line each retry, not a busy loop
    expect(said[0]?.fields["error"]).toMatch(/the lease default\/lock does not hold .* record: delete it/);
  });

  test.each([
    ["no spec at all", undefined, 0],
    ["times that are no times, and no duration: ours counts", { holderIdentity: "x", renewTime: "yesterday" }, 15_000],
    ["a duration of its own", { holderIdentity: "x", leaseDurationSeconds: 40 }, 40_000],
  ])("a lease with %s is taken in time", async (_what, spec, afterMs) => {
    election.cluster.objects.create(leases, { metadata: LEASE, ...(spec && { spec }) });
    const first = await election.stand("a");
    await election.pass(Math.max(0, afterMs - 1));
    expect(first.leads).toBe(afterMs === 0);
    await election.pass(4_402);
    expect(first.leads).toBe(true);
  });
});

describe("clocks", () => {
  test.each([
    ["forward", HOUR_MS],
    ["back", -HOUR_MS],
  ])("a candidate's wall clock that is set %s by an hour changes nothing", async (_what, byMs) => {
    const first = await election.stand("a");
    const second = await election.stand("b");
    await election.pass(5_000);
    second.process.shiftWall(byMs);
    await election.pass(60_000);
    expect(first.leads).toBe(true);
    first.process.pause();
    await election.pass(24_000);
    expect(second.leads).toBe(true);
    expect(election.lease?.spec.leaseTransitions).toBe(1);
  });

  test("a holder's wall clock that is set back by an hour changes nothing, and prolongs nothing", async () => {
    const first = await election.stand("a");
    await election.stand("b");
    await election.pass(5_000);
    first.process.shiftWall(-HOUR_MS);
    await election.pass(20_000);
    expect(first.leads).toBe(true);
    first.process.network = "black hole";
    first.process.shiftWall(-HOUR_MS);
    await election.pass(10_000);
    expect(await first.ended).toBeInstanceOf(LeadershipLostError);
  });

  test("a holder's wall clock that is set forward by an hour costs it the lease, at once for its writes", async () => {
    const first = await election.stand("a");
    await election.pass(5_000);
    first.process.shiftWall(HOUR_MS);
    expect(first.elector.mayWrite()).toBe(false);
    await election.pass(2_000);
    expect(await first.ended).toBeInstanceOf(LeadershipLostError);
  });

  test("a wall clock that stands still makes no renewal look like none", async () => {
    const first = await election.stand("a");
    const second = await election.stand("b");
    for (let tick = 0; tick < 600; tick += 1) {
      await election.clock.advance(100);
      first.process.shiftWall(-100);
    }
    expect(first.leads).toBe(true);
    expect(second.leads).toBe(false);
  });

  test("a holder whose machine slept while others could take over knows it at once", async () => {
    const first = await election.stand("a");
    expect(first.elector.mayWrite()).toBe(true);
    first.process.suspend();
    await election.pass(20_000);
    first.process.resume();
    expect(first.elector.mayWrite()).toBe(false);
    await election.pass(2_000);
    expect(await first.ended).toBeInstanceOf(LeadershipLostError);
  });
});

test("an elector is run once: after a loss its work may still go on", async () => {
  const first = await election.stand("a");
  first.process.network = "refused";
  await election.pass(10_000);
  expect(await first.ended).toBeInstanceOf(LeadershipLostError);
  const again = first.elector.run({ signal: AbortSignal.abort(), lead: () => Promise.resolve() });
  await expect(again).rejects.toMatchObject({ code: "ELECTION_STARTED" });
});

test("an identity that is empty is refused: a lease that was given back would be its own", () => {
  const client = new KubeClient({ transport: election.cluster.transport() });
  expect(() => new LeaderElector({ client, lease: LEASE, identity: "" })).toThrow(/lock has no identity/);
});

test("the status of each candidate is 1 while it leads", async () => {
  const [a, b] = [new RecordingMeter(), new RecordingMeter()];
  const status = (): unknown[] => [a, b].map((meter) => meter.value("leader_election_master_status", { name: "lock" }));
  const first = await election.stand("a", { meter: a });
  const second = await election.stand("b", { meter: b });
  expect(status()).toEqual([1, 0]);
  first.stop();
  await election.pass(5_000);
  expect(status()).toEqual([0, 1]);
  second.process.network = "refused";
  await election.pass(10_000);
  expect(status()).toEqual([0, 0]);
});

test.each([
  [{ leaseDurationMs: 10_000 }, /longer than the renew deadline/],
  [{ retryPeriodMs: 9_000 }, /1.2 retry periods/],
  [{ retryPeriodMs: Number.NaN }, /retry period NaN ms/],
  [{ leaseDurationMs: Number.POSITIVE_INFINITY }, /lease Infinity ms/],
])("periods that cannot keep two leaders apart are refused: %j", (periods, message) => {
  const client = new KubeClient({ transport: election.cluster.transport() });
  const options = { client, lease: LEASE, identity: "a" };
  expect(() => new LeaderElector({ ...options, ...periods })).toThrow(message);
  expect(() => new LeaderElector(options)).not.toThrow();
});
