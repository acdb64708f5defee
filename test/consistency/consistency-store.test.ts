import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ConsistencyError, ConsistencyStore } from "../../src/consistency/index.ts";

const OWNER = "shop/run-1";
const JOBS = "batch/jobs";
const PODS = "/pods";

/** Caches that stand where the test says. */
function setUp(versions: Record<string, string> = {}) {
  const at: Record<string, string> = { [JOBS]: "100", [PODS]: "100", ...versions };
  const stores = new Map(Object.keys(at).map((name) => [name, { lastStoreSyncResourceVersion: () => at[name] ?? "" }]));
  return { at, stores, store: new ConsistencyStore({ stores }) };
}

describe("an owner", () => {
  test("that was never written for is ready", () => {
    const { store } = setUp();
    expect(store.ensureReady(OWNER)).toBeUndefined();
    expect(store.unready(OWNER)).toEqual([]);
  });

  test("is not ready until the cache shows what was written", () => {
    const { at, store } = setUp();
    store.wroteAt(OWNER, "u1", JOBS, "101");
    expect(store.unready(OWNER)).toEqual([{ groupResource: JOBS, readVersion: "100", wroteVersion: "101" }]);
    at[JOBS] = "101";
    expect(store.unready(OWNER)).toEqual([]);
  });

  test("is ready at once when the cache is there already", () => {
    const { store } = setUp();
    store.wroteAt(OWNER, "u1", JOBS, "100");
    expect(store.ensureReady(OWNER)).toBeUndefined();
  });

  test("waits for versions of any length as numbers do, not as text", () => {
    const { at, store } = setUp({ [JOBS]: "99" });
    store.wroteAt(OWNER, "u1", JOBS, "340282366920938463463374607431768211455");
    expect(store.unready(OWNER)).toHaveLength(1);
    at[JOBS] = "340282366920938463463374607431768211454";
    expect(store.unready(OWNER)).toHaveLength(1);
    at[JOBS] = "340282366920938463463374607431768211455";
    expect(store.unready(OWNER)).toEqual([]);
  });

  test("does not wait for what was written for another", () => {
    const { store } = setUp();
    store.wroteAt("shop/run-2", "u2", JOBS, "200");
    expect(store.unready(OWNER)).toEqual([]);
    expect(store.unready("shop/run-2")).toHaveLength(1);
  });

  test("is judged by every cache: all that trail are told, by name", () => {
    const { at, store } = setUp({ "apps/deployments": "100" });
    for (const name of [PODS, JOBS, "apps/deployments"]) store.wroteAt(OWNER, "u1", name, "150");
    at[JOBS] = "150";
    expect(store.unready(OWNER).map(({ groupResource }) => groupResource)).toEqual([PODS, "apps/deployments"]);
    expect(store.ensureReady(OWNER)).toBeInstanceOf(ConsistencyError);
    expect(store.ensureReady(OWNER)).toMatchObject({
      code: "CACHE_STALE",
      groupResource: PODS,
      readVersion: "100",
      wroteVersion: "150",
      message: `the cache of ${PODS} stands at version 100, but 150 was written for ${OWNER}: wait until it has caught up`,
    });
  });
});

describe("two writes of a resource", () => {
  test.each([
    ["120", "110"],
    ["110", "120"],
  ])("%s, then %s: the higher counts", (first, second) => {
    const { store } = setUp();
    store.wroteAt(OWNER, "u1", JOBS, first);
    store.wroteAt(OWNER, "u1", JOBS, second);
    expect(store.unready(OWNER)).toMatchObject([{ wroteVersion: "120" }]);
  });

  test.each([
    ["not-a-number", "120", [{ wroteVersion: "120" }]],
    ["120", "not-a-number", []],
    ["120", "", []],
    ["", "120", [{ wroteVersion: "120" }]],
  ])("%j, then %j: where they cannot be compared, the later counts", (first, second, unready) => {
    const { store } = setUp();
    store.wroteAt(OWNER, "u1", JOBS, first);
    store.wroteAt(OWNER, "u1", JOBS, second);
    expect(store.unready(OWNER)).toMatchObject(unready);
  });
});

