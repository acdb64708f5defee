import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { Expectations } from "../../src/consistency/index.ts";
import { VirtualClock } from "../../src/testing/index.ts";

const KEY = "shop/export";
const FIVE_MINUTES = 5 * 60_000;

let clock: VirtualClock;
let expectations: Expectations;

beforeEach(() => {
  clock = new VirtualClock();
  expectations = new Expectations({ clock });
});

describe("creations", () => {
  test("nothing is expected of a key that nothing was asked for", () => {
    expect(expectations.satisfied(KEY)).toBe(true);
    expectations.creationObserved(KEY, "a");
    expectations.created(KEY, "a");
    expect(expectations.size).toBe(0);
  });

  test("each must be answered and seen", () => {
    expectations.expectCreations(KEY, 2);
    expectations.created(KEY, "a");
    expectations.created(KEY, "b");
    expectations.creationObserved(KEY, "a");
    expect(expectations.satisfied(KEY)).toBe(false);
    expectations.creationObserved(KEY, "b");
    expect(expectations.satisfied(KEY)).toBe(true);
    expect(expectations.size).toBe(0);
  });

  test("the event may come before the answer", () => {
    expectations.expectCreations(KEY, 1);
    expectations.creationObserved(KEY, "a");
    expect(expectations.satisfied(KEY)).toBe(false);
    expectations.created(KEY, "a");
    expect(expectations.satisfied(KEY)).toBe(true);
  });

  test("another object's event is not taken for one of them", () => {
    expectations.expectCreations(KEY, 1);
    expectations.creationObserved(KEY, "of-an-earlier-pass");
    expectations.created(KEY, "a");
    expect(expectations.satisfied(KEY)).toBe(false);
  });

  test("the same event twice counts once", () => {
    expectations.expectCreations(KEY, 2);
    expectations.created(KEY, "a");
    expectations.creationObserved(KEY, "a");
    expectations.creationObserved(KEY, "a");
    expectations.created(KEY, "b");
    expect(expectations.satisfied(KEY)).toBe(false);
  });

  test("one that was refused is not waited for", () => {
    expectations.expectCreations(KEY, 2);
    expectations.creationFailed(KEY);
    expect(expectations.satisfied(KEY)).toBe(false);
    expectations.creationFailed(KEY);
    expect(expectations.satisfied(KEY)).toBe(true);
  });

  test("of none at all are no expectation", () => {
    expectations.expectCreations(KEY, 0);
    expect(expectations.size).toBe(0);
  });
});

describe("deletions", () => {
  test("each must be seen, by uid", () => {
    expectations.expectDeletions(KEY, ["a", "b"]);
    expectations.deletionObserved(KEY, "c");
    expectations.deletionObserved(KEY, "a");
    expectations.deletionObserved(KEY, "a");
    expect(expectations.satisfied(KEY)).toBe(false);
    expectations.deletionObserved(KEY, "b");
    expect(expectations.satisfied(KEY)).toBe(true);
  });

  test("are waited for beside creations", () => {
    expectations.expectDeletions(KEY, ["a"]);
    expectations.expectCreations(KEY, 1);
    expectations.created(KEY, "b");
    expectations.creationObserved(KEY, "b");
    expect(expectations.satisfied(KEY)).toBe(false);
    expectations.deletionObserved(KEY, "a");
    expect(expectations.satisfied(KEY)).toBe(true);
  });
});

describe("finalizer removals", () => {
  test("are remembered by uid and hold nothing back", () => {
    expectations.expectFinalizerRemovals(KEY, ["a"]);
    expect(expectations.satisfied(KEY)).toBe(true);
    expect(expectations.expectsFinalizerRemoval(KEY, "a")).toBe(true);
    expect(expectations.expectsFinalizerRemoval(KEY, "b")).toBe(false);
    expectations.finalizerRemovalObserved(KEY, "a");
    expect(expectations.expectsFinalizerRemoval(KEY, "a")).toBe(false);
    expect(expectations.size).toBe(0);
  });

  test("outlive a timeout and new expectations, since the pod was accounted for", async () => {
    expectations.expectFinalizerRemovals(KEY, ["a"]);
    await clock.advance(2 * FIVE_MINUTES);
    expectations.expectCreations(KEY, 1);
    expectations.creationFailed(KEY);
    expect(expectations.expectsFinalizerRemoval(KEY, "a")).toBe(true);
  });
});

describe("an event that never comes", () => {
  test("is given up after five minutes", async () => {
    expectations.expectDeletions(KEY, ["a"]);
    await clock.advance(FIVE_MINUTES);
    expect(expectations.satisfied(KEY)).toBe(false);
    await clock.advance(1);
    expect(expectations.satisfied(KEY)).toBe(true);
  });

  test("is counted from the last wish, and the clock on the wall does not matter", async () => {
    expectations.expectDeletions(KEY, ["a"]);
    await clock.advance(FIVE_MINUTES);
    expectations.expectDeletions(KEY, ["b"]);
    clock.shiftWall(24 * 3_600_000);
    await clock.advance(FIVE_MINUTES);
    expect(expectations.satisfied(KEY)).toBe(false);
  });

  test("when it comes late after all, is not taken for one of the next pass", async () => {
    expectations.expectCreations(KEY, 1);
    expectations.created(KEY, "lost");
    await clock.advance(FIVE_MINUTES + 1);
    expectations.expectCreations(KEY, 1);
    expectations.creationObserved(KEY, "lost");
    expectations.created(KEY, "a");
    expect(expectations.satisfied(KEY)).toBe(false);
    expectations.creationObserved(KEY, "a");
    expect(expectations.satisfied(KEY)).toBe(true);
  });

  test("lasts as long as the user says", async () => {
    const short = new Expectations({ clock, timeoutMs: 10 });
    short.expectDeletions(KEY, ["a"]);
    await clock.advance(11);
    expect(short.satisfied(KEY)).toBe(true);
  });
});

