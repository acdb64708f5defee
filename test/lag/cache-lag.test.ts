import { describe, expect, it } from "vitest";
import { HeadTable } from "../../src/head/index.ts";
import { CacheLag } from "../../src/lag/index.ts";
import { VirtualClock } from "../../src/testing/index.ts";

const BUDGET_MS = 30_000;

const ms = (seconds: number): number => seconds * 1_000;

/** A table that the test writes, and a cache beside it. Times are seconds from the start. */
function rig({ reads = true } = {}) {
  const clock = new VirtualClock();
  const table = new HeadTable({ keepsReads: reads });
  const head = { table, doubt: undefined as string | undefined, suspected: [] as string[] };
  const suspect = (why: string): void => void head.suspected.push(why);
  const lag = new CacheLag({
    head: {
      table,
      suspect,
      get doubt() {
        return head.doubt;
      },
    },
    budgetMs: BUDGET_MS,
    reads,
    clock,
  });
  return {
    head,
    table,
    read: (version: number, at: number) =>
      table.read({
        version: String(version),
        sentAt: ms(at),
        answeredAt: ms(at),
        source: "probe",
        newestBefore: table.newest,
      }),
    event: (version: number, at: number) => table.event(String(version), ms(at)),
    listed: () => lag.listed(),
    see: (version: number | string, at: number) =>
      lag.observe({ version: String(version), sentAt: ms(at), receivedAt: ms(at) }),
  };
}

describe("the state of a cache", () => {
  it("is fresh within the budget and lagging above it", () => {
    const { read, event, see } = rig();
    read(100, 0);
    event(110, 5);
    expect(see(110, 20)).toMatchObject({ state: "fresh", minMs: 0, maxMs: 20_000, headVersion: "110" });
    expect(see(110, 20)).not.toHaveProperty("why");
    read(110, 30);
    event(120, 31);
    expect(see(110, 62)).toMatchObject({ state: "lagging", minMs: 31_000, maxMs: 32_000, eventsBehind: 1 });
    expect(see(120, 62)).toMatchObject({ state: "unknown", minMs: 0, maxMs: 32_000 });
    expect(see(120, 62).why).toMatch(/nothing has confirmed it for 32 s/);
  });

  it("is unknown while the budget lies between the bounds", () => {
    const { read, event, see } = rig();
    read(100, 0);
    event(110, 5);
    expect(see(100, 34)).toMatchObject({ state: "unknown", minMs: 29_000, maxMs: 34_000 });
    expect(see(100, 34).why).toBe("it is late by 29 to 34 s: it may be within --lag-budget or not");
  });

  it.each([
    ["", /no version yet/],
    ["0", /no version yet/],
    ["abc", /cannot be compared/],
  ])("is unknown at the version %j", (version, why) => {
    const { read, see } = rig();
    read(100, 0);
    expect(see(version, 1)).toMatchObject({ state: "unknown", minMs: undefined, maxMs: undefined });
    expect(see(version, 1).why).toMatch(why);
  });

  it("is unknown, with the reason, while the head watch is in doubt", () => {
    const { head, read, see } = rig();
    expect(see(100, 1).why).toMatch(/no read/);
    read(100, 0);
    head.doubt = "forbidden";
    expect(see(100, 1)).toMatchObject({ state: "unknown", why: "forbidden", minMs: undefined });
    head.doubt = undefined;
    expect(see(100, 1).state).toBe("fresh");
  });

  it("is unknown without reads, but lagging all the same once that is proved", () => {
    const { read, event, see } = rig({ reads: false });
    read(100, 0);
    expect(see(100, 10)).toMatchObject({
      state: "unknown",
      why: expect.stringContaining("--probe-interval"),
      minMs: 0,
    });
    event(110, 20);
    expect(see(100, 60)).toMatchObject({ state: "lagging", minMs: 40_000, maxMs: undefined });
  });

  it("is stalled when it stands still for 90 s while others saw what it misses, and only then", () => {
    const { read, event, see } = rig();
    read(100, 0);
    see(100, 1);
    event(110, 5);
    expect(see(100, 94).state).toBe("lagging");
    expect(see(100, 96).state).toBe("stalled");
    event(120, 97);
    // It has moved: it is late, not dead.
    event(130, 98);
    expect(see(110, 200).state).toBe("lagging");
  });

  it("is rewind after a restore, until it goes back", () => {
    const { read, event, see } = rig();
    read(100, 0);
    event(150, 5);
    expect(see(150, 6).state).toBe("fresh");
    expect(read(120, 10)).toBe("rewind");
    expect(see(150, 11)).toMatchObject({
      state: "rewind",
      minMs: undefined,
      maxMs: undefined,
      eventsBehind: undefined,
    });
    event(160, 20);
    expect(see(150, 21).state).toBe("rewind"); // whatever the new history has reached by then
    expect(see(160, 22).state).toBe("rewind");
    read(165, 23);
    expect(see(125, 24).state).toBe("fresh");
  });

  it("is rewind at a higher version too, since it may have gone on from what is gone, until it is listed", () => {
    const { read, event, see, listed } = rig();
    read(100, 0);
    event(150, 5);
    see(150, 6);
    read(120, 10);
    event(160, 20);
    expect(see(160, 21).state).toBe("rewind");
    listed();
    expect(see(160, 21)).toMatchObject({ state: "fresh", minMs: 0 });
  });

  it("that was listed while the head watch was in doubt is no rewind, whatever the new history has reached", () => {
    const { head, read, event, see, listed } = rig();
    read(100, 0);
    event(150, 5);
    see(150, 6);
    head.doubt = "its connection broke";
    see(155, 10);
    listed();
    read(125, 11);
    head.doubt = undefined;
    event(155, 12);
    read(155, 13);
    expect(see(155, 14).state).toBe("fresh");
  });

  it("that went back before the head watch noticed casts doubt on the head, and is no rewind", () => {
    const { head, read, event, see } = rig();
    read(100, 0);
    event(150, 5);
    see(150, 6);
    see(125, 10);
    expect(head.suspected).toHaveLength(1);
    read(120, 11);
    expect(see(125, 12).state).toBe("fresh");
  });

  it("that was below what was restored goes on", () => {
    const { read, event, see } = rig();
    read(100, 0);
    see(100, 1);
    event(150, 5);
    read(120, 10);
    event(130, 11);
    expect(see(110, 12).state).not.toBe("rewind");
  });
});
