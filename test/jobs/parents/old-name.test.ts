import { describe, expect, it } from "vitest";
import { eventAbout } from "../cronjobs/scene.ts";
import { jobOf, judge, look, parent, time, told } from "./scene.ts";
import { at } from "../objects.ts";

const MINUTE = 60;
const HOUR = 3_600;
const message = 'create job: jobs.batch "network-apply" already exists';
const old = jobOf("network-apply", 1, { type: "Complete", at: 5 }, { ownerReferences: [] });
const blocked = parent({ conditions: [told("Ready", "False", 100, { reason: "CreateError", message })] });
const mute = parent({ conditions: [told("Ready", "False", 100, { reason: "Waiting" })] });
const event = eventAbout(mute, "CreateError", { message, firstTimestamp: time(150), lastTimestamp: time(HOUR) });

describe("S39, an old Job has the name that a new run needs", () => {
  it("counts from the condition that says so", () => {
    expect(look(blocked, { jobs: [old] }, 100 + 5 * MINUTE - 1)).toMatchObject({ kind: "S39", state: "watching" });
    expect(look(blocked, { jobs: [old] }, 100 + 5 * MINUTE)).toMatchObject({
      kind: "S39",
      reason: "JobNameTaken",
      severity: "warning",
      since: time(100),
      sinceSource: "condition Ready",
    });
    expect(look(blocked, { jobs: [old] }, 100 + 30 * MINUTE - 1)?.severity).toBe("warning");
    expect(look(blocked, { jobs: [old] }, 100 + 30 * MINUTE)?.severity).toBe("critical");
  });

  it("is silent once the old Job is gone, and about a parent that is ready", () => {
    expect(look(blocked, {}, 9 * HOUR)).toBeUndefined();
    const fine = parent({ conditions: [told("Ready", "True", 100, { message })] });
    expect(look(fine, { jobs: [old], events: [event] }, 9 * HOUR)).toBeUndefined();
  });

  it("reads events of a parent that has not been ready for five minutes, and wants to be asked then", () => {
    const around = { jobs: [old], events: [event] };
    expect(look(mute, around, 100 + 5 * MINUTE - 1)).toBeUndefined();
    expect(look(mute, around, 150 + 5 * MINUTE)).toMatchObject({
      kind: "S39",
      since: time(150),
      sinceSource: "event CreateError firstTimestamp",
    });
    expect(judge(mute, { jobs: [old] }, 100).dueAt).toBe(at(100 + 5 * MINUTE));
  });

  it("takes no other message for it", () => {
    const other = parent({
      conditions: [told("Ready", "False", 100, { message: 'secrets "network-apply" already exists' })],
    });
    expect(look(other, { jobs: [old] }, 9 * HOUR)).toBeUndefined();
  });
});
