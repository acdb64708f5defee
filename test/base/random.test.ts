import * as fc from "fast-check";
import { expect, test } from "vitest";
import { seededRandom } from "../../src/base/index.ts";

function draw(seed: number): number[] {
  return Array.from({ length: 20 }, seededRandom(seed));
}

test("the same seed gives the same numbers, another seed others", () => {
  expect(draw(1)).toEqual(draw(1));
  expect(draw(1)).not.toEqual(draw(2));
});

test("its numbers are in [0, 1) and spread evenly", () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const random = seededRandom(seed);
      const tenths = Array.from({ length: 10 }, () => 0);
      for (let draw = 0; draw < 2_000; draw += 1) {
        const number = random();
        expect(number >= 0 && number < 1).toBe(true);
        const tenth = Math.floor(number * 10);
        tenths[tenth] = (tenths[tenth] ?? 0) + 1;
      }
      // 200 expected in each; seven standard deviations are 94.
      expect(Math.min(...tenths)).toBeGreaterThan(106);
      expect(Math.max(...tenths)).toBeLessThan(294);
    }),
    { numRuns: 50 },
  );
});
