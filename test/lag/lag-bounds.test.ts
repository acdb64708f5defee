import { describe, expect, it } from "vitest";
import { HeadTable, type ReadSource } from "../../src/head/index.ts";
import { lagBounds, type LagBounds, type Sighting, unwrapVersion } from "../../src/lag/index.ts";

// The counter-examples of docs/lag.md, each with what a plausible rule would have said. Times are seconds here.

function head(options?: ConstructorParameters<typeof HeadTable>[0]) {
  const table = new HeadTable(options);
  const read = (version: number, sent: number, answered = sent, source: ReadSource = "probe"): string =>
    table.read({
      version: String(version),
      sentAt: sent * 1_000,
      answeredAt: answered * 1_000,
      source,
      newestBefore: table.newest,
    });
  const event = (version: number, arrived: number): boolean => table.event(String(version), arrived * 1_000);
  const bookmark = (version: number): void => table.bookmark(String(version));
  const lag = (version: number, at: number, more: Partial<Sighting> = {}): LagBounds => {
    const view = table.view();
    if (!view) throw new Error("no read yet");
    return lagBounds(view, {
      version: BigInt(version),
      sentAt: at * 1_000,
      receivedAt: at * 1_000,
      scope: "same",
      ...more,
    });
  };
  return { table, read, event, bookmark, lag };
}

const big = (last: number): string => `90071992547409930000${last}`;

describe("lag bounds", () => {
  it("of a cache that is at the head are zero and the age of the last read that the stream has passed", () => {
    const { read, event, lag } = head();
    read(100, 0);
    event(110, 1);
    read(112, 5);
    event(115, 6);
    expect(lag(115, 8)).toMatchObject({ minMs: 0, maxMs: 3_000, eventsBehind: 0, confirmedBy: { version: 112n } });
  });

  it("of a cache that misses an event lie before its arrival and after the last read without it", () => {
    const { read, event, lag } = head();
    read(100, 0);
    event(110, 10);
    event(120, 12);
    read(125, 15);
    expect(lag(105, 40)).toMatchObject({ minMs: 30_000, maxMs: 40_000, eventsBehind: 2 });
    expect(lag(110, 40)).toMatchObject({ minMs: 28_000, maxMs: 40_000, eventsBehind: 1 });
  });

  it("take a read that was answered before the event arrived", () => {
    const { read, event, lag } = head();
    read(100, 0);
    read(110, 4, 5); // the event was committed by then, and is on its way for five seconds more
    event(110, 10);
    expect(lag(105, 40)).toMatchObject({ minMs: 35_000, maxMs: 40_000 });
  });

  it("reach from the scrape's sending to its answer", () => {
    const { read, event, lag } = head();
    read(100, 0);
    event(110, 10);
    expect(lag(105, 20, { receivedAt: 23_000 })).toMatchObject({ minMs: 10_000, maxMs: 23_000 });
  });

  it("have no upper one below the beginning, and none without reads", () => {
    const { read, event, lag } = head();
    read(100, 0);
    event(110, 10);
    expect(lag(99, 20)).toMatchObject({ minMs: 10_000, maxMs: undefined, eventsBehind: undefined });
    const blind = head({ keepsReads: false });
    blind.read(100, 0);
    blind.event(110, 10);
    expect(blind.lag(105, 20)).toMatchObject({ minMs: 10_000, maxMs: undefined, eventsBehind: 1 });
  });

  it("are never negative, whatever comes first", () => {
    const { read, event, lag } = head();
    read(100, 0, 1);
    event(110, 30);
    expect(lag(105, 20)).toMatchObject({ minMs: 0, maxMs: 20_000 });
    expect(lag(200, 20)).toMatchObject({ minMs: 0, maxMs: 20_000 });
  });

  it("count events across versions that no number holds", () => {
    const { table } = head();
    table.read({ version: big(1), sentAt: 0, answeredAt: 0, source: "list", newestBefore: 0n });
    table.event(big(3), 1_000);
    table.event(big(4), 2_000);
    const view = table.view();
    expect(
      view && lagBounds(view, { version: BigInt(big(3)), sentAt: 3_000, receivedAt: 3_000, scope: "same" }),
    ).toMatchObject({ minMs: 1_000, eventsBehind: 1 });
  });
});

