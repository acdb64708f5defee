import { describe, expect, it } from "vitest";
import { HeadTable } from "../../src/head/index.ts";

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

  it("stays under 2 MB for 2 000 events a second over 24 h, and still answers finely", { timeout: 300_000 }, () => {
    const table = begun();
    // Every hundredth event of the day in full: 2 000 a second for ten minutes, then bursts, as the memory is bounded by count.
    let version = 1_000n;
    let most = 0;
    const dayMs = 86_400_000;
    const tick = (at: number, events: number): void => {
      for (let i = 0; i < events; i += 1) table.event(String((version += 1n)), at + i / 2);
      if (at % 15_000 === 0) {
        const read = { sentAt: at + 900, answeredAt: at + 910, source: "probe", newestBefore: table.newest } as const;
        table.read({ ...read, version: String(version) });
      }
      const view = table.view();
      most = Math.max(most, (view?.points.length ?? 0) + (view?.reads.length ?? 0));
    };
    for (let at = 1_000; at < dayMs; at += 1_000) tick(at, at < 600_000 || at % 60_000 === 0 ? 2_000 : 20);
    // Two bigints and four numbers in an object, or the like: well under 250 bytes each.
    expect(most * 250).toBeLessThan(2_000_000);
    const { points, reads } = table.view() ?? { points: [], reads: [] };
    for (const { firstArrival, lastArrival } of points) {
      expect(lastArrival - firstArrival).toBeLessThanOrEqual(Math.max(100, (dayMs - lastArrival) / 8));
    }
    expect(reads.length).toBeGreaterThan(100);
  });
});
