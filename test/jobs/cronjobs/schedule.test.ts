import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Schedule } from "../../../src/jobs/index.ts";

interface Row {
  line: string;
  zone: string;
  after: string;
  fires?: string[];
  bad?: boolean;
}

/** tools/real-components/cmd/cron-table made it with the library of kube-controller-manager. */
const table = readFileSync(new URL("cron-table.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Row);

/** Where that library goes wrong: on a day whose midnight does not exist it takes a Sunday for a Wednesday or a Saturday. */
const MISTAKES = new Set(["7-25 */13 * * 3,6 America/Santiago"]);

const ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "Asia/Kathmandu"];
const zones = fc.constantFrom(...ZONES);
/** Among them all changes of the clocks in 2026. */
const instants = fc
  .date({ min: new Date("2025-12-01T00:00:00Z"), max: new Date("2027-02-01T00:00:00Z"), noInvalidDate: true })
  .map((date) => date.getTime());
const numbers = (low: number, high: number) =>
  fc.oneof(
    fc.constant("*"),
    fc.integer({ min: low, max: high }).map(String),
    fc.integer({ min: 1, max: high }).map((n) => `*/${n}`),
  );
const lines = fc
  .tuple(numbers(0, 59), numbers(0, 23), numbers(1, 28), fc.constant("*"), numbers(0, 6))
  .map((fields) => fields.join(" "));

function parsed(line: string, zone?: string): Schedule {
  const result = Schedule.parse(line, zone);
  if (!("schedule" in result)) throw new Error(result.why);
  return result.schedule;
}

function firesOf({ line, zone, after, fires = [] }: Row): string[] | "bad" {
  const result = Schedule.parse(line, zone);
  if (!("schedule" in result)) return "bad";
  const times: string[] = [];
  let at: number | undefined = Date.parse(`${after}Z`);
  for (let n = 0; n < Math.max(1, fires.length); n += 1) {
    at = result.schedule.next(at);
    if (at === undefined) break;
    times.push(new Date(at).toISOString().replace(/(:00)?\.000Z$/, ""));
  }
  return times;
}

describe("the table of kube-controller-manager's cron library", () => {
  it("is kept, line by line", () => {
    const differ = table.filter((row) => {
      if (MISTAKES.has(`${row.line} ${row.zone}`)) return false;
      return JSON.stringify(firesOf(row)) !== JSON.stringify(row.bad ? "bad" : (row.fires ?? []));
    });
    expect(differ).toEqual([]);
    expect(table.length).toBeGreaterThan(500);
  });

  it("holds clocks that go forward and back", () => {
    const berlin = table.filter(({ zone, line }) => zone === "Europe/Berlin" && line === "30 2 * * *");
    expect(berlin.map(({ fires }) => fires?.[0])).toEqual(["2026-03-30T00:30", "2026-10-25T00:30"]);
    expect(berlin[1]?.fires?.[1]).toBe("2026-10-25T01:30");
  });
});

describe("a schedule", () => {
  it("fires later than asked, on a minute that its zone's clocks show", () => {
    fc.assert(
      fc.property(lines, zones, instants, (line, zone, after) => {
        const at = parsed(line, zone).next(after);
        expect(at).toBeGreaterThan(after);
        expect((at ?? 0) % 60_000).toBe(0);
        const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, minute: "numeric" });
        const [minute = "*"] = line.split(" ");
        if (/^\d+$/.test(minute)) expect(Number(format.format(at))).toBe(Number(minute));
      }),
    );
  });

  it("counts the same, however a span of time is cut", () => {
    fc.assert(
      fc.property(
        lines,
        zones,
        instants,
        fc.integer({ min: 0, max: 86_400_000 }),
        fc.integer({ min: 0, max: 86_400_000 }),
        (line, zone, from, first, second) => {
          const schedule = parsed(line, zone);
          const whole = schedule.missed(from, from + first + second);
          const parts = [schedule.missed(from, from + first), schedule.missed(from + first, from + first + second)];
          fc.pre(!whole.more);
          expect(parts.flatMap(({ times }) => times)).toEqual(whole.times);
        },
      ),
    );
  });

  it("has one hour more and one hour less on the days on which clocks change", () => {
    const hourly = parsed("0 * * * *", "Europe/Berlin");
    const count = (from: string, to: string) => hourly.missed(Date.parse(from), Date.parse(to)).times.length;
    expect(count("2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z")).toBe(23);
    expect(count("2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z")).toBe(25);
  });

  it("stops counting at a hundred, also over ten years of minutes", () => {
    const from = Date.parse("2016-01-01T00:00:00Z");
    const missed = parsed("* * * * *").missed(from, from + 10 * 365 * 86_400_000);
    expect(missed).toMatchObject({ more: true });
    expect(missed.times).toHaveLength(100);
    expect(parsed("* * * * *").missed(from, from + 100 * 60_000)).toMatchObject({ more: false });
    expect(parsed("* * * * *").missed(from, from + 101 * 60_000)).toMatchObject({ more: true });
  });

  it("never fires on a day that does not exist", () => {
    expect(parsed("0 0 30 2 *").next(0)).toBeUndefined();
    expect(parsed("0 0 30 2 *", "Europe/Berlin").next(0)).toBeUndefined();
    expect(parsed("0 0 29 2 *").next(Date.parse("2096-03-01T00:00:00Z"))).toBeUndefined();
  });

  it.each([
    ["Mars/Olympus"],
    [""],
    ["Local"],
    ["+01:00"],
    ["europe/berlin"],
    ["../etc/passwd"],
    ["Europe/Berlin\u001b[2J"],
  ])("knows no time zone %j", (zone) => {
    expect(Schedule.parse("* * * * *", zone)).toMatchObject({ reason: "UnknownTimeZone" });
  });

  it("takes UTC without a zone, and obeys the zone of an old line", () => {
    const after = Date.parse("2026-01-01T00:00:00Z");
    expect(parsed("0 9 * * *").next(after)).toBe(Date.parse("2026-01-01T09:00:00Z"));
    expect(parsed("TZ=Asia/Tokyo 0 9 * * *").next(after)).toBe(Date.parse("2026-01-02T00:00:00Z"));
    expect(parsed("CRON_TZ=Asia/Tokyo 0 9 * * *", "UTC").next(after)).toBe(Date.parse("2026-01-02T00:00:00Z"));
  });

  it.each([Number.NaN, -1, 8.64e15, Number.POSITIVE_INFINITY])(
    "has nothing after %d, which no calendar has",
    (after) => {
      expect(parsed("0 0 * * *", "Europe/Berlin").next(after)).toBeUndefined();
      expect(parsed("@every 1h").next(after)).toBeUndefined();
    },
  );

  it("says what is wrong with a line and throws at none", () => {
    expect(Schedule.parse(`@every ${"9".repeat(400)}h`, undefined)).toMatchObject({ reason: "UnparseableSchedule" });
    expect(Schedule.parse("61 * * * *", undefined)).toEqual({
      reason: "UnparseableSchedule",
      why: 'minute "61": not from 0 to 59, or the wrong way round',
    });
    const strange = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom("*", "/", "-", ",", "?", "0", "1", "9", " ", "@", "L", "W", "#", "TZ=") }),
    );
    fc.assert(
      fc.property(strange, fc.option(fc.string(), { nil: undefined }), (line, zone) => {
        const result = Schedule.parse(line, zone);
        if ("schedule" in result) result.schedule.next(0);
        else expect(result.why).not.toBe("");
      }),
    );
  });
});