describe("nothing is held back", () => {
  test.each([
    ["by a cache before its first list", { [JOBS]: "" }, "101"],
    ["by a cache whose version is no number", { [JOBS]: "v100" }, "101"],
    ["by a written version that is no number", {}, "v101"],
    ["by an empty written version", {}, ""],
  ])("%s", (_, versions, written) => {
    const { store } = setUp(versions);
    store.wroteAt(OWNER, "u1", JOBS, written);
    expect(store.ensureReady(OWNER)).toBeUndefined();
  });

  test("by a resource without a cache", () => {
    const { store } = setUp();
    store.wroteAt(OWNER, "u1", "/secrets", "500");
    expect(store.ensureReady(OWNER)).toBeUndefined();
  });
});

describe("memory", () => {
  test("holds an owner until all that was written for it is shown", () => {
    const { at, store } = setUp();
    store.wroteAt(OWNER, "u1", JOBS, "101");
    store.wroteAt(OWNER, "u1", PODS, "102");
    at[JOBS] = "101";
    store.unready(OWNER);
    expect(store.size).toBe(1);
    at[PODS] = "102";
    store.unready(OWNER);
    expect(store.size).toBe(0);
    // Even a cache that went back no longer holds it: what was shown once is settled.
    at[PODS] = "100";
    expect(store.unready(OWNER)).toEqual([]);
  });

  test("of an owner that is gone is cleared, whichever uid it had", () => {
    const { store } = setUp();
    store.wroteAt(OWNER, "u1", JOBS, "101");
    store.clear(OWNER, "");
    expect(store.size).toBe(0);
    expect(store.unready(OWNER)).toEqual([]);
  });

  test("is cleared by the uid that was written for, and by no other", () => {
    const { store } = setUp();
    store.wroteAt(OWNER, "u1", JOBS, "101");
    store.clear(OWNER, "u0");
    store.clear("shop/unknown", "u1");
    store.clear("shop/unknown", "");
    expect(store.unready(OWNER)).toHaveLength(1);
    store.clear(OWNER, "u1");
    expect(store.size).toBe(0);
  });

  test("is cleared as a whole when the server went back to older versions", () => {
    const { store } = setUp();
    store.wroteAt(OWNER, "u1", JOBS, "101");
    store.wroteAt("shop/run-2", "u2", PODS, "102");
    store.clearAll();
    expect(store.size).toBe(0);
    expect(store.unready(OWNER)).toEqual([]);
  });
});

describe("an owner that was recreated under its name", () => {
  test("does not wait for what was written for the old one", () => {
    const { at, store } = setUp();
    store.wroteAt(OWNER, "old", JOBS, "500");
    store.wroteAt(OWNER, "new", JOBS, "150");
    expect(store.unready(OWNER)).toMatchObject([{ wroteVersion: "150" }]);
    at[JOBS] = "150";
    expect(store.unready(OWNER)).toEqual([]);
    expect(store.size).toBe(0);
  });

  test("keeps its account when a late write for the old one follows, if the pass says whom it reads", () => {
    const { at, store } = setUp();
    store.wroteAt(OWNER, "new", JOBS, "150");
    store.wroteAt(OWNER, "old", PODS, "90");
    expect(store.unready(OWNER, "new")).toMatchObject([{ groupResource: JOBS, wroteVersion: "150" }]);
    at[JOBS] = "150";
    expect(store.unready(OWNER, "new")).toEqual([]);
    expect(store.size).toBe(0);
  });

  test("is judged by the last writer, as upstream does, if the pass does not say", () => {
    const { store } = setUp();
    store.wroteAt(OWNER, "new", JOBS, "150");
    store.wroteAt(OWNER, "old", PODS, "90");
    expect(store.unready(OWNER)).toEqual([]);
  });

  test("keeps its account when the old one's deletion is seen late", () => {
    const { store } = setUp();
    store.wroteAt(OWNER, "old", JOBS, "120");
    store.wroteAt(OWNER, "new", JOBS, "150");
    store.clear(OWNER, "old");
    expect(store.unready(OWNER)).toMatchObject([{ wroteVersion: "150" }]);
  });

  test("goes on with its own account after writes in turns", () => {
    const { store } = setUp();
    store.wroteAt(OWNER, "new", JOBS, "150");
    store.wroteAt(OWNER, "old", JOBS, "120");
    store.wroteAt(OWNER, "new", PODS, "160");
    expect(store.unready(OWNER)).toMatchObject([{ wroteVersion: "160" }, { wroteVersion: "150" }]);
  });
});