describe("a counter-example", () => {
  it("a watch dead for 40 s while a probe looks fresh", () => {
    const { read, bookmark, lag } = head();
    read(100, 0);
    bookmark(100);
    read(140, 39);
    // The probe of a second ago says nothing of this kind: the stream has not passed 140, so an event of 39 s may be missing.
    expect(lag(100, 40)).toMatchObject({ minMs: 0, maxMs: 40_000 });
    bookmark(140);
    expect(lag(100, 40)).toMatchObject({ minMs: 0, maxMs: 1_000 });
  });

  it("a bookmark at 250 with the head at 264", () => {
    const { read, event, bookmark, lag } = head();
    read(240, 0);
    // Sent at 5 s, 20 s on its way; event 260 was committed at 6 s and is on its way too.
    bookmark(250);
    // Dated by the bookmark's arrival at 25 s the cache would be 1 s late at most: it is 20 s late.
    const truth = 20_000;
    expect(lag(250, 26).maxMs).toBeGreaterThanOrEqual(truth);
    event(260, 26);
    expect(lag(250, 26).maxMs).toBeGreaterThanOrEqual(truth);
  });

  it("an earlier event that arrived late", () => {
    const { read, event, lag } = head();
    read(100, 0);
    // Committed at 1 s and at 2 s; both arrive at 30 s. "At 30 s the head was 101" is false.
    event(101, 30);
    event(102, 30);
    expect(lag(101, 31).maxMs).toBeGreaterThanOrEqual(29_000);
  });

  it("a target that catches up right after its scrape", () => {
    const { read, event, lag } = head();
    read(100, 0);
    event(110, 10);
    // Scraped at 11 s, asked about at 60 s: the answer stays as it was at 11 s.
    expect(lag(105, 11)).toMatchObject({ minMs: 1_000, maxMs: 11_000 });
  });

  it("a filtered target", () => {
    const { read, event, lag } = head();
    read(100, 0);
    event(110, 10); // of an object that the target does not select
    expect(lag(105, 40, { scope: "unknown" })).toMatchObject({ minMs: 0, maxMs: 40_000, eventsBehind: undefined });
  });

  it("a thinned point", () => {
    const { table, read, event, lag } = head({ limit: 4 });
    read(100, 0);
    event(101, 1);
    read(101, 2);
    for (let second = 3; second < 40; second += 1) event(100 + second, second);
    const [bucket] = table.view()?.points ?? [];
    expect(bucket).toMatchObject({ first: 101n, notBefore: 0 });
    expect(bucket?.events).toBeGreaterThan(2);
    // The first missing one, 103, came at 3 s; the bucket knows that something came by the arrival of its last.
    const { minMs, maxMs } = lag(101, 100);
    expect(minMs).toBeLessThanOrEqual(97_000);
    expect(minMs).toBeGreaterThan(0);
    expect(maxMs).toBeGreaterThanOrEqual(97_000);
    expect(table.view()?.points.length).toBeLessThanOrEqual(4);
  });

  it("a gap, in which a change may have been or not", () => {
    const { table, read, event, lag } = head();
    read(100, 0);
    event(110, 10);
    read(150, 29);
    table.skipTo("150", 30_000);
    expect(lag(110, 40)).toMatchObject({ minMs: 0, maxMs: 40_000, eventsBehind: undefined });
    event(160, 35);
    expect(lag(110, 40)).toMatchObject({ minMs: 5_000, maxMs: 40_000, eventsBehind: undefined });
    expect(lag(150, 40)).toMatchObject({ minMs: 5_000, maxMs: 11_000, eventsBehind: 1 });
  });

  it("a restore", () => {
    const { table, read, event, lag } = head();
    read(100, 0);
    event(150, 10);
    expect(read(120, 20)).toBe("rewind");
    expect(table.rewinds).toBe(1);
    // Event 150 of the history that is gone proves nothing; a cache seen before the restore was noticed is not judged at all.
    expect(lag(120, 30)).toMatchObject({ minMs: 0, maxMs: 10_000 });
    expect(lag(120, 19)).toMatchObject({ minMs: 0, maxMs: undefined });
  });

  it("a restore that only events or bookmarks can show", () => {
    const { table, read, bookmark } = head();
    read(100, 0);
    bookmark(150);
    expect(read(125, 20)).toBe("rewind");
    expect(table.position).toBe(125n);
    expect(read(125, 30)).toBe("kept");
  });

  it("a restore that new writes have overtaken before anybody read", () => {
    const { table, read, event, lag } = head();
    read(100, 0);
    event(150, 10);
    // Restored to 120 at 12 s, and at 160 by the time of the next read: no version says so, and nothing is claimed of it.
    expect(read(160, 20)).toBe("kept");
    expect(table.rewinds).toBe(0);
    event(165, 21);
    // A cache of the new history is judged rightly.
    expect(lag(160, 30)).toMatchObject({ minMs: 9_000, maxMs: 10_000 });
  });

  it("a question from before a restore, answered after it", () => {
    const { table, read, event, lag } = head();
    read(100, 0);
    event(150, 10);
    const newestBefore = table.newest;
    read(120, 20);
    // Asked at 19 s, of the history that is gone; "158 was committed by then" would be false of the one that is.
    const late = { version: "158", sentAt: 19_000, answeredAt: 21_000, source: "probe", newestBefore } as const;
    expect(table.read(late)).toBe("outdated");
    event(158, 30);
    expect(lag(120, 40)).toMatchObject({ minMs: 10_000, maxMs: 20_000 });
    expect(table.rewinds).toBe(1);
  });

  it("two reads under way at once, answered in the wrong order", () => {
    const { table, read, lag } = head();
    read(100, 0);
    const both = table.newest;
    table.read({ version: "120", sentAt: 2_000, answeredAt: 3_000, source: "list", newestBefore: both });
    const late = { version: "110", sentAt: 1_000, answeredAt: 4_000, source: "probe", newestBefore: both } as const;
    expect(table.read(late)).toBe("kept");
    expect(lag(120, 5)).toMatchObject({ maxMs: 3_000 });
  });

  it("two reads under way at once, the later one answered with less", () => {
    const { table, read, lag } = head();
    read(100, 0);
    const both = table.newest;
    table.read({ version: "110", sentAt: 2_000, answeredAt: 3_000, source: "probe", newestBefore: both });
    table.read({ version: "120", sentAt: 1_000, answeredAt: 4_000, source: "heartbeat", newestBefore: both });
    // At 2 s the server was at 110 at most, so at no more than 120 either.
    expect(lag(120, 5)).toMatchObject({ maxMs: 3_000 });
  });
});

describe("the last fifteen digits of a version", () => {
  it.each([
    ["1234", "1300", "1234"],
    ["999999999999999", "1000000000000005", "999999999999999"],
    ["3", "999999999999999", "1000000000000003"],
    ["999999999999990", "7000000000000002", "6999999999999990"],
    ["5", "7000000000000002", "7000000000000005"],
    ["5", "5", "5"],
  ])("%s beside the head %s are %s", (digits, newest, version) => {
    expect(unwrapVersion(BigInt(digits), BigInt(newest))).toBe(BigInt(version));
  });
});
