import { describe, expect, test } from "vitest";
import { consistencyGate, parseFeatureGates } from "../../src/controller/index.ts";

const known = [consistencyGate("Job"), consistencyGate("Pod")];

describe("feature gates", () => {
  test("read as Kubernetes writes them", () => {
    const text = " StaleControllerConsistencyJob=false , StaleControllerConsistencyPod=TRUE,";
    expect([...parseFeatureGates(text, known)]).toEqual([
      ["StaleControllerConsistencyJob", false],
      ["StaleControllerConsistencyPod", true],
    ]);
    expect(parseFeatureGates("", known).size).toBe(0);
  });

  test.each([
    ["StaleControllerConsistencyJobs=true", /no feature gate "StaleControllerConsistencyJobs": did you mean .*Job\?/],
    ["StaleControllerConsistencyJob", /"StaleControllerConsistencyJob" has no true or false/],
    ["StaleControllerConsistencyJob=yes", /has no true or false: write StaleControllerConsistencyJob=false/],
    ["StaleControllerConsistencyJob=true=false", /has no true or false/],
  ])("%s is refused", (text, message) => {
    expect(() => parseFeatureGates(text, known)).toThrow(message);
  });

  test("where there are none, it says so", () => {
    expect(() => parseFeatureGates("Anything=true", [])).toThrow(/no feature gate "Anything": there are none/);
  });
});
