import { describe, expect, it } from "vitest";
import { Snapshot } from "../../src/jobs/index.ts";
import { type Job, resources } from "../../src/resources/index.ts";
import { at, job, judgeJob, meta } from "./objects.ts";

const MANY = 60;

function names(jobs: readonly { readonly metadata: { readonly name: string } }[] | undefined): readonly string[] {
  return (jobs ?? []).map(({ metadata }) => metadata.name);
}

function labelled(name: string, value: string): Job {
  return job({ metadata: { ...meta(name), labels: { app: value } } });
}

/** The same, and tells whenever anybody looks at one of its fields. */
function watched<T extends object>(object: T, field: keyof T, seen: () => void): T {
  const get = (): unknown => {
    seen();
    return object[field];
  };
  return Object.defineProperty({ ...object }, field, { enumerable: true, get });
}

describe("a snapshot", () => {
  it("finds objects by label as they come, change and go", () => {
    const world = new Snapshot();
    const find = (value: string): readonly string[] => names(world.byLabel(resources.jobs, "shop", "app", value));
    expect(world.byLabel(resources.jobs, "shop", "app", "x")).toBeUndefined();
    world.set(resources.jobs, labelled("a", "x"));
    expect(find("x")).toEqual(["a"]);
    world.set(resources.jobs, labelled("b", "x"));
    world.set(resources.jobs, labelled("a", "y"));
    expect([find("x"), find("y")]).toEqual([["b"], ["a"]]);
    world.delete(resources.jobs, { namespace: "shop", name: "b" });
    expect([find("x"), find("y")]).toEqual([[], ["a"]]);
    expect(world.byLabel(resources.jobs, "other", "app", "y")).toEqual([]);
  });

  it("looks at each object once, however many ask by label", () => {
    const world = new Snapshot();
    let looks = 0;
    for (let each = 0; each < MANY; each += 1) {
      const metadata = { ...meta(`a-${each}`), labels: { app: String(each) } };
      world.set(resources.jobs, { ...job(), metadata: watched(metadata, "labels", () => (looks += 1)) });
    }
    looks = 0;
    for (let each = 0; each < MANY; each += 1) {
      expect(names(world.byLabel(resources.jobs, "shop", "app", String(each)))).toEqual([`a-${each}`]);
    }
    expect(looks).toBeLessThanOrEqual(2 * MANY);
  });

  it("begins anew with what is deleted and made again", () => {
    const world = new Snapshot();
    const subject = job();
    world.set(resources.jobs, subject);
    expect(world.unchangedSince(subject, "x", "same", 1)).toBe(1);
    world.set(resources.jobs, subject);
    expect(world.unchangedSince(subject, "x", "same", 2)).toBe(1);
    world.delete(resources.jobs, subject.metadata);
    world.set(resources.jobs, subject);
    expect(world.unchangedSince(subject, "x", "same", 3)).toBe(3);
  });
});

describe("the runs of a CronJob", () => {
  const ownerReferences = [
    { apiVersion: "batch/v1", kind: "CronJob", name: "c", uid: "uid-of-c", controller: true },
  ] as const;

  it("are gone through once, however many are stuck", () => {
    const world = new Snapshot();
    world.declare(resources.pods);
    let looks = 0;
    const conditions = [{ type: "Complete", status: "True", lastTransitionTime: "2026-01-02T03:10:00Z" }];
    const runs = Array.from({ length: MANY }, (_, each) => {
      return job({ metadata: { ...meta(`c-1${each}`), ownerReferences: [...ownerReferences] }, status: {} });
    });
    const done = Array.from({ length: MANY }, (_, each) => {
      const creationTimestamp = "2026-01-02T03:09:00Z";
      const metadata = { ...meta(`c-2${each}`), ownerReferences: [...ownerReferences], creationTimestamp };
      return watched(job({ metadata, status: { conditions } }), "status", () => (looks += 1));
    });
    for (const run of [...runs, ...done]) world.set(resources.jobs, run);
    looks = 0;
    for (const run of runs) {
      const { finding } = judgeJob(run, world, at(3_600));
      expect(finding).toMatchObject({ state: "stuck", severity: "info" });
    }
    expect(looks).toBeLessThanOrEqual(2 * MANY);
  });
});
