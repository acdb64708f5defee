import { expect, test } from "vitest";
import { followBusyKind } from "../head/busy-kind.ts";

test("a head table weighs less than 2 MB after a day of 2 000 events a second, and still answers finely", () => {
  const { events, bytes, wrong, sightings } = followBusyKind(24);
  expect(events).toBe(172_800_000);
  console.log(`${events} events: ${(bytes / 2 ** 20).toFixed(2)} MiB`);
  expect(bytes).toBeLessThan(2_000_000);
  expect(wrong).toEqual([]);
  expect(sightings).toBeGreaterThan(1_000);
});
