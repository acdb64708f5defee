import { describe, expect, it } from "vitest";
import { HeadTable } from "../../src/head/index.ts";
import { followBusyKind } from "./busy-kind.ts";

function begun(options?: ConstructorParameters<typeof HeadTable>[0]): HeadTable {
  const table = new HeadTable(options);
  table.read({ version: "100", sentAt: 0, answeredAt: 1, source: "list", newestBefore: table.newest });
  return table;
}

describe("a head table", () => {
  it("knows nothing before a first read", () => {
    const table = new HeadTable();
    expect(table.view()).toBeUndefined();
    expect(table.position).toBe(0n);
  });

  it.each([
    { asked: 90n, start: 90n },
    { asked: 100n, start: 100n },
    { asked: 110n, start: 100n },
    { asked: 0n, start: 100n },
  ])("asked to begin at $asked, begins at $start when the first read says 100", ({ asked, start }) => {
    const table = begun({ beginAt: () => asked });
    expect(table.view()).toMatchObject({ start, position: start, reads: [{ version: 100n }] });
    expect(table.newest).toBe(100n);
  });

  it("begins at the read that shows a restore, wherever it was asked to begin", () => {
    const table = begun({ beginAt: () => 40n });
    table.read({ version: "50", sentAt: 10, answeredAt: 11, source: "probe", newestBefore: table.newest });
    expect(table.view()).toMatchObject({ start: 50n, position: 50n });
  });

  it("takes each event once, in order", () => {
    const table = begun();
    expect(table.event("110", 10)).toBe(true);
    expect(table.event("110", 20)).toBe(false);
    expect(table.event("105", 20)).toBe(false);
    expect(table.view()?.points).toMatchObject([{ first: 110n, firstArrival: 10, events: 1 }]);
    expect(table.lastEvent).toEqual({ version: "110", arrivedAt: 10 });
  });

  it.each(["", "0", "abc", "-5", "1.5", "0110"])("passes over the version %j", (version) => {
    const table = begun();
    expect(table.event(version, 10)).toBe(false);
    table.bookmark(version);
    table.skipTo(version, 10);
    const read = { version, sentAt: 5, answeredAt: 6, source: "probe", newestBefore: table.newest } as const;
    expect(table.read(read)).toBe("unreadable");
    expect(table.view()).toMatchObject({ position: 100n, points: [], reads: [{ version: 100n }] });
  });

  it("moves on with a bookmark, which is no event", () => {
    const table = begun();
    table.bookmark("120");
    table.bookmark("110");
    expect(table.position).toBe(120n);
    expect(table.lastEvent).toBeUndefined();
  });

  it("joins reads of one version: known since the first answer, up to the last question", () => {
    const table = begun();
    table.read({ version: "100", sentAt: 50, answeredAt: 60, source: "probe", newestBefore: table.newest });
    expect(table.view()?.reads).toEqual([{ version: 100n, sentAt: 50, answeredAt: 1, source: "probe" }]);
  });

  it("weighs less than 2 MB after an hour of 2 000 events a second, and still answers finely", () => {
    // The day is in test/long/head-table.test.ts. No hour weighs more than another: the table is bounded by count.
    const { events, bytes, wrong, sightings } = followBusyKind(1);
    expect(events).toBe(7_200_000);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(2_000_000);
    expect(wrong).toEqual([]);
    expect(sightings).toBeGreaterThan(40);
  });

  it("keeps no more points and reads than its limit, however many come and however far apart", () => {
    const table = begun({ limit: 64 });
    for (let index = 1; index < 20_000; index += 1) {
      const at = index ** 2;
      table.event(String(100 + 2 * index), at);
      const version = String(101 + 2 * index);
      table.read({ version, sentAt: at, answeredAt: at + 1, source: "probe", newestBefore: table.newest });
      if (index % 7 === 0) table.skipTo(version, at + 2);
      const { points, reads } = table.view() ?? { points: [], reads: [] };
      if (points.length > 64 || reads.length > 64) expect([points.length, reads.length]).toEqual([]);
    }
  });
});
