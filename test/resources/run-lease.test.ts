import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  isFinishedJob,
  isFinishedPod,
  type Job,
  type Lease,
  type Pod,
  runLeaseState,
} from "../../src/resources/index.ts";

const NOW = Date.UTC(2026, 0, 2);
const ACQUIRED = "captf.io/lease-acquired-at";
const rules = { acquiredAtAnnotation: ACQUIRED };
const NOBODY = { job: null, podRuns: false };

function ago(seconds: number): string {
  return new Date(NOW - seconds * 1_000).toISOString();
}

/** Taken so many seconds ago by export-1, for 4 500 s. */
function lease(seconds: number, spec: Lease["spec"] = {}, annotations?: Record<string, string>): Lease {
  return {
    metadata: {
      name: "captf-run-x",
      uid: "l",
      resourceVersion: "1",
      creationTimestamp: ago(9_000),
      ...(annotations && { annotations }),
    },
    spec: { holderIdentity: "export-1", leaseDurationSeconds: 4_500, acquireTime: ago(seconds), ...spec },
  };
}

function jobThat(...conditions: string[]): Job {
  const status = { conditions: conditions.map((type) => ({ type, status: "True" })) };
  return { metadata: { name: "export-1", uid: "j", resourceVersion: "1" }, spec: {}, status };
}

/** Being deleted. */
function podIn(phase?: string): Pod {
  const metadata = { name: "p", uid: "p", resourceVersion: "1", deletionTimestamp: ago(1) };
  return { metadata, spec: {}, status: phase ? { phase } : {} };
}

const running = jobThat();
const finished = jobThat("Complete");

describe("a run lease is free", () => {
  test.each([
    ["without a holder", lease(10, { holderIdentity: "" }), {}, "no holder"],
    ["without the field at all", { ...lease(10), spec: {} }, {}, "no holder"],
    ["past its backstop, whatever its holder does", lease(4_501), { job: running, podRuns: true }, "backstop passed"],
    ["once its holder has finished", lease(10), { job: finished, podRuns: false }, "holder finished"],
    ["once its holder has failed", lease(10), { job: jobThat("Failed"), podRuns: false }, "holder finished"],
    ["when its holder is missing after the grace", lease(61), NOBODY, "holder missing"],
  ])("%s", (_, held, evidence, why) => {
    expect(runLeaseState(held, evidence, NOW, rules)).toEqual({ live: false, why });
  });
});

describe("a run lease is live", () => {
  test.each([
    ["while its holder runs", lease(4_500), { job: running, podRuns: false }, "holder runs"],
    [
      "while its holder is only about to fail",
      lease(10),
      { job: jobThat("FailureTarget"), podRuns: false },
      "holder runs",
    ],
    ["while its holder may be about to be created", lease(60), NOBODY, "holder may come"],
    ["while a pod of its finished holder runs", lease(10), { job: finished, podRuns: true }, "pod runs"],
    ["while a pod of its missing holder runs", lease(61), { job: null, podRuns: true }, "pod runs"],
  ])("%s", (_, held, evidence, why) => {
    expect(runLeaseState(held, evidence, NOW, rules)).toEqual({ live: true, holder: "export-1", why });
  });
});

describe("only what decides is asked for", () => {
  test.each([
    ["nothing without a holder", lease(10, { holderIdentity: "" }), {}, { live: false }],
    ["nothing past the backstop", lease(4_501), {}, { live: false }],
    ["the Job", lease(10), {}, { live: "unknown", needs: "job" }],
    ["no pods of a running Job", lease(10), { job: running }, { live: true }],
    ["no pods within the grace", lease(10), { job: null }, { live: true }],
    ["the pods of a finished Job", lease(10), { job: finished }, { live: "unknown", needs: "pods" }],
    ["the pods of a missing Job", lease(61), { job: null }, { live: "unknown", needs: "pods" }],
  ])("%s", (_, held, evidence, state) => {
    expect(runLeaseState(held, evidence, NOW, rules)).toMatchObject(state);
  });
});

