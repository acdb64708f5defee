import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../src/base/index.ts";
import { uidJitterMs } from "../../src/requeue/index.ts";

const DRIFT_MS = 30 * 60_000;
const UIDS = 10_000;

/** Random uids as an API server gives them out. */
function randomUids(count: number): string[] {
  const random = seededRandom(7);
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join("");
  return Array.from({ length: count }, () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`);
}

/** Uids that differ in their last digits alone. */
function serialUids(count: number): string[] {
  return Array.from({ length: count }, (_, nth) => `6f1c2f4e-0000-4000-a000-${String(nth).padStart(12, "0")}`);
}

/** The largest distance between the shares' distribution and the uniform one (Kolmogorov's statistic). */
function distanceFromUniform(shares: readonly number[]): number {
  const sorted = shares.toSorted((a, b) => a - b);
  const gaps = sorted.map((share, nth) =>
    Math.max(Math.abs(share - nth / sorted.length), Math.abs((nth + 1) / sorted.length - share)),
  );
  return Math.max(...gaps);
}

/** Over 100 equal bins; 99 degrees of freedom. */
function chiSquare(shares: readonly number[]): number {
  const bins = Array.from({ length: 100 }, () => 0);
  for (const share of shares) bins[Math.floor(share * 100)] = (bins[Math.floor(share * 100)] ?? 0) + 1;
  const expected = shares.length / 100;
  return bins.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

describe("the jitter of a uid", () => {
  test.each([
    ["random", randomUids(UIDS)],
    ["consecutive", serialUids(UIDS)],
  ])("of %s uids is uniform within [0, a tenth of the interval)", (_, uids) => {
    const shares = uids.map((uid) => uidJitterMs(uid, DRIFT_MS) / (DRIFT_MS / 10));
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...shares)).toBeLessThan(1);
    // What 999 of 1000 truly uniform samples of this size stay below: 1.95 / sqrt(n), and 148.2 for chi-square.
    expect(distanceFromUniform(shares)).toBeLessThan(1.95 / Math.sqrt(UIDS));
    expect(chiSquare(shares)).toBeLessThan(148.2);
  });

  test("would be found uneven if it were", () => {
    const shares = randomUids(UIDS).map((uid) => (uidJitterMs(uid, DRIFT_MS) / (DRIFT_MS / 10)) ** 1.1);
    expect(distanceFromUniform(shares)).toBeGreaterThan(1.95 / Math.sqrt(UIDS));
  });

  test.each([
    ["9f2b6a1e-3c58-4d7f-8a41-0e5d7c2b9f10", 114_810],
    ["9f2b6a1e-3c58-4d7f-8a41-0e5d7c2b9f11", 166_970],
    ["a", 18_634],
  ])("of %s is the same in every process and release", (uid, ms) => {
    expect(uidJitterMs(uid, DRIFT_MS)).toBe(ms);
  });

  test("is the same share of every interval", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.integer({ min: 1_000, max: 86_400_000 }), (uid, ms) => {
        const share = uidJitterMs(uid, 1e13) / 1e12;
        expect(uidJitterMs(uid, ms) - share * (ms / 10)).toBeGreaterThan(-1.01);
        expect(uidJitterMs(uid, ms) - share * (ms / 10)).toBeLessThan(0.01);
      }),
    );
  });

  test.each([undefined, ""])("is none without a uid (%j)", (uid) => {
    expect(uidJitterMs(uid, DRIFT_MS)).toBe(0);
  });

  test("is none of an interval too short to have a tenth", () => {
    expect(uidJitterMs("a", 0)).toBe(0);
    expect(uidJitterMs("a", 9)).toBe(0);
  });
});
