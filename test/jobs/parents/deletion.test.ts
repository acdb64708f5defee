import { describe, expect, it } from "vitest";
import { captfParents } from "../../../src/jobs/index.ts";
import { jobOf, look, parent, time, told } from "./scene.ts";

const MINUTE = 60;
const HOUR = 3_600;
const DELETED = 10;
const deleting = parent({}, { deletionTimestamp: time(DELETED), finalizers: ["example.com/destroy"] });
const apply = jobOf("network-apply", 1, { type: "Complete", at: 5 });

function deletingAt(seconds: number) {
  return look(deleting, { jobs: [apply] }, seconds);
}

describe("S37, a deletion that waits for a destroy Job", () => {
  it("counts from the deletion when there is no destroy Job", () => {
    expect(deletingAt(DELETED + 15 * MINUTE - 1)).toMatchObject({ kind: "S37", state: "watching" });
    expect(deletingAt(DELETED + 15 * MINUTE)).toMatchObject({
      kind: "S37",
      reason: "NoDestroyJob",
      severity: "warning",
      since: time(DELETED),
      sinceSource: "metadata.deletionTimestamp",
    });
    expect(deletingAt(DELETED + 2 * HOUR - 1)?.severity).toBe("warning");
    expect(deletingAt(DELETED + 2 * HOUR)?.severity).toBe("critical");
  });

  it("is silent while a destroy Job runs", () => {
    expect(look(deleting, { jobs: [apply, jobOf("network-destroy", 20)] }, 9 * HOUR)).toBeUndefined();
    expect(look(deleting, { jobs: [apply, jobOf("network-x", 20)] }, 9 * HOUR)).toBeUndefined();
  });

  it("counts from the failure of the newest destroy Job", () => {
    const failures = [1, 2, 3].map((n) => jobOf(`network-destroy-${n}`, n * 100, { type: "Failed", at: n * 100 + 50 }));
    expect(look(deleting, { jobs: [apply, ...failures] }, HOUR)).toMatchObject({
      reason: "DestroyFailed",
      since: time(350),
    });
    expect(look(deleting, { jobs: [...failures, jobOf("network-destroy-4", 400)] }, HOUR)).toBeUndefined();
  });

  it("says when the Job has done its work and the finalizer stays all the same", () => {
    const done = jobOf("network-destroy", 20, { type: "Complete", at: 60 });
    expect(look(deleting, { jobs: [done] }, HOUR)).toMatchObject({ reason: "DestroyedButKept", since: time(60) });
  });

  it("sees that the namespace went first, so that nothing can be created in it", () => {
    expect(look(deleting, { jobs: [apply], namespaceDeleted: 5 }, HOUR)).toMatchObject({
      reason: "NamespaceTerminating",
      since: time(DELETED),
      cause: "namespace shop",
    });
    const running = jobOf("network-destroy", 20);
    expect(look(deleting, { jobs: [apply, running], namespaceDeleted: 30 }, 9 * HOUR)).toBeUndefined();
  });

  it("names a Job that is still at it", () => {
    const found = look(deleting, { jobs: [jobOf("network-apply", 1)] }, HOUR);
    expect(found?.evidence).toContain("Job shop/network-apply has not finished");
  });

  it.each([
    ["without a finalizer", parent({}, { deletionTimestamp: time(DELETED) })],
    ["that is not being deleted", parent({}, { finalizers: ["example.com/destroy"] })],
  ])("is silent about a parent %s", (_, object) => {
    expect(look(object, { jobs: [apply] }, 9 * HOUR)).toBeUndefined();
  });

  it("is silent about an object that never had a Job, unless its rules say that the finalizer waits for one", () => {
    expect(look(deleting, {}, 9 * HOUR)).toBeUndefined();
    const [rules] = captfParents;
    if (!rules) throw new Error("no preset");
    const finalizers = ["terraformcluster.infrastructure.cluster.x-k8s.io"];
    const locked = { conditions: [told("StateReadable", "False", 5, { reason: "StateLocked" })] };
    const found = look(parent(locked, { deletionTimestamp: time(DELETED), finalizers }), { rules }, HOUR);
    expect(found).toMatchObject({ kind: "S37", reason: "NoDestroyJob" });
    expect(found?.evidence).toContain("it waits: StateLocked, and looks again after StateRequeue");
    expect(
      look(parent({}, { deletionTimestamp: time(DELETED), finalizers: ["other/one"] }), { rules }, HOUR),
    ).toBeUndefined();
  });
});
