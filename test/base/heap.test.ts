import * as fc from "fast-check";
import { expect, test } from "vitest";
import { KeyedHeap } from "../../src/base/index.ts";

const key = fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h");
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant("set" as const), key, order: fc.integer({ min: 0, max: 9 }) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("delete" as const), key }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("pop" as const) }) },
);

test("is a sorted list with one entry a key, over random histories", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const heap = new KeyedHeap<string>();
      // Oldest first: sorting is stable, so ties stay in the order in which they were put in.
      let list: { key: string; order: number }[] = [];
      for (const step of steps) {
        if (step.type === "set") {
          const known = list.find((entry) => entry.key === step.key);
          if (known) known.order = step.order;
          else list.push({ key: step.key, order: step.order });
          heap.set(step.key, step.order);
        } else if (step.type === "delete") {
          expect(heap.delete(step.key)).toBe(list.some((entry) => entry.key === step.key));
          list = list.filter((entry) => entry.key !== step.key);
        } else {
          const [first] = list.toSorted((a, b) => a.order - b.order);
          const popped = heap.pop();
          expect(popped?.key).toBe(first?.key);
          expect(popped?.order).toBe(first?.order);
          list = list.filter((entry) => entry !== first);
        }
        const [first] = list.toSorted((a, b) => a.order - b.order);
        expect(heap.peek()?.key).toBe(first?.key);
        expect(heap.size).toBe(list.length);
        for (const key of ["a", "b", "c", "d", "e", "f", "g", "h"]) {
          const entry = list.find((other) => other.key === key);
          expect(heap.has(key)).toBe(entry !== undefined);
          expect(heap.orderOf(key)).toBe(entry?.order);
        }
      }
    }),
    { numRuns: 1_000 },
  );
});

test("leaves in order, ties in the order they came", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 200 }), (orders) => {
      const heap = new KeyedHeap<number>();
      for (const [key, order] of orders.entries()) heap.set(key, order);
      const keys: number[] = [];
      for (let entry = heap.pop(); entry; entry = heap.pop()) keys.push(entry.key);
      expect(keys).toEqual([...orders.keys()].toSorted((a, b) => (orders[a] ?? 0) - (orders[b] ?? 0) || a - b));
    }),
  );
});