test("an object that is gone is forgotten", () => {
  expectations.expectDeletions(KEY, ["a"]);
  expectations.expectDeletions("shop/other", ["b"]);
  expectations.forget(KEY);
  expect(expectations.satisfied(KEY)).toBe(true);
  expect(expectations.satisfied("shop/other")).toBe(false);
  expect(expectations.size).toBe(1);
});

/** Remembers everything that was ever said about one key, and works it out from there each time. */
class NaiveExpectations {
  #sent = 0;
  #failed = 0;
  #answered: string[] = [];
  #deletions: { uid: string; seen: boolean }[] = [];
  readonly #seen: Set<string> = new Set();
  #lastWish = Number.NEGATIVE_INFINITY;

  get isFulfilled(): boolean {
    const areAnswered = this.#sent === this.#answered.length + this.#failed;
    return (
      areAnswered && this.#answered.every((uid) => this.#seen.has(uid)) && this.#deletions.every(({ seen }) => seen)
    );
  }

  get pendingAnswers(): number {
    return this.#sent - this.#failed - this.#answered.length;
  }

  satisfied(now: number): boolean {
    return this.isFulfilled || now - this.#lastWish > FIVE_MINUTES;
  }

  wish(now: number, { creations = 0, deletions = [] }: { creations?: number; deletions?: string[] }): void {
    if (this.satisfied(now)) {
      [this.#sent, this.#failed, this.#answered, this.#deletions] = [0, 0, [], []];
      this.#seen.clear();
    }
    this.#sent += creations;
    for (const uid of deletions) {
      if (!this.#deletions.some((wish) => wish.uid === uid && !wish.seen)) this.#deletions.push({ uid, seen: false });
    }
    this.#lastWish = now;
  }

  answer(uid: string): void {
    this.#answered.push(uid);
  }

  fail(): void {
    this.#failed += 1;
  }

  see(uid: string): void {
    this.#seen.add(uid);
  }

  seeGone(uid: string): void {
    for (const wish of this.#deletions) wish.seen ||= wish.uid === uid;
  }
}

test("does what a naive account of the same history does", () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant("create" as const), count: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ do: fc.constant("answer" as const) }),
    fc.record({ do: fc.constant("fail" as const) }),
    // The next answers will be about made-N and on, so a high number is an event before its answer.
    fc.record({ do: fc.constant("see" as const), nth: fc.nat(8) }),
    fc.record({ do: fc.constant("see stranger" as const), nth: fc.nat(2) }),
    fc.record({ do: fc.constant("delete" as const), nth: fc.nat(3) }),
    fc.record({ do: fc.constant("see gone" as const), nth: fc.nat(3) }),
    fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(1_000, FIVE_MINUTES - 500, FIVE_MINUTES + 1) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
      let now = 0;
      const ours = new Expectations({
        clock: { now: () => 0, monotonic: () => now, setTimer: () => ({ cancel() {} }) },
      });
      const naive = new NaiveExpectations();
      let made = 0;
      let highestSeen = -1;
      for (const step of steps) {
        if (step.do === "create") {
          ours.expectCreations(KEY, step.count);
          naive.wish(now, { creations: step.count });
        } else if (step.do === "answer" && naive.pendingAnswers > 0) {
          ours.created(KEY, `made-${made}`);
          naive.answer(`made-${made}`);
          made += 1;
        } else if (step.do === "fail" && naive.pendingAnswers > Math.max(0, highestSeen - made + 1)) {
          // Not the create of an object that was seen already: that one did not fail.
          ours.creationFailed(KEY);
          naive.fail();
        } else if (step.do === "see" && step.nth < made + naive.pendingAnswers) {
          ours.creationObserved(KEY, `made-${step.nth}`);
          naive.see(`made-${step.nth}`);
          highestSeen = Math.max(highestSeen, step.nth);
        } else if (step.do === "see stranger") {
          ours.creationObserved(KEY, `stranger-${step.nth}`);
        } else if (step.do === "delete") {
          ours.expectDeletions(KEY, [`old-${step.nth}`]);
          naive.wish(now, { deletions: [`old-${step.nth}`] });
        } else if (step.do === "see gone") {
          ours.deletionObserved(KEY, `old-${step.nth}`);
          naive.seeGone(`old-${step.nth}`);
        } else if (step.do === "wait") now += step.ms;
        expect(ours.satisfied(KEY)).toBe(naive.satisfied(now));
        expect(ours.size).toBe(naive.isFulfilled ? 0 : 1);
      }
    }),
    { numRuns: 2_000 },
  );
});
