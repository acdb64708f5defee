import { describe, expect, it } from "vitest";
import { parseFieldSelector, parseLabelSelector } from "../../src/resources/index.ts";

describe("parseLabelSelector", () => {
  it.each([
    ["", {}, true],
    ["app=web", { app: "web" }, true],
    ["app=web", { app: "db" }, false],
    ["app==web", { app: "web" }, true],
    ["app=", { app: "" }, true],
    ["app=", {}, false],
    ["app!=web", { app: "db" }, true],
    ["app!=web", {}, true],
    ["app!=web", { app: "web" }, false],
    ["app", { app: "" }, true],
    ["app", {}, false],
    ["!app", {}, true],
    ["!app", { app: "web" }, false],
    ["tier in (front, back)", { tier: "back" }, true],
    ["tier in (front,back)", { tier: "middle" }, false],
    ["tier in(front)", { tier: "front" }, true],
    ["tier notin (front)", {}, true],
    ["tier notin (front)", { tier: "front" }, false],
    ["n>3", { n: "4" }, true],
    ["n>3", { n: "3" }, false],
    ["n<3", { n: "x" }, false],
    ["n<3", {}, false],
    ["batch.kubernetes.io/job-name=a,tier in (x),!gone", { "batch.kubernetes.io/job-name": "a", tier: "x" }, true],
    ["batch.kubernetes.io/job-name=a,tier in (x),!gone", { "batch.kubernetes.io/job-name": "a" }, false],
    [" app = web , tier ", { app: "web", tier: "x" }, true],
  ] as const)("%j on %j is %s", (selector, labels, matches) => {
    expect(parseLabelSelector(selector)(labels as Record<string, string>)).toBe(matches);
  });

  it("treats an object without labels as one with none", () => {
    expect(parseLabelSelector("!app")(undefined)).toBe(true);
    expect(parseLabelSelector("app")(undefined)).toBe(false);
  });

  it.each(["a=b,", ",", "=b", "!a=b", "a in ()", "a in (b", "a=b c", "-a=b", "a=-b", "n>x", "a/b/c", "/a", "a=b,,c=d"])(
    "refuses %j",
    (selector) => {
      expect(() => parseLabelSelector(selector)).toThrowError(
        expect.objectContaining({ code: "BAD_SELECTOR", message: expect.stringContaining(`"${selector}"`) }),
      );
    },
  );
});

describe("parseFieldSelector", () => {
  it.each([
    ["", []],
    ["metadata.name=web", [{ path: "metadata.name", op: "=", value: "web" }]],
    ["metadata.name==web", [{ path: "metadata.name", op: "=", value: "web" }]],
    [
      "status.phase!=Running,spec.nodeName=",
      [
        { path: "status.phase", op: "!=", value: "Running" },
        { path: "spec.nodeName", op: "=", value: "" },
      ],
    ],
    [String.raw`a=x\,y\=z\\`, [{ path: "a", op: "=", value: String.raw`x,y=z\ `.trim() }]],
  ] as const)("%j", (selector, requirements) => {
    expect(parseFieldSelector(selector)).toEqual(requirements);
  });

  it.each(["name", "=x", "a=b=c", String.raw`a=b\c`])("refuses %j", (selector) => {
    expect(() => parseFieldSelector(selector)).toThrowError(expect.objectContaining({ code: "BAD_SELECTOR" }));
  });
});
