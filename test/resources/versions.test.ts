import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareVersions, isComparableVersion, versionToMetric } from "../../src/resources/index.ts";

const digits = fc.bigInt({ min: 1n, max: 2n ** 128n });

describe("compareVersions", () => {
  it("orders as the numbers are ordered, up to 128 bits and beyond what a JavaScript number holds", () => {
    fc.assert(
      fc.property(digits, digits, (a, b) => {
        expect(compareVersions(String(a), String(b))).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
    expect(compareVersions("9007199254740992", "9007199254740993")).toBe(-1);
    expect(compareVersions("9", "10")).toBe(-1);
  });

  it.each(["", "0", "01", "-1", "+1", " 1", "1 ", "1a", "a1", "1.0", "１"])("does not order %j", (version) => {
    expect(isComparableVersion(version)).toBe(false);
    expect(compareVersions(version, "5")).toBe("incomparable");
    expect(compareVersions("5", version)).toBe("incomparable");
    expect(versionToMetric(version)).toBe(0);
  });
});

describe("versionToMetric", () => {
  it("is the number's last 15 digits", () => {
    expect(versionToMetric("42")).toBe(42);
    expect(versionToMetric("999999999999999")).toBe(999_999_999_999_999);
    expect(versionToMetric("1000000000000007")).toBe(7);
    fc.assert(fc.property(digits, (version) => versionToMetric(String(version)) === Number(version % 10n ** 15n)));
  });
});
