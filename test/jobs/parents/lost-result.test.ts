import { describe, expect, it } from "vitest";
import {
  type Finding,
  type Parent,
  parentOrder,
  parentResource,
  Snapshot,
  verdictOn,
} from "../../../src/jobs/index.ts";
import { type Job, resources } from "../../../src/resources/index.ts";
import { at } from "../objects.ts";
import { CONFIGURATION, jobOf, parent, time, told } from "./scene.ts";

const rules = { ...CONFIGURATION, activeJob: "status.activeJob" };
const conditions = [told("Ready", "False", 5, { reason: "Applying" })];
const waiting = parent({ activeJob: "network-apply", conditions });

/** Looks at these seconds, one after another, with the same memory of what was seen. */
function lookAt(object: Parent, jobs: readonly Job[], ...seconds: readonly number[]): Finding | undefined {
  const world = new Snapshot();
  world.declare(resources.jobs);
  for (const job of jobs) world.set(resources.jobs, job);
  const subject = { resource: parentResource(rules), object, order: parentOrder(rules) };
  return seconds.map((second) => verdictOn(subject, world, at(second)).finding).at(-1);
}

describe("S30, the result of a Job is lost", () => {
  it("is observed since the Job was first seen to be gone, to the second", () => {
    expect(lookAt(waiting, [], 60, 179)).toMatchObject({ kind: "S30", state: "watching" });
    expect(lookAt(waiting, [], 60, 180)).toMatchObject({
      kind: "S30",
      reason: "ActiveJobGone",
      state: "stuck",
      severity: "warning",
      since: time(60),
      sinceSource: "observed",
      message: "Configuration shop/network waits for Job shop/network-apply, which does not exist",
    });
    expect(lookAt(waiting, [], 60, 659)?.severity).toBe("warning");
    expect(lookAt(waiting, [], 60, 660)?.severity).toBe("critical");
  });

  it.each<[string, Parent, readonly Job[]]>([
    ["the Job is there", waiting, [jobOf("network-apply", 10)]],
    ["it counts no Job as active", parent({ conditions }), []],
    ["it is paused", parent({ activeJob: "network-apply", conditions }, {}, { paused: true }), []],
    ["it has not seen its latest spec", parent({ activeJob: "a", observedGeneration: 1 }, { generation: 2 }), []],
  ])("is silent when %s", (_, object, jobs) => {
    expect(lookAt(object, jobs, 60, 86_400)).toBeUndefined();
  });

  it("concludes nothing where nothing is known of Jobs", () => {
    const subject = { resource: parentResource(rules), object: waiting, order: parentOrder(rules) };
    expect(verdictOn(subject, new Snapshot(), at(86_400)).finding).toBeUndefined();
  });
});
