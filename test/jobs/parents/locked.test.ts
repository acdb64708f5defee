import { describe, expect, it } from "vitest";
import { parentOrder, parentResource, Snapshot, verdictOn } from "../../../src/jobs/index.ts";
import { type Pod, resources } from "../../../src/resources/index.ts";
import { at, meta } from "../objects.ts";
import { CONFIGURATION, parent, time, told } from "./scene.ts";

const MINUTE = 60;
const HOUR = 3_600;

function lockedBy(created: string) {
  const message = `error acquiring the state lock: Lock Info: ID: 7b2c Who: runner@network-tf-runner Version: 1.8 Created: ${created} Info:`;
  return parent({ conditions: [told("StateLocked", "True", HOUR, { reason: "TFExecPlanFailed", message })] });
}

/** At `CREATED`. */
const locked = lockedBy("2026-01-02 03:04:05.123456 +0000 UTC");

function runner(started: number, phase = "Running"): Pod {
  return { metadata: meta("network-tf-runner"), spec: {}, status: { phase, startTime: time(started) } };
}

function look(object: ReturnType<typeof lockedBy>, pods: readonly Pod[] | undefined, seconds: number) {
  const world = new Snapshot();
  if (pods) world.declare(resources.pods);
  for (const pod of pods ?? []) world.set(resources.pods, pod);
  const subject = { resource: parentResource(CONFIGURATION), object, order: parentOrder(CONFIGURATION) };
  return verdictOn(subject, world, at(seconds)).finding;
}

describe("S38, a parent whose state is locked", () => {
  it("counts from the start of the pod that did not take the lock", () => {
    expect(look(locked, [runner(HOUR)], HOUR + 10 * MINUTE - 1)).toMatchObject({ kind: "S38", state: "watching" });
    expect(look(locked, [runner(HOUR)], HOUR + 10 * MINUTE)).toMatchObject({
      kind: "S38",
      reason: "LockOlderThanHolder",
      severity: "warning",
      since: time(HOUR),
      sinceSource: "pod status.startTime",
      owner: { kind: "Configuration", name: "network" },
    });
    expect(look(locked, [runner(HOUR)], 2 * HOUR)?.severity).toBe("critical");
  });

  it("is silent while the pod that took it runs", () => {
    expect(look(locked, [runner(-5)], 9 * HOUR)).toBeUndefined();
  });

  it("counts from the lock when there is no such pod", () => {
    expect(look(locked, [], HOUR)).toMatchObject({
      reason: "HolderMissing",
      since: time(0),
      sinceSource: "lock: Created",
    });
  });

  it("says nothing where it does not know the pods", () => {
    expect(look(locked, undefined, 9 * HOUR)).toBeUndefined();
  });

  it("counts from the condition where the lock's time cannot be read", () => {
    expect(look(lockedBy("yesterday"), [], 2 * HOUR)).toMatchObject({
      since: time(HOUR),
      sinceSource: "condition StateLocked",
    });
  });

  it("reads a long message without harm", () => {
    const message = `StateLocked Who: ${"@".repeat(100_000)} Created: ${"2026-01-02 ".repeat(10_000)}`;
    expect(look(parent({ conditions: [told("Ready", "False", 5, { message })] }), [], 9 * HOUR)).toBeUndefined();
  });
});
