import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { LeaderElector, LeadershipLostError } from "../../src/election/index.ts";
import { KubeClient } from "../../src/kube/index.ts";
import { resources } from "../../src/resources/index.ts";
import { EmbeddedCluster, VirtualClock } from "../../src/testing/index.ts";
import { seededRandom } from "../../src/base/index.ts";

const LEASE = { namespace: "default", name: "lock" };

let clock: VirtualClock;
let cluster: EmbeddedCluster;
beforeEach(async () => {
  clock = new VirtualClock();
  cluster = await EmbeddedCluster.start({ clock });
});
afterEach(() => cluster[Symbol.asyncDispose]());

interface Candidate {
  elector: LeaderElector;
  /** The lead callback is running. */
  leads: () => boolean;
  stop: () => void;
  result: Promise<unknown>;
}

function candidate(identity: string, seed = 1): Candidate {
  const client = new KubeClient({ transport: cluster.transport(), env: { clock }, pool: "election" });
  const elector = new LeaderElector({ client, lease: LEASE, identity, env: { clock, random: seededRandom(seed) } });
  const stop = new AbortController();
  let leads = false;
  const lead = (signal: AbortSignal): Promise<void> => {
    leads = true;
    return new Promise((resolve) =>
      signal.addEventListener("abort", () => {
        leads = false;
        resolve();
      }),
    );
  };
  const result = elector.run({ signal: stop.signal, lead }).catch((error: unknown) => error);
  return { elector, leads: () => leads, stop: () => stop.abort(), result };
}

const lease = () => cluster.objects.get(resources.leases, LEASE);

describe("LeaderElector", () => {
  test("the first candidate creates the lease and leads; the second waits", async () => {
    const first = candidate("a");
    await cluster.settle();
    const second = candidate("b", 2);
    await cluster.settle({ advance: 60_000 });
    expect(first.leads()).toBe(true);
    expect(second.leads()).toBe(false);
    expect(second.elector.holder()).toBe("a");
    expect(lease()?.spec).toMatchObject({ holderIdentity: "a", leaseDurationSeconds: 15, leaseTransitions: 0 });
    first.stop();
    second.stop();
    await cluster.settle();
  });

  test("a stopped leader gives the lease back and a waiting one takes it within a retry", async () => {
    const first = candidate("a");
    await cluster.settle();
    const second = candidate("b", 2);
    await cluster.settle({ advance: 10_000 });
    first.stop();
    await cluster.settle({ advance: 4_400 });
    expect(await first.result).toBeUndefined();
    expect(second.leads()).toBe(true);
    expect(lease()?.spec).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 });
    second.stop();
    await cluster.settle();
  });

  test("a leader cut off from the API server stops before anybody else may take over", async () => {
    const first = candidate("a");
    await cluster.settle();
    await cluster.settle({ advance: 2_500 }); // The last renewal was 500 ms ago.
    cluster.faults.unreachable(true);
    await cluster.settle({ advance: 9_400 });
    expect(first.elector.mayWrite()).toBe(true);
    expect(first.leads()).toBe(true);
    await cluster.settle({ advance: 100 });
    expect(first.elector.mayWrite()).toBe(false);
    expect(await first.result).toBeInstanceOf(LeadershipLostError);
    expect(first.leads()).toBe(false);
  });

  test("a renewal that is never answered does not keep a leader past its deadline", async () => {
    const first = candidate("a");
    await cluster.settle({ advance: 2_500 });
    cluster.faults.slowRequests({ match: { resource: "leases" }, ms: 60_000 });
    await cluster.settle({ advance: 9_500 });
    expect(await first.result).toBeInstanceOf(LeadershipLostError);
  });

  test("a silent holder is followed within 24 s of its last renewal", async () => {
    const first = candidate("a");
    await cluster.settle();
    const second = candidate("b", 2);
    await cluster.settle({ advance: 30_000 });
    const lastRenewal = Date.parse(lease()?.spec.renewTime ?? "");
    // As if killed: the lease is not given back, and renewed no more.
    cluster.faults.unreachable(true);
    first.stop();
    await cluster.settle();
    cluster.faults.unreachable(false);
    await cluster.settle({ advance: lastRenewal + 24_000 - clock.now() });
    expect(second.leads()).toBe(true);
    second.stop();
    await cluster.settle();
  });

  test("a candidate whose wall clock is set forward by an hour does not take over", async () => {
    const first = candidate("a");
    await cluster.settle();
    const second = candidate("b", 2);
    await cluster.settle({ advance: 5_000 });
    // Both processes share this clock; the holder keeps its lease by renewing at the next step.
    clock.shiftWall(-3_600_000);
    await cluster.settle({ advance: 20_000 });
    expect(second.leads()).toBe(false);
    expect(first.leads()).toBe(true);
    first.stop();
    second.stop();
    await cluster.settle();
  });

  test("a holder that was asleep while others could take over knows it at once", async () => {
    const first = candidate("a");
    await cluster.settle();
    expect(first.elector.mayWrite()).toBe(true);
    clock.shiftWall(20_000); // The machine was suspended: the monotonic clock stood still.
    expect(first.elector.mayWrite()).toBe(false);
    await cluster.settle({ advance: 3_000 });
    expect(await first.result).toBeInstanceOf(LeadershipLostError);
  });

  test("somebody else's write into the lease ends leading", async () => {
    const first = candidate("a");
    await cluster.settle();
    cluster.objects.patch(resources.leases, LEASE, { spec: { holderIdentity: "usurper", leaseDurationSeconds: 15 } });
    await cluster.settle({ advance: 2_500 });
    expect(await first.result).toMatchObject({ code: "LEADERSHIP_LOST" });
    expect(String(await first.result)).toContain("usurper");
  });

  test("a lease with garbage in it is refused by name, not taken", async () => {
    cluster.objects.create(resources.leases, {
      metadata: LEASE,
      spec: { holderIdentity: "x", leaseDurationSeconds: "soon" },
    });
    const first = candidate("a");
    await cluster.settle({ advance: 60_000 });
    expect(first.leads()).toBe(false);
    first.stop();
    await cluster.settle();
    expect(lease()?.spec.holderIdentity).toBe("x");
  });

  test("periods that cannot keep two leaders apart are refused", () => {
    const client = new KubeClient({ transport: cluster.transport() });
    const options = { client, lease: LEASE, identity: "a" };
    expect(() => new LeaderElector({ ...options, leaseDurationMs: 10_000 })).toThrow(/longer than the renew deadline/);
    expect(() => new LeaderElector({ ...options, retryPeriodMs: 9_000 })).toThrow(/1.2 retry periods/);
    expect(() => new LeaderElector(options)).not.toThrow();
  });
});
