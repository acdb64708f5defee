import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readParents } from "../../src/cli/settings/parents-file.ts";
import { captfParents, genericParent } from "../../src/jobs/index.ts";

let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "stalewatch-parents-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function file(text: string): string {
  const path = join(directory, "parents.yaml");
  writeFileSync(path, text);
  return path;
}

const run = "{group: example.com, version: v1, kind: Run, resource: runs";
const resource = { group: "example.com", version: "v1", kind: "Run", resource: "runs", namespaced: true };

describe("--parents", () => {
  it("takes presets and files, several of them", async () => {
    expect(await readParents([])).toEqual({ parents: [], genericParents: false });
    const parents = [...captfParents, genericParent(resource)];
    expect(await readParents(["captf", file(`- ${run}}`)])).toEqual({ parents, genericParents: false });
    expect(await readParents(["captf", "generic"])).toEqual({ parents: captfParents, genericParents: true });
  });

  it("takes from a file what differs from the usual", async () => {
    const text = `- ${run}, namespaced: false, ready: [Done], activeJob: status.job,
   jobs: {nameLabel: example.com/run}, waits: {Locked: LockRequeue},
   schedules: [{name: check, every: spec.every, last: status.last, ops: [check]}]}`;
    const usual = genericParent({ ...resource, namespaced: false });
    expect((await readParents([file(text)])).parents).toEqual([
      {
        ...usual,
        ready: ["Done"],
        activeJob: "status.job",
        jobs: { ...usual.jobs, nameLabel: "example.com/run" },
        waits: { Locked: "LockRequeue" },
        schedules: [{ name: "check", every: "spec.every", last: "status.last", ops: ["check"] }],
      },
    ]);
  });

  it.each([
    ["runs", "is not a list of kinds"],
    ["- [", "is not YAML"],
    ["- {version: v1, kind: Run}", "line 1 has no resource"],
    [`- ${run}}\n- ${run}, redy: [Done]}`, "line 2: there is no key redy"],
    [`- ${run}, ready: Done}`, "line 1: ready is no list of words"],
    [`- ${run}, phase: [a]}`, "line 1: phase needs one word"],
    [`- ${run}, jobs: {label: a}}`, "line 1: jobs: there is no key label"],
    [`- ${run}, waits: [a]}`, "line 1: waits is no map"],
    [`- ${run}, schedules: [{name: a}]}`, "line 1: schedules: one lacks name, every or last"],
    ["- runs", "line 1 is no map"],
  ])("refuses %j with its line", async (text, problem) => {
    await expect(readParents([file(text)])).rejects.toThrow(problem);
  });

  it("names a file that cannot be read", async () => {
    await expect(readParents(["/nowhere/parents.yaml"])).rejects.toThrow(
      "--parents /nowhere/parents.yaml cannot be read",
    );
  });
});