describe("when it was taken", () => {
  test("the annotation says, then acquireTime, then the creation", () => {
    const annotated = lease(10, {}, { [ACQUIRED]: ago(61) });
    expect(runLeaseState(annotated, NOBODY, NOW, rules).live).toBe(false);
    expect(runLeaseState(annotated, NOBODY, NOW).live).toBe(true);
    const { acquireTime: _, ...without } = lease(10).spec;
    expect(runLeaseState({ ...lease(10), spec: without }, NOBODY, NOW).live).toBe(false);
  });

  test("it is read to the microsecond and nanosecond", () => {
    const micro = lease(0, { acquireTime: "2026-01-01T23:59:50.123456Z" });
    expect(runLeaseState(micro, NOBODY, NOW).live).toBe(true);
    const nano = lease(0, {}, { [ACQUIRED]: "2026-01-01T23:58:50.123456789Z" });
    expect(runLeaseState(nano, NOBODY, NOW, rules).live).toBe(false);
  });

  test("in the future, after a clock was set back: it counts as new", () => {
    expect(runLeaseState(lease(-3_600), NOBODY, NOW)).toMatchObject({ live: true, why: "holder may come" });
  });

  test("an hour too long ago, after a clock was set forward: a running holder still holds it", () => {
    expect(runLeaseState(lease(3_600), { job: running }, NOW).live).toBe(true);
  });
});

describe("a lease with garbage in it", () => {
  test.each([
    ["times that are none", { acquireTime: "yesterday" }, { [ACQUIRED]: "soon" }],
    ["an annotation that is none", {}, { [ACQUIRED]: "" }],
  ])("%s: the next best time counts", (_, spec, annotations) => {
    // The lease was created 9 000 s ago, or else taken 10 s ago.
    const isOld = "acquireTime" in spec;
    expect(runLeaseState(lease(10, spec, annotations), NOBODY, NOW, rules).live).toBe(!isOld);
  });

  test("no time at all: held as long as its holder may exist, never freed by age", () => {
    const timeless = lease(10, { acquireTime: "", leaseDurationSeconds: 1 });
    delete timeless.metadata.creationTimestamp;
    expect(runLeaseState(timeless, NOBODY, NOW)).toMatchObject({ live: true, why: "holder may come" });
    expect(runLeaseState(timeless, { job: finished, podRuns: false }, NOW).live).toBe(false);
  });

  test.each([0, -5, undefined])("a duration of %s: 75 minutes, or what the rules say", (leaseDurationSeconds) => {
    const spec = { holderIdentity: "export-1", ...(leaseDurationSeconds !== undefined && { leaseDurationSeconds }) };
    const held = (seconds: number): Lease => ({ ...lease(10), spec: { ...spec, acquireTime: ago(seconds) } });
    expect(runLeaseState(held(75 * 60), { job: running }, NOW).live).toBe(true);
    expect(runLeaseState(held(75 * 60 + 1), { job: running }, NOW).live).toBe(false);
    expect(runLeaseState(held(11), { job: running }, NOW, { backstopMs: 10_000 }).live).toBe(false);
  });
});

test("the longer ago it was taken, the sooner it is free: time alone never makes it live again", () => {
  const evidence = fc.record({ job: fc.constantFrom(null, running, finished), podRuns: fc.boolean() });
  fc.assert(
    fc.property(evidence, fc.nat(10_000), fc.nat(10_000), (read, seconds, more) => {
      const [sooner, later] = [seconds, seconds + more].map((age) => runLeaseState(lease(age), read, NOW).live);
      if (sooner === false) expect(later).toBe(false);
    }),
  );
});

test("a Job is finished when it is Complete or Failed, and that is true", () => {
  expect([jobThat("Complete"), jobThat("Failed")].every(isFinishedJob)).toBe(true);
  expect([running, jobThat("Suspended", "SuccessCriteriaMet")].some(isFinishedJob)).toBe(false);
  const doubted: Job = { ...running, status: { conditions: [{ type: "Failed", status: "Unknown" }] } };
  expect(isFinishedJob(doubted)).toBe(false);
});

test("a pod is finished by its phase, even while it is being deleted", () => {
  expect(["Succeeded", "Failed"].map((phase) => isFinishedPod(podIn(phase)))).toEqual([true, true]);
  expect(["Running", "Pending", "Unknown", undefined].some((phase) => isFinishedPod(podIn(phase)))).toBe(false);
});