/** The contract written down naively: a list of every write, none forgotten before a pass has judged it. */
class NaiveStore {
  writes: { owner: string; uid: string; resource: string; version: number }[] = [];

  unready(owner: string, uid: string | undefined, at: Record<string, number>): string[] {
    const judged = uid ?? this.writes.findLast((write) => write.owner === owner)?.uid;
    this.forget((write) => write.owner === owner && write.uid !== judged);
    const own = this.writes.filter((write) => write.owner === owner);
    const behind = own.filter(({ resource, version }) => (at[resource] ?? 0) < version);
    if (behind.length === 0) this.forget((write) => write.owner === owner);
    return [...new Set(behind.map(({ resource }) => resource))].toSorted();
  }

  forget(matches: (write: NaiveStore["writes"][number]) => boolean): void {
    this.writes = this.writes.filter((write) => !matches(write));
  }
}

const owner = fc.constantFrom("shop/a", "shop/b", "c");
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("write" as const),
      owner,
      resource: fc.constantFrom(JOBS, PODS),
      ago: fc.constantFrom(0, 0, 0, 1),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("pass" as const), owner, says: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant("see" as const), resource: fc.constantFrom(JOBS, PODS), by: fc.nat(4) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("recreate" as const), owner }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("delete" as const), owner, ago: fc.nat(1) }) },
);

test("agrees with a naive account of every write, over random histories", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const at: Record<string, number> = { [JOBS]: 95, [PODS]: 95 };
      const stores = new Map(
        [JOBS, PODS].map((name) => [name, { lastStoreSyncResourceVersion: () => String(at[name]) }]),
      );
      const store = new ConsistencyStore({ stores });
      const model = new NaiveStore();
      const lives: Record<string, number> = {};
      const uidOf = (owner: string, ago: number): string => `${owner}#${(lives[owner] ?? 0) - ago}`;
      let version = 95;
      for (const step of steps) {
        if (step.type === "write") {
          version += 1;
          const { owner, resource } = step;
          const uid = uidOf(owner, step.ago);
          store.wroteAt(owner, uid, resource, String(version));
          model.writes.push({ owner, uid, resource, version });
        } else if (step.type === "see") {
          at[step.resource] = Math.min((at[step.resource] ?? 0) + step.by, version);
        } else if (step.type === "recreate") {
          lives[step.owner] = (lives[step.owner] ?? 0) + 1;
        } else if (step.type === "delete") {
          const gone = uidOf(step.owner, step.ago);
          store.clear(step.owner, gone);
          model.forget(({ owner, uid }) => owner === step.owner && uid === gone);
        } else {
          const uid = step.says ? uidOf(step.owner, 0) : undefined;
          const unready = store.unready(step.owner, uid);
          expect(unready.map(({ groupResource }) => groupResource)).toEqual(model.unready(step.owner, uid, at));
        }
        expect(store.size).toBe(new Set(model.writes.map(({ owner }) => owner)).size);
      }
    }),
    { numRuns: 2_000 },
  );
});
